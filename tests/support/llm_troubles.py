"""What an LLM's server may answer, and everything that goes wrong, by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Wire:
    """How an answer goes over the line.

    Attributes:
        drip: Seconds before each byte of the body.
        head_too: Whether the status and the headers drip as well.
        cut: Bytes of the body after which the connection ends; None, it is sent whole.
        reset: Whether the connection ends with a reset instead of any answer.
        silent: Whether no answer ever comes.
        endless: Whether the body is sent again and again.
        headers: Further headers.
    """

    drip: float = 0.0
    head_too: bool = False
    cut: int | None = None
    reset: bool = False
    silent: bool = False
    endless: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Say(Wire):
    """A reply, put as the asked API puts it.

    Attributes:
        text: The words; None for a null.
        finish: ``stop``, ``length``, ``refusal`` or ``tool``, or the API's own word.
        usage: Whether the tokens are told.
    """

    text: str | None = "A summary."
    finish: str = "stop"
    usage: bool = True


@dataclass(frozen=True)
class Refuse(Wire):
    """An error object, put as the asked API puts it."""

    status: int = 500
    message: str = "no"
    code: str = "some_error"


@dataclass(frozen=True)
class Raw(Wire):
    """A body as it is."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"


Act = Say | Refuse | Raw

_PAGE = b"<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>"
TROUBLES: dict[str, Act] = {
    "slow drip": Say(drip=0.02),
    "slow drip of headers": Say(drip=0.02, head_too=True),
    "silence": Say(silent=True),
    "reset": Say(reset=True),
    "cut connection": Say(cut=20),
    "cut before the body": Say(cut=0),
    "429 storm": Refuse(429, "slow down", "rate_limit_exceeded", headers={"retry-after": "0"}),
    "429 for an hour": Refuse(429, "slow down", "rate_limit_exceeded", headers={"retry-after": "3600"}),
    "429 without a word": Refuse(429, "slow down", "rate_limit_exceeded"),
    "quota used up": Refuse(429, "You exceeded your current quota", "insufficient_quota"),
    "401": Refuse(401, "no such key", "invalid_api_key"),
    "403": Refuse(403, "not yours", "permission_error"),
    "404": Refuse(404, "no such model", "model_not_found"),
    "400": Refuse(400, "unknown field", "invalid_request_error"),
    "overflow": Refuse(400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
    "request too large": Refuse(413, "Request exceeds the maximum size", "request_too_large"),
    "500": Refuse(500, "internal error"),
    "503": Refuse(503, "no worker"),
    "529": Refuse(529, "Overloaded", "overloaded_error"),
    "page under 502": Raw(_PAGE, 502, "text/html"),
    "page under 200": Raw(_PAGE, 200, "text/html"),
    "empty body": Raw(b""),
    "garbage UTF-8": Raw(b'{"choices": [{"message": {"content": "\xff\xfe\x80"}}], "content": "\xff"}'),
    "half a JSON": Raw(b'{"choices": [{"message": {"con'),
    "other shape": Raw(b'{"result": "fine", "content": 5}'),
    "a list": Raw(b"[]"),
    "deep JSON": Raw(b"[" * 100_000),
    "events": Raw(b'data: {"choices": []}\n\ndata: [DONE]\n\n', 200, "text/event-stream"),
    "packed": Raw(b"\x1f\x8b\x08\x00" * 9, headers={"content-encoding": "gzip"}),
    "10 MB reply": Say("x" * 10_000_000),
    "endless reply": Raw(b" " * 65_536, endless=True),
    "endless error": Raw(b"x" * 65_536, 500, "text/plain", endless=True),
    "redirect loop": Raw(b"", 307, headers={"location": "/v1/chat/completions"}),
    "no choices": Raw(b'{"choices": [], "content": []}'),
    "null content": Say(None),
    "tool call": Say(None, "tool"),
    "refusal": Say("I cannot help with that.", "refusal"),
    "length": Say("A summary that", "length"),
}
"""Everything that goes wrong, by name."""
