"""Messages, items and contents of the provider formats as chat messages.

The readers of the compaction room know every block of every wire; here their blocks become text, calls
and results. Each message is read by itself and remembered, as logs send the same ones again and again.
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from elision.compaction.conversation import Block, Format, Message, Part, Role
from elision.compaction.errors import BadConversation
from elision.compaction.formats.read import read
from elision.training.transcripts.drafts import Json, Notes, answer, call, object_, say, string

_PLACES = {Part.IMAGE: "[image]", Part.DOCUMENT: "[document]", Part.AUDIO: "[audio]", Part.FILE: "[file]"}
_ROLES = {Role.SYSTEM: "system", Role.DEVELOPER: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}
_RAW_INPUT = frozenset({"custom", "custom_tool_call"})  # their input is any text, not JSON
_REMEMBERED = 2048


def chat_messages(values: Iterable[Any], format: Format, notes: Notes, line: int = 0) -> list[Json]:
    """The messages of one session, in order.

    Thinking, and what the provider ran itself, is left out and noted. Where the wire parts one answer
    into items, a call is put to what the model said before it. Calls and results without ids are paired
    by name.

    Args:
        values: Messages, items or contents as the wire has them.
        format: Which wire.
        notes: Where to note what is left out.
        line: Where the values were read.
    """
    found: list[Json] = []
    for value in values:
        pieces, left_out = _read(json.dumps(value, ensure_ascii=False), format)
        for what in left_out:
            notes.skip(what, line)
        for piece in pieces:
            _append(found, piece, format)
    return list(numbered(found))


def chat_tools(tools: Any, notes: Notes, line: int = 0) -> tuple[Json, ...]:
    """The functions among tool definitions of any wire; others are noted."""
    found = []
    for tool in tools if isinstance(tools, list) else []:
        for told in _definitions(object_(tool)):
            name = string(told.get("name"))
            schema = _schema(told)
            if not name or schema is None:
                notes.skip("tool that is no function", line)
                continue
            function = {"name": name, "description": string(told.get("description")), "parameters": schema}
            found.append({"type": "function", "function": function})
    return tuple(found)


def _definitions(tool: Json) -> list[Json]:
    listed = tool.get("functionDeclarations") or tool.get("function_declarations")
    if isinstance(listed, list):
        return [object_(told) for told in listed]
    return [object_(tool["function"]) if isinstance(tool.get("function"), dict) else tool]


def _schema(told: Json) -> Json | None:
    keys = ("parameters", "input_schema", "parametersJsonSchema", "inputSchema")
    schema = next((told[key] for key in keys if isinstance(told.get(key), dict)), None)
    if schema is None and told.get("type", "function") == "function":
        return {"type": "object", "properties": {}}
    return schema


@lru_cache(_REMEMBERED)
def _read(raw: str, format: Format) -> tuple[tuple[Json, ...], tuple[str, ...]]:
    """The chat messages of one value, and what was left out of it."""
    try:
        conversation = read(f"[{raw}]", format)
    except BadConversation:
        return (), ("message that breaks its format",)
    found: list[Json] = []
    left_out: list[str] = []
    for message in conversation.messages:
        found += _messages(message, conversation.raw, left_out)
    return tuple(found), tuple(left_out)


def _messages(message: Message, raw: str, left_out: list[str]) -> Iterator[Json]:
    texts: list[str] = []
    calls: list[Json] = []
    for block in message.blocks:
        match block.part:
            case Part.TEXT:
                texts += [leaf.text for leaf in block.leaves]
            case Part.CALL:
                calls.append(call(block.call_id, block.name or "unknown", _arguments(block, raw)))
            case Part.RESULT:
                result = answer(block.call_id, _result(block))
                yield {**result, "name": block.name} if block.name else result
            case Part.IMAGE | Part.DOCUMENT | Part.AUDIO | Part.FILE | Part.COMPACTION:
                texts += [leaf.text for leaf in block.leaves] or [_PLACES.get(block.part, "[compaction]")]
            case _:
                left_out.append(block.type or str(block.part))
    role = "assistant" if calls else _ROLES.get(message.role)
    if role and (texts or calls):
        yield say(role, "\n".join(texts) if texts else None, *calls)
    elif texts:
        left_out.append(f"message of {message.wire_role or 'nobody'}")


def _arguments(block: Block, raw: str) -> str:
    text = block.leaves[0].text if block.leaves else block.arguments.of(raw)
    if block.type in _RAW_INPUT:
        return json.dumps({"input": text}, ensure_ascii=False)
    return text or "{}"


def _result(block: Block) -> str:
    places = [_PLACES.get(part, "") for part in block.media]
    return "\n".join([*(leaf.text for leaf in block.leaves), *filter(None, places)])


def _append(found: list[Json], piece: Json, format: Format) -> None:
    before = found[-1] if found else {}
    alone = format is not Format.OPENAI_CHAT and piece.get("tool_calls") and piece["content"] is None
    if alone and before.get("role") == "assistant":
        calls = [*before.get("tool_calls", ()), *piece["tool_calls"]]
        found[-1] = {**before, "tool_calls": calls}
    else:
        found.append(piece)


def numbered(messages: Iterable[Json]) -> Iterator[Json]:
    """With an id for every call that has none, and the same for the next result of that name."""
    waiting: list[tuple[str, str]] = []
    number = 0
    for message in messages:
        if message["role"] == "tool" and not message["tool_call_id"]:
            at = next((i for i, (name, _) in enumerate(waiting) if name == message.get("name")), 0)
            key = waiting.pop(at)[1] if waiting else ""
            yield {**message, "tool_call_id": key}
            continue
        calls = []
        for made in message.get("tool_calls", ()):
            if not made["id"]:
                number += 1
                made = {**made, "id": f"call_{number}"}
                waiting.append((made["function"]["name"], made["id"]))
            calls.append(made)
        yield {**message, "tool_calls": calls} if calls else message
