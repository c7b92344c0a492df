"""Logs of provider requests: chat completions, Responses, Anthropic, Gemini; with or without responses.

A request holds the whole session up to it, so each is a draft, and the longest of those that continue
one another is kept afterwards. Known are batch lines, pairs of a request and its response under many
names, plain bodies, and bare lists of messages.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elision.compaction.errors import NotJson, UnknownFormat
from elision.compaction.formats.detect import detect
from elision.compaction.raw_json import parse
from elision.training.transcripts.drafts import (
    Draft,
    Importer,
    Json,
    Notes,
    Source,
    list_,
    object_,
    say,
    string,
    text_of,
)
from elision.training.transcripts.providers import chat_messages, chat_tools

_REQUESTS = ("body", "params", "request", "request_body", "requestBody", "req", "kwargs", "payload", "data", "input")
_RESPONSES = ("response", "response_body", "responseBody", "resp", "completion", "output", "result")
_LISTS = ("messages", "contents", "input")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trace_id", "custom_id", "id")
_TASKS = ("task", "project", "task_id", "instance_id")
_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")
_STREAMS = ("data:", "event:", ":")
_LOOKED_AT = 50
_DEEP = 3  # wrappers around a body


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request, what it was answered, and the objects around it, the outermost first.

    ``text`` is an answer that was written down as a string and not as the wire has it.
    """

    line: int
    body: Json
    response: Json
    text: str
    around: tuple[Json, ...]

    def told(self, keys: tuple[str, ...]) -> str:
        """The first of these members that is a text, wherever it stands."""
        places = [*self.around, self.body]
        places += [object_(place.get("metadata")) for place in places]
        return next((place[key] for key in keys for place in places if string(place.get(key))), "")


def matches(source: Source) -> bool:
    """Whether a file holds requests, or lists of messages."""
    for record in source.records[:_LOOKED_AT]:
        values = record.value if isinstance(record.value, list) and not _is_list(record.value) else [record.value]
        if any(_exchange(value, record.line) or _answers(value) for value in values[:_LOOKED_AT]):
            return True
    return False


def read(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft a request."""
    for record in source.records:
        several = isinstance(record.value, list) and not _is_list(record.value)
        for value in record.value if several else [record.value]:
            exchange = _exchange(value, record.line)
            if exchange is None:
                notes.skip("response without a request" if _answers(value) else "line without messages", record.line)
                continue
            draft = _draft(exchange, source, notes)
            if draft is not None:
                yield draft


IMPORTER = Importer("requests", matches, read)


def _exchange(value: Any, line: int) -> _Exchange | None:
    if _is_list(value):
        return _Exchange(line, {"messages": value}, {}, "", ())
    around: list[Json] = []
    response: Json = {}
    text = ""
    body = _object(value)
    for _ in range(_DEEP):
        response = response or next((found for key in _RESPONSES if (found := _object(body.get(key)))), {})
        text = text or next((body[key] for key in _RESPONSES if string(body.get(key))), "")
        if _holds_messages(body):
            return _Exchange(line, _as_chat(body), response, text, tuple(around))
        inner = next((found for key in _REQUESTS if (found := _object(body.get(key)))), None)
        if inner is None:
            return None
        around.append(body)
        body = inner
    return None


def _as_chat(body: Json) -> Json:
    """The body with its messages where chat has them, if they are chat's under another name."""
    listed = [object_(message) for message in list_(body.get("input"))]
    if any(message.get("role") == "tool" or message.get("tool_calls") for message in listed):
        return {**{key: value for key, value in body.items() if key != "input"}, "messages": listed}
    return body


def _object(value: Any) -> Json:
    """An object, also one that is written as a string."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return object_(value)


def _is_list(value: Any) -> bool:
    """Whether a value is a bare list of messages."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) and "role" in v for v in value)


def _holds_messages(body: Json) -> bool:
    listed = next((body[key] for key in _LISTS if body.get(key)), None)
    if isinstance(listed, str):
        return bool(body.get("model")) and listed is body.get("input")
    return bool(list_(listed)) and all(isinstance(message, dict) for message in list_(listed))


def _answers(value: Any) -> bool:
    value = object_(value)
    return "custom_id" in value and bool(_message_of(object_(value.get("response") or value.get("result"))))


def _draft(exchange: _Exchange, source: Source, notes: Notes) -> Draft | None:
    body, line = exchange.body, exchange.line
    try:
        format = detect(parse(json.dumps({k: v for k, v in body.items() if k != "input" or v}, ensure_ascii=False)))
    except (UnknownFormat, NotJson, RecursionError):
        notes.skip("line without messages", line)
        return None
    listed = next(body[key] for key in _LISTS if body.get(key))
    values = [{"role": "user", "content": listed}] if isinstance(listed, str) else listed
    messages = chat_messages([*values, *_message_of(exchange.response)], format, notes, line)
    if exchange.text.startswith(_STREAMS):
        notes.skip("streamed response", line)
    elif exchange.text and not exchange.response:
        messages.append(say("assistant", exchange.text))
    told = "\n".join(filter(None, (_system(body.get(key)) for key in _SYSTEM)))
    if told:
        messages.insert(0, say("system", told))
    if exchange.response and not _message_of(exchange.response):
        notes.skip("response without a message", line)
    begin = next((message["content"] or "" for message in messages if message["role"] == "user"), "")
    digest = hashlib.sha256(begin.encode("utf-8", "replace")).hexdigest()[:8]
    name = exchange.told(_SESSIONS) or f"{source.stem}-{line}"
    task = exchange.told(_TASKS) or f"{source.stem}-{digest}"
    return Draft(name, task, messages, chat_tools(body.get("tools"), notes, line))


def _system(value: Any) -> str:
    return text_of(value.get("parts")) if isinstance(value, dict) else text_of(value)


def _message_of(response: Json) -> list[Any]:
    """What the model answered, as the wire it came by has it; nothing if it is an error or a stream."""
    for _ in range(_DEEP):
        if choices := list_(response.get("choices")):
            return [found] if (found := object_(choices[0]).get("message")) else []
        if candidates := list_(response.get("candidates")):
            return [found] if (found := object_(candidates[0]).get("content")) else []
        if response.get("role") == "assistant" and response.get("content") is not None:
            return [{"role": "assistant", **{k: response[k] for k in ("content", "tool_calls") if k in response}}]
        if isinstance(response.get("output"), list):
            return list_(response["output"])
        response = next((found for key in ("body", "message", "response") if (found := _object(response.get(key)))), {})
    return []
