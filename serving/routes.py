"""The routes: parse, call, answer."""

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from elision.compaction.tokens import counter
from elision.serving.body import read_json
from elision.serving.expand import HANDLE, LINES, Expanded, expand
from elision.serving.fields import checked
from elision.serving.metrics import CONTENT_TYPE
from elision.serving.receipts import receipt_json
from elision.serving.responses import json_response, problems, taking
from elision.serving.schemas import CompressedText, CompressText
from elision.serving.service import service_of
from elision.serving.tenants import tenant_of

router = APIRouter()


@router.post(
    "/v1/compress/text",
    summary="Shorten one text or several",
    responses={
        200: {
            "model": CompressedText | list[CompressedText],
            "description": "One object for `text`, a list for `texts`.",
        },
        **problems(
            _400="Not JSON.",
            _413="The body is over the limit.",
            _415="Another media type, or a packed body.",
            _422="A field is missing, unknown or of the wrong kind.",
            _503="The scorer is not loaded, or too many requests are waiting.",
        ),
    },
    openapi_extra=taking(CompressText),
)
async def compress_text(request: Request) -> Response:
    service = service_of(request)
    with service.admit() as deadline:  # before the body is held in memory
        asked = checked(CompressText, await read_json(request, service.settings.max_body_bytes))
        shorter = await service.compress(asked, tenant_of(request), deadline)
    results = [
        receipt_json(result, service.handle(asked, text, result))
        for text, result in zip(asked.all, shorter, strict=True)
    ]
    return json_response(results if asked.text is None else results[0])


@router.get(
    "/v1/expand/{handle}",
    summary="The original of a shortened text, or some of its lines",
    responses={
        200: {"model": Expanded},
        **problems(
            _404="Nothing of the caller's under this handle, or no longer.",
            _422="Not a handle, a range or a regular expression.",
            _503="The store cannot be read.",
        ),
    },
)
def expand_handle(  # not async: a store blocks
    request: Request,
    handle: Annotated[str, Path(json_schema_extra={"pattern": HANDLE})],
    lines: Annotated[
        str | None, Query(description="A-B, from 1, both included.", json_schema_extra={"pattern": LINES})
    ] = None,
    grep: Annotated[str | None, Query(description="A regular expression; lines come with their number.")] = None,
) -> Response:
    service = service_of(request)
    store = service.stores.scope(tenant_of(request), "")
    return json_response(asdict(expand(store, handle, lines, grep, counter(service.settings.encoding))))


@router.get("/healthz", summary="The process lives")
async def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.get(
    "/readyz",
    summary="The scorer is loaded and the store can be written",
    responses=problems(_503="It is not; `detail` says why."),
)
async def readyz(request: Request) -> dict[str, str]:
    service = service_of(request)
    scorer = service.shortener.scorer
    await asyncio.to_thread(service.stores.ready)
    return {"status": "ready", "bundle": scorer.bundle, "runner": scorer.runner}


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Text."}},
)
async def metrics(request: Request) -> Response:
    return Response(service_of(request).metrics.render(), media_type=CONTENT_TYPE)
