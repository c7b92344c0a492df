"""Errors as RFC 9457 problem documents; here and nowhere else are status codes."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from structlog.contextvars import get_contextvars

from elision.compaction.errors import (
    BadBudget,
    BadConversation,
    BadPin,
    BadPolicy,
    BudgetTooSmall,
    NotJson,
    RedactionFailed,
    StoreUnavailable,
    UnknownEncoding,
    UnknownFormat,
)
from elision.compaction.sessions.errors import (
    BadEvent,
    CompactionRunning,
    DoubledId,
    HistoryDiffers,
    SessionExists,
    StaleLog,
    UnknownSession,
)
from elision.model.errors import ElisionError
from elision.serving.errors import (
    BadSelection,
    BodyTooLarge,
    BundleNotAllowed,
    BundleUnusable,
    InvalidFields,
    MalformedBody,
    NotReady,
    NotReducible,
    Overloaded,
    SessionsNotKept,
    SwapInProgress,
    UnknownContextWindow,
    UnknownHandle,
    UnknownPolicy,
    UnsupportedBody,
)
from elision.serving.receipts import dumps

MEDIA_TYPE = "application/problem+json"
HEADROOM = frozenset({"/v1/compress", "/v1/retrieve/{handle}"})  # whose clients expect {"error": {...}}

STATUS: dict[type[ElisionError], int] = {
    MalformedBody: 400,
    UnknownHandle: 404,
    UnknownSession: 404,
    UnknownPolicy: 404,
    BundleNotAllowed: 403,
    BundleUnusable: 409,
    SwapInProgress: 409,
    SessionsNotKept: 409,
    SessionExists: 409,
    CompactionRunning: 409,
    StaleLog: 409,
    HistoryDiffers: 409,
    DoubledId: 409,
    BodyTooLarge: 413,
    UnsupportedBody: 415,
    InvalidFields: 422,
    BadBudget: 422,
    BadEvent: 422,
    BudgetTooSmall: 422,
    BadPin: 422,
    UnknownEncoding: 422,
    BadPolicy: 422,
    NotJson: 400,
    UnknownFormat: 422,
    BadConversation: 422,
    NotReducible: 422,
    UnknownContextWindow: 422,
    RedactionFailed: 500,
    BadSelection: 422,
    StoreUnavailable: 503,
    NotReady: 503,
    Overloaded: 503,
}


def problem(status: int, code: str, detail: str, **members: object) -> Response:
    """A problem document; ``code`` names the kind of error for programs."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": get_contextvars().get("request_id", ""),
        **members,
    }
    return Response(dumps(document), status, media_type=MEDIA_TYPE)


def on_elision_error(request: Request, error: Exception) -> Response:
    """Answer one of our own errors, in the shape of the route; what the table does not know is a 500."""
    assert isinstance(error, ElisionError)
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)
    code = _snake(type(error).__name__)
    if request.scope.get("route") and getattr(request.scope["route"], "path", "") in HEADROOM:
        response = Response(
            dumps({"error": {"type": code, "message": str(error)}}), status, media_type="application/json"
        )
    else:
        response = problem(status, code, str(error), **_members(error))
    if status == 503 or isinstance(error, CompactionRunning):
        response.headers["Retry-After"] = "1"
    return response


def _members(error: ElisionError) -> dict[str, object]:
    if isinstance(error, InvalidFields):
        return {"errors": [{"pointer": e.pointer, "detail": e.detail} for e in error.errors]}
    if isinstance(error, BadConversation):
        return {"errors": [{"pointer": f"#/body{error.pointer}", "detail": error.detail}]}
    if isinstance(error, HistoryDiffers):
        return {"message": error.at}
    return {}


def on_http_error(_: Request, error: Exception) -> Response:
    """Answer what the router itself refuses: no such route, wrong method."""
    assert isinstance(error, HTTPException)
    response = problem(error.status_code, _snake(HTTPStatus(error.status_code).name.title()), error.detail)
    response.headers.update(error.headers or {})
    return response


def _snake(name: str) -> str:
    spaced = "".join(f"_{c.lower()}" if c.isupper() else c for c in name.replace("_", ""))
    return spaced.removeprefix("_")
