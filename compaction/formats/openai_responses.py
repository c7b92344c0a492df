"""OpenAI Responses: ``input`` is a string or a list of items, each of its own type.

Calls and outputs are items, paired by ``call_id`` wherever they stand.
"""

from collections.abc import Iterator
from dataclasses import replace

from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role, Tool
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import bearing, block, content_blocks, holding, message, text_block
from elision.compaction.formats.tools import tool
from elision.model.types import Span

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
ITEMS = {
    "reasoning": Part.THINKING,
    "function_call": Part.CALL,
    "function_call_output": Part.RESULT,
    "custom_tool_call": Part.CALL,
    "custom_tool_call_output": Part.RESULT,
    "computer_call": Part.CALL,
    "computer_call_output": Part.RESULT,
    "local_shell_call": Part.CALL,
    "local_shell_call_output": Part.RESULT,
    "shell_call": Part.CALL,
    "shell_call_output": Part.RESULT,
    "apply_patch_call": Part.CALL,
    "apply_patch_call_output": Part.RESULT,
    "tool_search_call": Part.CALL,
    "tool_search_output": Part.RESULT,
    "mcp_approval_request": Part.CALL,  # ours to answer, though the provider will run the tool
    "mcp_approval_response": Part.RESULT,
    "program": Part.SERVER_CALL,
    "program_output": Part.SERVER_RESULT,
    "file_search_call": Part.SERVER_CALL,  # from here on the result stands in the call
    "web_search_call": Part.SERVER_CALL,
    "image_generation_call": Part.SERVER_CALL,
    "code_interpreter_call": Part.SERVER_CALL,
    "mcp_call": Part.SERVER_CALL,
    "mcp_list_tools": Part.SERVER_RESULT,
    "compaction": Part.COMPACTION,
    "item_reference": Part.REFERENCE,
    "additional_tools": Part.OTHER,
    "configuration_update": Part.OTHER,
    "compaction_trigger": Part.OTHER,
}
PARTS = {
    "text": Part.TEXT,
    "input_text": Part.TEXT,
    "output_text": Part.TEXT,
    "summary_text": Part.TEXT,
    "reasoning_text": Part.TEXT,
    "refusal": Part.TEXT,
    "input_image": Part.IMAGE,
    "computer_screenshot": Part.IMAGE,
    "input_file": Part.FILE,
    "input_audio": Part.AUDIO,
}
# All other items are the model's.
_SPEAKERS = {Part.RESULT: Role.TOOL, Part.REFERENCE: Role.OTHER, Part.OTHER: Role.OTHER}
_HOSTED = {Part.CALL: Part.SERVER_CALL, Part.RESULT: Part.SERVER_RESULT}


def read_responses(raw: str, body: At) -> Conversation:
    """Read a request body, or its bare list of items.

    A body without ``input`` goes on with a stored response, and has no messages here.
    """
    listed = body if body.is_list else body.object().get("input")
    return Conversation(
        Format.OPENAI_RESPONSES,
        raw,
        messages=_messages(listed) if listed else (),
        system=content_blocks(body.get("instructions"), _part),
        tools=tuple(found for at in body.objects("tools") for found in _tools(at)),
        model=body.text("model"),
        list_span=listed.span if listed else Span(0, 0),
    )


def _messages(listed: At) -> tuple[Message, ...]:
    if listed.is_string:
        return (Message(Role.USER, "", listed.path, listed.span, (text_block(listed),)),)
    return tuple(_item(at.object()) for at in listed.elements())


def _item(at: At) -> Message:
    kind = at.text("type")
    if kind == "message" or not kind and at.text("role"):
        return message(at, _ROLES.get(at.text("role"), Role.OTHER), content_blocks(at.get("content"), _part))
    if not kind and at.text("id"):  # the type of a reference may be left out
        kind = "item_reference"
    only = _block(at, kind)
    return message(at, _SPEAKERS.get(only.part, Role.ASSISTANT), (only,))


def _block(at: At, kind: str) -> Block:
    part = _part_of(at, kind)
    found = block(at, part, kind, signed=bearing(at, "encrypted_content"))
    match part:
        case Part.CALL | Part.SERVER_CALL:
            name = at.text("name") or kind.removesuffix("_call")
            leaves = at.leaves("arguments", "input") if part is Part.CALL else ()
            arguments = at.span_of("arguments", "input", "action")
            return replace(
                found, call_id=at.text("call_id", "id"), name=name, leaves=leaves, arguments=arguments
            )
        case Part.RESULT:
            return holding(_answering(at, found), _output(at.get("output")))
        case Part.SERVER_RESULT:
            return _answering(at, found)
        case Part.THINKING:
            thoughts = [content_blocks(at.get(key), _part) for key in ("summary", "content")]
            return holding(found, thoughts[0] + thoughts[1])
    return found


def _part_of(at: At, kind: str) -> Part:
    """What an item is; a tool search is the caller's if it has a call id, else the provider's."""
    part = ITEMS.get(kind, Part.OTHER)
    hosted = kind.startswith("tool_search") and not at.text("call_id")
    return _HOSTED[part] if hosted and part in _HOSTED else part


def _answering(at: At, result: Block) -> Block:
    call_id = at.text("call_id", "approval_request_id", "id")
    return replace(result, call_id=call_id, is_error=at.text("status") == "failed")


def _output(output: At | None) -> tuple[Block, ...]:
    """What a result holds; a computer's is one picture that stands in no list."""
    return (_part(output),) if output and output.is_object else content_blocks(output, _part)


def _part(at: At) -> Block:
    kind = at.text("type")
    if at.get("stdout", "stderr"):  # one command of a shell call
        return block(at, Part.TEXT, kind, at.leaves("stdout") + at.leaves("stderr"))
    part = PARTS.get(kind, Part.OTHER)
    leaves = at.leaves("refusal" if kind == "refusal" else "text") if part is Part.TEXT else ()
    return block(at, part, kind, leaves)


def _tools(at: At) -> Iterator[Tool]:
    """The definition, and of a namespace those in it."""
    yield tool(at)
    yield from map(tool, at.objects("tools"))
