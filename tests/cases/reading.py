"""How the cases read a body: messages, calls, results and texts of every format alike.

Written apart from the product's own formats, so that a mistake there is not made here again.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.cases.outcome import Body

Message = Mapping[str, Any]

_IMAGES = {"image", "image_url", "input_image"}
_RESULTS = {"tool_result", "function_call_output"}


@dataclass(frozen=True)
class Call:
    """A tool call: where it stands, and its arguments as text (an object is written as JSON)."""

    at: int
    id: str
    name: str
    arguments: str

    @property
    def value(self) -> Any:
        """The decoded arguments; None if they are not JSON."""
        try:
            return json.loads(self.arguments)
        except ValueError:
            return None


@dataclass(frozen=True)
class Result:
    """A tool result: where it stands, its text, and the block or message it is."""

    at: int
    id: str
    text: str
    raw: Message


def messages(body: Body) -> list[Message]:
    """The messages, or the items of a Responses body."""
    found = body.get("messages", body.get("input", []))
    return [{"role": "user", "content": found}] if isinstance(found, str) else list(found)


def role(message: Message) -> str:
    """The role; of an item without one, who it comes from."""
    if "role" in message:
        return "system" if message["role"] == "developer" else str(message["role"])
    return "tool" if message.get("type") in _RESULTS else "assistant"


def blocks(message: Message) -> list[Message]:
    """The content as blocks; a string is one text block."""
    content = message.get("content", message.get("output"))
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or [])


def calls(body: Body) -> list[Call]:
    return [call for at, message in enumerate(messages(body)) for call in calls_of(message, at)]


def calls_of(message: Message, at: int = 0) -> Iterator[Call]:
    """The tool calls a message makes."""
    for call in message.get("tool_calls") or []:
        yield Call(at, call["id"], call["function"]["name"], call["function"]["arguments"])
    if message.get("type") == "function_call":
        yield Call(at, message["call_id"], message["name"], message["arguments"])
    for block in blocks(message):
        if block.get("type") == "tool_use":
            yield Call(at, block["id"], block["name"], json.dumps(block["input"]))


def results(body: Body) -> list[Result]:
    return [result for at, message in enumerate(messages(body)) for result in results_of(message, at)]


def results_of(message: Message, at: int = 0) -> Iterator[Result]:
    """The tool results a message gives."""
    if message.get("role") == "tool" or message.get("type") in _RESULTS:
        identity = message.get("tool_call_id") or message.get("call_id") or ""
        yield Result(at, identity, "\n".join(plain(message)), message)
    for block in blocks(message):
        if block.get("type") in _RESULTS:
            yield Result(at, block.get("tool_use_id", ""), "\n".join(plain(block)), block)


def plain(node: Any) -> Iterator[str]:
    """Every text a reader of a message or block sees, call arguments aside."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for part in node:
            yield from plain(part)
    elif isinstance(node, Mapping):
        for key in ("text", "thinking", "filename", "summary", "content", "output"):
            yield from plain(node.get(key))


def texts(body: Body) -> list[str]:
    """Every text of the body that the model reads, call names and raw arguments included."""
    found = list(body.get("texts", [])) + list(plain(body.get("system")))
    for message in messages(body):
        found += plain(message)
        found += [text for call in calls_of(message) for text in (call.name, call.arguments)]
    return found


def searchable(body: Body) -> list[str]:
    """`texts`, and the strings inside call arguments as they are once decoded."""
    return texts(body) + [text for call in calls(body) for text in strings(call.value)]


def strings(node: Any) -> Iterator[str]:
    """Every string of a JSON value, keys aside."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for part in node:
            yield from strings(part)
    elif isinstance(node, Mapping):
        for part in node.values():
            yield from strings(part)


def objects(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every object of a JSON value, outer ones first."""
    if isinstance(node, Mapping):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from objects(part)


def images(node: Any) -> list[Mapping[str, Any]]:
    """The image blocks, wherever they stand."""
    return [part for part in objects(node) if part.get("type") in _IMAGES]


def thoughts(message: Message) -> list[Message]:
    """The thinking blocks of a message."""
    return [block for block in blocks(message) if block.get("type") in {"thinking", "redacted_thinking"}]
