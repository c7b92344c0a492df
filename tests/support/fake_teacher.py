"""A teacher on a loopback port that says what a script tells it, over real HTTP.

Nothing is patched: the official client connects, waits, is cut off and tries again. What it sent is
kept for the test to look at.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One answer of the server.

    Attributes:
        content: What the model says.
        finish: Why it ends.
        status: HTTP status; any but 200 answers with an error object.
        message: Of the error object.
        headers: More headers.
        delay: Seconds before the answer.
        cut: Whether the connection is cut in the middle of it.
        refusal: The message's own field.
        usage: Whether the tokens are told.
        body: Sent as it is instead of all this.
    """

    content: str | None = ""
    finish: str = "stop"
    status: int = 200
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    refusal: str | None = None
    usage: bool = True
    body: bytes | None = None


Script = Callable[[Json, int], Step]
"""What to answer to a request, and to which of its kind: how often its chunk was asked before."""

ASKED, ANSWERED = 100, 20  # tokens that every answer is said to have used


@dataclass
class FakeTeacher:
    """The running server."""

    url: str
    requests: list[Json]
    keys: list[str]
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def chunks(self) -> list[str]:
        return [request["messages"][1]["content"] for request in self.requests]


@contextmanager
def fake_teacher(script: Script) -> Iterator[FakeTeacher]:
    """Serve a script on a free port until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    teacher = FakeTeacher(f"http://127.0.0.1:{server.server_address[1]}/v1", [], [])
    _STATE[server] = (script, teacher, Lock())
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield teacher
    finally:
        server.shutdown()
        server.server_close()
        del _STATE[server]


_STATE: dict[Any, tuple[Script, FakeTeacher, Lock]] = {}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        script, teacher, lock = _STATE[self.server]
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with lock:
            chunk = request["messages"][1]["content"]
            step = script(request, teacher.chunks.count(chunk))
            teacher.requests.append(request)
            teacher.keys.append(self.headers.get("authorization", ""))
            teacher.headers.append({name.lower(): value for name, value in self.headers.items()})
        time.sleep(step.delay)
        try:
            self._send(step)
        except OSError:  # the client has gone
            self.close_connection = True

    def _send(self, step: Step) -> None:
        body = step.body if step.body is not None else json.dumps(_object(step)).encode()
        self.send_response(step.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in step.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if step.cut else body)
        if step.cut:
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""


def _object(step: Step) -> Json:
    if step.status != 200:
        return {"error": {"message": step.message, "type": "fake", "code": None}}
    message = {"role": "assistant", "content": step.content, "refusal": step.refusal}
    usage = {"prompt_tokens": ASKED, "completion_tokens": ANSWERED, "total_tokens": ASKED + ANSWERED}
    return {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "finish_reason": step.finish, "message": message}],
        **({"usage": usage} if step.usage else {}),
    }
