"""Anthropic Messages: every message a list of blocks; results stand in the user's."""

from dataclasses import replace

from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import bearing, block, content_blocks, holding, message, message_list
from elision.compaction.formats.tools import tool

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
PARTS = {
    "text": Part.TEXT,
    "image": Part.IMAGE,
    "document": Part.DOCUMENT,
    "search_result": Part.DOCUMENT,
    "thinking": Part.THINKING,
    "redacted_thinking": Part.THINKING,
    "tool_use": Part.CALL,
    "tool_result": Part.RESULT,
    "tool_reference": Part.REFERENCE,
    "server_tool_use": Part.SERVER_CALL,
    "mcp_tool_use": Part.SERVER_CALL,
    "container_upload": Part.FILE,
    "compaction": Part.COMPACTION,
}
_TEXTS = {"text": "text", "thinking": "thinking", "compaction": "content"}


def part_of(kind: str) -> Part:
    """What a block of this type is; the results of the provider's own tools are known by their ending."""
    return PARTS.get(kind, Part.SERVER_RESULT if kind.endswith("_tool_result") else Part.OTHER)


def read_anthropic(raw: str, body: At) -> Conversation:
    """Read a request body, or its bare list of messages."""
    listed = message_list(body, "messages")
    return Conversation(
        Format.ANTHROPIC,
        raw,
        messages=tuple(_message(at.object()) for at in listed.elements()),
        system=content_blocks(body.get("system"), _block),
        tools=tuple(map(tool, body.objects("tools"))),
        model=body.text("model"),
        list_span=listed.span,
    )


def _message(at: At) -> Message:
    if not at.text("role") and at.text("type"):  # a compaction block stands in the list as it came
        alone = _block(at)
        return message(at, Role.ASSISTANT if alone.part is Part.COMPACTION else Role.OTHER, (alone,))
    blocks = content_blocks(at.get("content"), _block)
    answers = {one.part for one in blocks} == {Part.RESULT}
    return message(at, Role.TOOL if answers else _ROLES.get(at.text("role"), Role.OTHER), blocks)


def _block(at: At) -> Block:
    kind = at.text("type")
    leaves = at.leaves(_TEXTS[kind]) if kind in _TEXTS else ()
    found = block(at, part_of(kind), kind, leaves, signed=_signed(at, kind))
    match found.part:
        case Part.CALL | Part.SERVER_CALL:
            return replace(found, call_id=at.text("id"), name=at.text("name"), arguments=at.span_of("input"))
        case Part.RESULT:
            return holding(_answering(at, found), content_blocks(at.get("content"), _block))
        case Part.SERVER_RESULT:
            return _answering(at, found)
        case Part.DOCUMENT:
            return _document(at, found)
    return found


def _answering(at: At, result: Block) -> Block:
    return replace(result, call_id=at.text("tool_use_id"), is_error=at.true("is_error"))


def _document(at: At, found: Block) -> Block:
    """With its texts: a search result's, or those of a source that is text and no file."""
    source = at.get("source")
    if found.type == "search_result" or source is None:
        return holding(found, content_blocks(at.get("content"), _block))
    if source.text("type") == "text":
        return replace(found, leaves=source.leaves("data"))
    return holding(found, content_blocks(source.get("content"), _block))


def _signed(at: At, kind: str) -> bool:
    if kind == "redacted_thinking" or bearing(at, "signature", "encrypted_content"):
        return True
    content = at.get("content")  # web search encrypts each of its finds
    finds = content.elements() if content and content.is_list else ()
    return any(bearing(find, "encrypted_content") for find in finds)
