"""Around every request: an id, a log line, the metrics, and a last answer if ours crashed."""

import re
import time
import uuid

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from elision.serving.logging import get_logger, where
from elision.serving.metrics import Metrics
from elision.serving.problems import problem

HEADER = b"x-request-id"
QUIET = frozenset({"/healthz", "/readyz", "/metrics"})  # polled; they would drown the rest

CLIENT_LEFT = 499  # as nginx has it; nobody sees it but the log and the metrics

_SANE = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_log = get_logger()


class Envelope:
    """Pure ASGI, so that it sees what went out and never buffers it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = request_id(scope)
        with bound_contextvars(request_id=name):
            await self._measured(scope, receive, send, name.encode())

    async def _measured(self, scope: Scope, receive: Receive, send: Send, name: bytes) -> None:
        started, status = time.perf_counter(), 0

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), (HEADER, name)]
            await send(message)

        try:
            await self._app(scope, receive, tagged)
        except ClientDisconnect:
            status = CLIENT_LEFT
        except Exception as error:
            _log.error("request failed", **where(error))
            if status:  # half an answer is out; only closing the connection tells the client
                raise
            crashed = problem(500, "internal_error", "this is our mistake; the log has its traceback")
            await crashed(scope, receive, tagged)
        finally:
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "other")  # never what the caller typed
            self._metrics.answered(route, status, seconds)
            if route not in QUIET:
                _log.info(
                    "request", method=scope["method"], route=route, status=status, seconds=round(seconds, 4)
                )


def request_id(scope: Scope) -> str:
    """The caller's ``X-Request-ID`` if it is short and plain, else a new one."""
    given = dict(scope["headers"]).get(HEADER, b"")
    return given.decode() if _SANE.fullmatch(given) else uuid.uuid4().hex
