"""Answer what clients of Headroom send: LiteLLM's and Portkey's guardrails take only a base URL.

Their contract, read off those clients: messages come back as many, in the same order, with the same
roles; ``compression_ratio`` is what is left, after over before; errors are ``{"error": {type, message}}``.
"""

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from elision.compaction.counting import count
from elision.compaction.formats.read import read
from elision.compaction.plan import Action
from elision.compaction.raw_json import parse
from elision.serving.body import read_envelope
from elision.serving.conversations import Answer, compress_body
from elision.serving.errors import UnknownHandle
from elision.serving.fields import AnyText, Count, Positive, Ratio, checked, inlined
from elision.serving.message_schemas import CompressMessages
from elision.serving.responses import json_around, json_response, taking
from elision.serving.service import Service, service_of
from elision.serving.tenants import tenant_of

BYPASS, SESSION = "x-headroom-bypass", "x-headroom-session-id"
_SKIPPED = frozenset({"deadline", "internal_error"})
router = APIRouter()


class HeadroomConfig(BaseModel):
    """How to compress; what we do not know of is not ours to refuse."""

    model_config = ConfigDict(extra="ignore", strict=True)

    mode: Annotated[
        AnyText | None, Field(description="ccr: shortened texts name the hash of their original; else they do not.")
    ] = None
    target_ratio: Annotated[Ratio | None, Field(description="Share of each text's tokens to keep.")] = None
    protect_recent: Annotated[Count | None, Field(description="Newest messages that stay as they are.")] = None
    frozen_message_count: Annotated[Count | None, Field(description="Oldest messages that stay as they are.")] = None
    session_id: AnyText | None = None


class HeadroomCompress(BaseModel):
    """Messages to compress."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        json_schema_extra={
            "properties": {"messages": {"type": "array"}, "input": {"type": "array"}},
            "oneOf": [{"required": ["messages"]}, {"required": ["input"]}],
        },
    )

    model: AnyText | None = None
    token_budget: Annotated[Positive | None, Field(description="Tokens that all messages together may have.")] = None
    config: HeadroomConfig | None = None


class HeadroomError(BaseModel):
    """An error as Headroom's clients read it."""

    type: str
    message: str


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    shape = {"type": "object", "required": ["error"], "properties": {"error": inlined(HeadroomError)}}
    content = {"application/json": {"schema": shape}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


@router.post(
    "/v1/compress",
    summary="Compress messages, as Headroom's clients ask",
    responses=_errors(400, 413, 415, 422, 500, 503),
    openapi_extra=taking(HeadroomCompress),
)
async def compress(request: Request) -> Response:
    service = service_of(request)
    with service.admit() as deadline:
        options, raw = await read_envelope(request, service.settings.max_body_bytes, "messages", "input")
        asked = checked(HeadroomCompress, options)
        if request.headers.get(BYPASS, "").strip().lower() == "true":
            return json_around(raw, "messages", await _bypassed(service, raw, asked))
        native = await asyncio.to_thread(_native, asked, raw, request.headers.get(SESSION))
        answer = await compress_body(service, raw, native, tenant_of(request), deadline)
    return json_around(answer.raw, "messages", _report(answer))


@router.get("/v1/retrieve/{handle}", summary="The original behind a hash", responses=_errors(404, 503))
def retrieve(request: Request, handle: str) -> Response:
    handle = handle.lower()
    original = service_of(request).stores.scope(tenant_of(request), "").original(handle)
    if original is None:
        raise UnknownHandle(f"no original under {handle[:64]}: never stored here, or expired")
    return json_response({"hash": handle, "original_content": original})


def _native(asked: HeadroomCompress, raw: str, session: str | None) -> CompressMessages:
    config = asked.config or HeadroomConfig()
    recent = config.protect_recent or 0
    options: dict[str, Any] = {
        "model": asked.model,
        "handles": config.mode == "ccr",
        "frozen_message_count": config.frozen_message_count or 0,
        "session_id": config.session_id or session,
    }
    if asked.token_budget is not None:
        options |= {"mode": "history", "total_tokens": asked.token_budget, "overflow": "clip"}
        options |= {"protect_recent": recent}
    else:
        total = len(parse(raw).elements) if recent else 0
        options |= {"keep_ratio": config.target_ratio, "protect": list(range(max(0, total - recent), total))}
    return CompressMessages(**options)


async def _bypassed(service: Service, raw: str, asked: HeadroomCompress) -> dict[str, Any]:
    conversation = await asyncio.to_thread(read, raw)
    counter = (await service.shortener_for(asked.model)).counter
    tokens = (await asyncio.to_thread(count, conversation, counter)).total
    nothing = {"transforms_applied": [], "transforms_summary": {}, "ccr_hashes": [], "route": "bypass"}
    return {**_figures(tokens, tokens), **nothing, "compression_skipped": True, "skip_reason": "bypass"}


def _report(answer: Answer) -> dict[str, Any]:
    leaves = [leaf for leaf in answer.done.leaves if leaf.changed]
    hashes = list(dict.fromkeys(leaf.handle for leaf in leaves)) if answer.keeps else []
    frozen = answer.job.asked.frozen_message_count
    replayed = any(leaf.planned.action is Action.REPLAY for leaf in leaves)
    late = [leaf for leaf in answer.done.leaves if leaf.reason in _SKIPPED]
    return {
        **_figures(answer.before, answer.after),
        "transforms_applied": ["elision"] * bool(leaves),
        "transforms_summary": {"elision": len(leaves)} if leaves else {},
        "ccr_hashes": hashes if answer.job.asked.handles else [],
        "session": {
            "id": answer.job.asked.session_id or "",
            "frozen_message_count": frozen,
            "cached_prefix_replayed": replayed,
        },
        "route": "elision",
        **({"compression_skipped": True, "skip_reason": late[0].reason} if late and not leaves else {}),
    }


def _figures(before: int, after: int) -> dict[str, Any]:
    return {
        "tokens_before": before,
        "tokens_after": after,
        "tokens_saved": before - after,
        "compression_ratio": round(after / before, 4) if before else 1.0,
    }
