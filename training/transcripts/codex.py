"""Codex rollouts: JSON lines of Responses items in an envelope, in old ones bare.

Events repeat what the items say, for display, and are passed over. A compaction replaces the history:
what comes after it is a session of its own that begins with what replaced it.
"""

import json
from collections.abc import Iterator
from typing import Any

from elision.compaction.conversation import Format
from elision.training.transcripts.drafts import (
    Draft,
    Importer,
    Json,
    Notes,
    Source,
    list_,
    object_,
    project_of,
    say,
    string,
    text_of,
)
from elision.training.transcripts.providers import chat_messages

_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_BARE = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
        "custom_tool_call_output", "local_shell_call", "local_shell_call_output", "web_search_call",
    }
)  # fmt: skip
_LOOKED_AT = 50
_WRAPPER = {"output", "metadata"}  # what shell outputs of old rollouts are wrapped in, as JSON text


def matches(source: Source) -> bool:
    """Whether a file is a rollout of Codex."""
    values = [value for _, value in list(source.objects())[:_LOOKED_AT]]
    if any(string(value.get("type")) in _ENVELOPES and "payload" in value for value in values):
        return True
    if len(values) == 1:
        return "session" in values[0] and isinstance(values[0].get("items"), list)
    begun = bool(values) and "id" in values[0] and "timestamp" in values[0] and "type" not in values[0]
    kinds = {string(value.get("type")) for value in values}
    return bool(kinds & (_BARE if begun else _BARE - {"message"}))


def read(source: Source, notes: Notes) -> Iterator[Draft]:
    """One draft for the session, and one for what came after each compaction."""
    meta: Json = {}
    parts: list[tuple[int, list[Any]]] = [(1, [])]
    for line, value in _items(source):
        kind, payload = string(value.get("type")), object_(value.get("payload"))
        if kind == "session_meta" or (not kind and "id" in value):
            meta = meta or payload or value
        elif kind == "response_item":
            parts[-1][1].append(_item(payload))
        elif kind in _BARE:
            parts[-1][1].append(_item(value))
        elif kind == "compacted":
            parts.append((line, list(_replacement(payload))))
        else:
            notes.skip(_kind(kind, payload), line)
            meta = meta or ({"cwd": payload["cwd"]} if kind == "turn_context" and "cwd" in payload else {})
    yield from _drafts(source, meta, parts, notes)


IMPORTER = Importer("codex", matches, read)


def _drafts(source: Source, meta: Json, parts: list[tuple[int, list[Any]]], notes: Notes) -> Iterator[Draft]:
    name = string(meta.get("id")) or source.stem
    cwd = string(meta.get("cwd"))
    task = project_of(cwd) if cwd else source.stem
    told = text_of(object_(meta.get("base_instructions")).get("text")) or string(meta.get("instructions"))
    for number, (line, items) in enumerate(parts, 1):
        messages = chat_messages(items, Format.OPENAI_RESPONSES, notes, line)
        if told and messages:
            messages.insert(0, say("system", told))
        if messages:
            yield Draft(name if number == 1 else f"{name}#{number}", task, messages, kind="coding-agent")


def _items(source: Source) -> Iterator[tuple[int, Json]]:
    for line, value in source.objects():
        if isinstance(value.get("items"), list) and "session" in value:  # the oldest: one document
            yield line, object_(value["session"])
            yield from ((line, object_(item)) for item in value["items"])
        else:
            yield line, value


def _item(item: Json) -> Json:
    """The item as the API has it; rollouts keep some outputs as objects of their own."""
    kind = string(item.get("type"))
    if kind == "local_shell_call_output":
        item = {**item, "type": "function_call_output", "call_id": item.get("call_id") or item.get("id")}
    output = item.get("output")
    if not string(item.get("type")).endswith("_output"):
        return item
    if isinstance(output, dict):
        told = output.get("content_items") or output.get("content") or output.get("output") or ""
        output = told if isinstance(told, str | list) else text_of(told)
    return {**item, "output": _unwrapped(output) if isinstance(output, str) else output}


def _unwrapped(output: str) -> str:
    """What a command printed, if the text is JSON that holds nothing but that and metadata."""
    try:
        value = object_(json.loads(output)) if output.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return output
    return value["output"] if value.keys() == _WRAPPER and isinstance(value["output"], str) else output


def _replacement(payload: Json) -> list[Any]:
    history = list_(payload.get("replacement_history"))
    message = string(payload.get("message")) or string(payload.get("summary"))
    if history or not message:
        return [_item(object_(item)) for item in history]
    return [{"type": "message", "role": "user", "content": message}]


def _kind(kind: str, payload: Json) -> str:
    sub = string(payload.get("type"))
    return f"{kind or 'line without a type'}/{sub}" if sub else kind or "line without a type"
