"""OpenAI Chat Completions, and what its many clones add to it.

One message holds the model's words and its calls; each result is a message of its own.
"""

from dataclasses import replace

from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role, Tool
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import bearing, block, content_blocks, holding, message, message_list
from elision.compaction.formats.tools import tool

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,  # before tool_calls there was one function, paired by its name
}
PARTS = {
    "text": Part.TEXT,
    "refusal": Part.TEXT,
    "image_url": Part.IMAGE,
    "input_audio": Part.AUDIO,
    "file": Part.FILE,
    "thinking": Part.THINKING,  # Mistral
}


def read_chat(raw: str, body: At) -> Conversation:
    """Read a request body, or its bare list of messages."""
    listed = message_list(body, "messages")
    return Conversation(
        Format.OPENAI_CHAT,
        raw,
        messages=tuple(_message(at.object()) for at in listed.elements()),
        tools=(*map(_tool, body.objects("tools")), *map(tool, body.objects("functions"))),
        model=body.text("model"),
        list_span=listed.span,
    )


def _message(at: At) -> Message:
    role = _ROLES.get(at.text("role"), Role.OTHER)
    return message(at, role, (_result(at),) if role is Role.TOOL else _said(at))


def _result(at: At) -> Block:
    content = at.get("content")
    result = block(content or at, Part.RESULT, at.text("role"))
    result = replace(result, call_id=at.text("tool_call_id"), name=at.text("name"))
    return holding(result, content_blocks(content, _part))


def _said(at: At) -> tuple[Block, ...]:
    calls = [_call(call) for call in at.objects("tool_calls")]
    if one := at.get("function_call"):
        calls.append(_function(one, one.object(), "function_call"))
    return (
        *_extra(at, Part.THINKING, "reasoning_content", "reasoning"),  # DeepSeek, Qwen; OpenRouter
        *content_blocks(at.get("content"), _part),
        *_extra(at, Part.TEXT, "refusal"),
        *_extra(at, Part.AUDIO, "audio"),
        *calls,
    )


def _extra(at: At, part: Part, *keys: str) -> tuple[Block, ...]:
    """The block of a member of the message that is no part of its content."""
    found = at.get(*keys)
    return (block(found, part, keys[0], found.leaves()),) if found else ()


def _call(at: At) -> Block:
    return _function(at, at.get("function", "custom") or at, at.text("type") or "function")


def _function(at: At, told: At, kind: str) -> Block:
    call = block(at, Part.CALL, kind, told.leaves("arguments", "input"))
    arguments = told.span_of("arguments", "input")
    return replace(call, call_id=at.text("id"), name=told.text("name"), arguments=arguments)


def _part(at: At) -> Block:
    kind = at.text("type")
    part = PARTS.get(kind, Part.OTHER)
    leaves = at.leaves(kind) if part in (Part.TEXT, Part.THINKING) else ()
    return block(at, part, kind, leaves, signed=bearing(at, "signature"))


def _tool(at: At) -> Tool:
    return tool(at, at.get("function", "custom"))
