"""The native routes for messages: parse, call, answer."""

import asyncio
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from elision.compaction.conversation import Conversation, Format
from elision.compaction.counting import count
from elision.compaction.cuts import cut_points, validate
from elision.compaction.formats.read import read
from elision.serving.body import read_envelope
from elision.serving.conversations import Answer, compress_body
from elision.serving.fields import checked
from elision.serving.message_receipts import problems_json, report
from elision.serving.message_schemas import (
    CompressedMessagesReport,
    CompressMessages,
    Counted,
    CountMessages,
    MessagesRequest,
    Validated,
)
from elision.serving.responses import json_around, json_response, problems, taking
from elision.serving.service import service_of
from elision.serving.tenants import tenant_of

Asked = TypeVar("Asked", bound=MessagesRequest)
router = APIRouter()
_REFUSALS = problems(
    _400="Not JSON.",
    _413="The body is over the limit.",
    _415="Another media type, or a packed body.",
    _422="A field is missing, unknown or of the wrong kind, or the body is in no wire format.",
    _503="The scorer is not loaded, or too many requests are waiting.",
)


@router.post(
    "/v1/compress/messages",
    summary="Shorten what a provider's request carries",
    responses={200: {"model": CompressedMessagesReport}, **_REFUSALS},
    openapi_extra=taking(CompressMessages),
)
async def compress_messages(request: Request) -> Response:
    service = service_of(request)
    with service.admit() as deadline:
        options, raw = await read_envelope(request, service.settings.max_body_bytes, "body")
        answer = await compress_body(service, raw, checked(CompressMessages, options), tenant_of(request), deadline)
        return await asyncio.to_thread(_answer, answer)


@router.post(
    "/v1/count",
    summary="Count a request's tokens",
    responses={200: {"model": Counted}, **_REFUSALS},
    openapi_extra=taking(CountMessages),
)
async def count_messages(request: Request) -> Response:
    service = service_of(request)
    conversation, asked = await _read(request, CountMessages)
    counter = (await service.shortener_for(asked.model or conversation.model)).counter
    size = await asyncio.to_thread(count, conversation, counter)
    counted = {
        "tokens": size.total + size.tools * asked.count_tools,
        "system": size.system,
        "messages": list(size.messages),
        "tools": size.tools,
        "format": conversation.format,
        "token_counter": {"encoding": counter.encoding, "exact": size.exact},
    }
    return json_response(counted)


@router.post(
    "/v1/validate",
    summary="Say what a provider would refuse",
    responses={200: {"model": Validated}, **_REFUSALS},
    openapi_extra=taking(MessagesRequest),
)
async def validate_messages(request: Request) -> Response:
    conversation, _ = await _read(request, MessagesRequest)
    found = await asyncio.to_thread(validate, conversation)
    answer = {
        "valid": not found,
        "format": conversation.format,
        "problems": problems_json(found),
        "cut_points": await asyncio.to_thread(cut_points, conversation),
    }
    return json_response(answer)


def _answer(answer: Answer) -> Response:
    return json_around(answer.raw, "body", report(answer))


async def _read(request: Request, model: type[Asked]) -> tuple[Conversation, Asked]:
    """A request that is only looked at."""
    options, raw = await read_envelope(request, service_of(request).settings.max_body_bytes, "body")
    asked = checked(model, options)
    form = Format(asked.format) if asked.format else None
    return await asyncio.to_thread(read, raw, form), asked
