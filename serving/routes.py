"""The routes: parse, call, answer."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from elision.serving.body import read_json
from elision.serving.metrics import CONTENT_TYPE
from elision.serving.problems import MEDIA_TYPE
from elision.serving.receipts import dumps, receipt_json
from elision.serving.schemas import CompressedText, CompressText, Problem, inlined, read_compress_text
from elision.serving.service import Service

router = APIRouter()


def _problems(**meanings: str) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": inlined(Problem)}}
    return {int(key[1:]): {"description": text, "content": content} for key, text in meanings.items()}


@router.post(
    "/v1/compress/text",
    summary="Shorten one text or several",
    responses={
        200: {
            "model": CompressedText | list[CompressedText],
            "description": "One object for `text`, a list for `texts`.",
        },
        **_problems(
            _400="Not JSON.",
            _413="The body is over the limit.",
            _415="Another media type, or a packed body.",
            _422="A field is missing, unknown or of the wrong kind.",
            _503="The scorer is not loaded, or too many requests are waiting.",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": inlined(CompressText)}},
        }
    },
)
async def compress_text(request: Request) -> Response:
    service = _service(request)
    with service.admit() as deadline:  # before the body is held in memory
        asked = read_compress_text(await read_json(request, service.settings.max_body_bytes))
        results = [receipt_json(result) for result in await service.compress(asked, deadline)]
    return _json(results if asked.text is None else results[0])


@router.get("/healthz", summary="The process lives")
async def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.get(
    "/readyz",
    summary="The scorer is loaded",
    responses=_problems(_503="It is not; `detail` says why."),
)
async def readyz(request: Request) -> dict[str, str]:
    scorer = _service(request).shortener.scorer
    return {"status": "ready", "bundle": scorer.bundle, "runner": scorer.runner}


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Text."}},
)
async def metrics(request: Request) -> Response:
    return Response(_service(request).metrics.render(), media_type=CONTENT_TYPE)


PATHS = frozenset(route.path for route in router.routes if isinstance(route, APIRoute))


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _json(value: object) -> Response:
    return Response(dumps(value), media_type="application/json")
