"""An LLM's server on a loopback port that does what a test says, over real HTTP, in both APIs.

    with fake_llm("slow drip") as llm:            # a trouble by its name
    with fake_llm(lambda request, before: "text") as llm:
    with fake_llm([Refuse(429), Say("text")]) as llm:   # one after another, the last one again

It holds a request to the provider's own rules first, and answers 400, 401 or 404 as the provider does. What
came is kept, whole, so that a test can see what left the house.
"""

import json
import socket
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from llm_rules import ANTHROPIC, INPUT, OPENAI, OUTPUT, Json, Refused, Rules, check, rendered
from llm_troubles import TROUBLES, Act, Raw, Refuse, Say

__all__ = [
    "ANTHROPIC",
    "INPUT",
    "OPENAI",
    "OUTPUT",
    "TROUBLES",
    "Act",
    "Behaviour",
    "FakeLLM",
    "Json",
    "Raw",
    "Refuse",
    "Rules",
    "Say",
    "Script",
    "Seen",
    "closed_port",
    "fake_llm",
]

_GOOD, _LENIENT = Say(), Rules()
_PATHS = {"/v1/chat/completions": OPENAI, "/v1/messages": ANTHROPIC}
Script = Callable[[Json, int], Act | str]
"""What to answer to a request, and to the how-manieth, from 0; a bare text is said."""
Behaviour = Act | Sequence[Act] | Script | str


@dataclass(frozen=True)
class Seen:
    """A request that came."""

    api: str
    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def everything(self) -> str:
        """All of it as one text, to look for what must not be in it."""
        return json.dumps([self.path, dict(self.headers), self.body], ensure_ascii=False)


@dataclass
class FakeLLM:
    """The running server.

    Attributes:
        url: Its root, as Anthropic's clients want it.
        seen: What came, in order, refused or not.
        sent: Bytes of bodies that were sent.
    """

    url: str
    seen: list[Seen] = field(default_factory=list)
    sent: int = 0

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"


@contextmanager
def fake_llm(behaviour: Behaviour = _GOOD, rules: Rules = _LENIENT) -> Iterator[FakeLLM]:
    """Serve a behaviour on a free port until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.llm = FakeLLM(f"http://127.0.0.1:{server.server_address[1]}")
    server.script, server.rules = _script(behaviour), rules
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.llm
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def closed_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _script(behaviour: Behaviour) -> Script:
    if isinstance(behaviour, str):
        behaviour = TROUBLES[behaviour]
    if callable(behaviour):
        return behaviour
    acts = behaviour if isinstance(behaviour, Sequence) else [behaviour]
    return lambda request, before: acts[min(before, len(acts) - 1)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # who does not fit in knocks again after a second
    llm: FakeLLM
    script: Script
    rules: Rules

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.lock, self.over = Lock(), Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        api = _PATHS.get(self.path.partition("?")[0], "")
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            act = self._act(api, headers, raw)
        except Refused as refused:
            act = refused.act
        try:
            self._deliver(act, rendered(act, api or OPENAI))
        except OSError:  # the client has gone
            self.close_connection = True

    def _act(self, api: str, headers: Mapping[str, str], raw: bytes) -> Act:
        request = _json(raw)
        with self.server.lock:
            before = len(self.server.llm.seen)
            self.server.llm.seen.append(Seen(api, self.path, headers, request))
        if not api:
            raise Refused(404, f"no route {self.path}", "not_found_error")
        check(api, headers, request, self.server.rules)
        act = self.server.script(request, before)
        return Say(act) if isinstance(act, str) else act

    def _deliver(self, act: Act, raw: Raw) -> None:
        if act.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        if act.silent:
            self.server.over.wait(30)
            return
        self._write(_head(raw, sized=not act.endless), act.drip if act.head_too else 0)
        body = raw.body if act.cut is None else raw.body[: act.cut]
        while not self.server.over.is_set():
            self._write(body, act.drip)
            self.server.llm.sent += len(body)
            if not act.endless:
                break
        if act.endless or act.cut is not None:
            self.close_connection = True

    def _write(self, data: bytes, drip: float) -> None:
        for chunk in (data[at : at + 1] for at in range(len(data))) if drip else [data]:
            if drip and self.server.over.wait(drip):
                return
            self.wfile.write(chunk)
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""


def _json(raw: bytes) -> Json:
    try:
        request = json.loads(raw.decode("utf-8"))
    except ValueError:
        request = None
    return request if isinstance(request, dict) else {}


def _head(raw: Raw, *, sized: bool) -> bytes:
    phrase = HTTPStatus(raw.status).phrase if raw.status in list(HTTPStatus) else "Unknown"
    length = {"content-length": str(len(raw.body))} if sized else {"connection": "close"}
    lines = {"content-type": raw.content_type, **length, **raw.headers}
    told = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {raw.status} {phrase}\r\n{told}\r\n".encode("latin-1")
