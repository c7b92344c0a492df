"""OpenTelemetry exports of GenAI calls: OTLP JSON, or spans and log records as JSON objects.

Every span of a chat holds its whole input, so each is a draft; the longest of those that continue one
another is kept afterwards. Spans without messages are about tools and tokens, and are passed over.
"""

import json
from collections.abc import Iterator
from typing import Any

from elision.training.transcripts.drafts import (
    Draft,
    Importer,
    Json,
    Notes,
    Source,
    answer,
    call,
    list_,
    object_,
    say,
    string,
    text_of,
)
from elision.training.transcripts.providers import chat_tools, numbered

_INPUT, _OUTPUT, _SYSTEM = "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"
_TOOLS, _CONVERSATION = "gen_ai.tool.definitions", "gen_ai.conversation.id"
_GROUPS = (("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"))
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "model": "assistant"}
_THOUGHTS = frozenset({"reasoning", "thinking"})
_LOOKED_AT = 50


def matches(source: Source) -> bool:
    """Whether a file holds telemetry with GenAI attributes, or is an OTLP export."""
    for _, value in list(source.objects())[:_LOOKED_AT]:
        if any(_get(value, group[0]) for group in _GROUPS):
            return True
        if any(key.startswith("gen_ai.") for key in _attributes(value)):
            return True
    return False


def read(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft a span with messages."""
    for line, value in source.objects():
        for span in _spans(value):
            attributes = _attributes(span)
            messages = _messages(attributes, notes, line)
            if not messages:
                notes.skip(f"span {attributes.get('gen_ai.operation.name', 'without messages')}", line)
                continue
            context = object_(span.get("context"))
            trace = string(_get(span, "traceId")) or string(_get(context, "traceId")) or f"{source.stem}-{line}"
            task = string(attributes.get(_CONVERSATION)) or trace
            tools = chat_tools(_opened(attributes.get(_TOOLS)), notes, line)
            yield Draft(f"{task}-{string(_get(span, 'spanId')) or string(_get(context, 'spanId')) or line}", task, messages, tools)


IMPORTER = Importer("otel", matches, read)


def _get(value: Json, key: str) -> Any:
    """A member in camelCase, or in snake_case as some exporters write it."""
    snake = "".join(f"_{char.lower()}" if char.isupper() else char for char in key)
    return value.get(key, value.get(snake))


def _spans(value: Json) -> Iterator[Json]:
    for outer, middle, inner in _GROUPS:
        for group in list_(_get(value, outer)):
            scopes = list_(_get(object_(group), middle))
            yield from (object_(span) for scope in scopes for span in list_(_get(object_(scope), inner)))
    if not any(_get(value, group[0]) for group in _GROUPS):
        yield value


def _attributes(span: Json) -> Json:
    """All attributes of a span and of its events, as plain values."""
    found: Json = {}
    for holder in (*map(object_, list_(span.get("events"))), span):
        told = holder.get("attributes")
        if isinstance(told, dict):
            found |= told
        for pair in map(object_, list_(told)):
            found[string(pair.get("key"))] = _plain(pair.get("value"))
    flat = {key: value for key, value in span.items() if key.startswith("gen_ai.")}
    body = object_(_plain(span.get("body")))
    return {**found, **{key: value for key, value in body.items() if key.startswith("gen_ai.")}, **flat}


def _plain(value: Any) -> Any:
    """An OTLP value without the name of its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, held = next(iter(value.items()))
    if kind in ("arrayValue", "array_value"):
        return [_plain(element) for element in list_(object_(held).get("values"))]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = map(object_, list_(object_(held).get("values")))
        return {string(pair.get("key")): _plain(pair.get("value")) for pair in pairs}
    return held if kind.endswith(("Value", "_value")) else value


def _opened(value: Any) -> Any:
    """Structured values are often written as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _messages(attributes: Json, notes: Notes, line: int) -> list[Json]:
    told = _opened(attributes.get(_SYSTEM))
    system = told if isinstance(told, str) else text_of(told)
    answers = list_(_opened(attributes.get(_OUTPUT)))
    found = [say("system", system)] if system else []
    for message in [*list_(_opened(attributes.get(_INPUT))), *answers[:1]]:
        found += _said(object_(message), notes, line)
    if len(answers) > 1:
        notes.skip("further choice", line)
    return list(numbered(found)) if len(found) > bool(system) else []


def _said(message: Json, notes: Notes, line: int) -> Iterator[Json]:
    texts, calls, results = [], [], []
    for part in map(object_, list_(message.get("parts")) or [{"type": "text", "content": text_of(message.get("content"))}]):
        kind = string(part.get("type"))
        if kind == "text":
            texts.append(text_of(part.get("content")))
        elif kind == "tool_call":
            arguments = part.get("arguments")
            spelled = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
            calls.append(call(string(part.get("id")), string(part.get("name")) or "unknown", spelled))
        elif kind == "tool_call_response":
            told = part.get("response", part.get("result"))
            text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
            results.append(answer(string(part.get("id")), text))
        elif kind in ("blob", "uri", "file"):
            texts.append(f"[{string(part.get('modality')) or 'file'}]")
        else:
            notes.skip(kind if kind in _THOUGHTS else f"part {kind}", line)
    yield from results
    role = "assistant" if calls else _ROLES.get(string(message.get("role")))
    if role and (texts or calls):
        yield say(role, "\n".join(filter(None, texts)) or None, *calls)
