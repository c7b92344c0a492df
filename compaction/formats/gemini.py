"""Gemini ``generateContent``: contents of parts, each known by the member it has.

The wire is camelCase; snake_case is accepted too, as the provider does.
"""

from dataclasses import replace

from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role, Tool
from elision.compaction.formats.at import At
from elision.compaction.formats.blocks import bearing, block, content_blocks, holding, message, message_list
from elision.compaction.formats.tools import tool
from elision.compaction.raw_json import strings

_ROLES = {
    "": Role.USER,  # a single turn needs none
    "user": Role.USER,
    "model": Role.ASSISTANT,
    "function": Role.TOOL,
    "tool": Role.TOOL,
    "system": Role.SYSTEM,
}
PARTS = {
    "text": Part.TEXT,
    "functionCall": Part.CALL,
    "function_call": Part.CALL,
    "functionResponse": Part.RESULT,
    "function_response": Part.RESULT,
    "inlineData": Part.FILE,  # or what its media type says
    "inline_data": Part.FILE,
    "fileData": Part.FILE,
    "file_data": Part.FILE,
    "executableCode": Part.SERVER_CALL,
    "executable_code": Part.SERVER_CALL,
    "codeExecutionResult": Part.SERVER_RESULT,
    "code_execution_result": Part.SERVER_RESULT,
    "toolCall": Part.SERVER_CALL,
    "tool_call": Part.SERVER_CALL,
    "toolResponse": Part.SERVER_RESULT,
    "tool_response": Part.SERVER_RESULT,
}
_MEDIA = {"image": Part.IMAGE, "audio": Part.AUDIO, "text": Part.DOCUMENT, "application": Part.DOCUMENT}


def read_gemini(raw: str, body: At) -> Conversation:
    """Read a request body, or its bare list of contents."""
    listed = message_list(body, "contents")
    return Conversation(
        Format.GEMINI,
        raw,
        messages=tuple(_message(at.object()) for at in listed.elements()),
        system=_system(body.get("systemInstruction", "system_instruction")),
        tools=tuple(found for at in body.objects("tools") for found in _tools(at)),
        model=body.text("model"),
        list_span=listed.span,
    )


def _message(at: At) -> Message:
    blocks = _parts(at)
    answers = {one.part for one in blocks} == {Part.RESULT}
    role = Role.TOOL if answers else _ROLES.get(at.text("role"), Role.OTHER)
    return message(at, role, blocks)


def _system(at: At | None) -> tuple[Block, ...]:
    return _parts(at) if at and at.is_object else content_blocks(at, _part)


def _parts(at: At) -> tuple[Block, ...]:
    return tuple(map(_part, at.objects("parts")))


def _part(at: At) -> Block:
    kind = next((key for key in PARTS if at.get(key)), "")
    held = at.get(kind) or at
    signed = bearing(at, "thoughtSignature", "thought_signature")
    found = block(at, _part_of(at, held, kind), kind, held.leaves(), signed)
    arguments = held.span_of("args") if found.part is Part.CALL else found.arguments
    found = replace(found, call_id=held.text("id"), name=held.text("name"), arguments=arguments)
    return _result(held, found) if found.part is Part.RESULT else found


def _part_of(at: At, held: At, kind: str) -> Part:
    if at.true("thought"):
        return Part.THINKING
    part = PARTS.get(kind, Part.OTHER)
    media_type = held.text("mimeType", "mime_type").partition("/")[0]
    return _MEDIA.get(media_type, part) if part is Part.FILE else part


def _result(held: At, result: Block) -> Block:
    """A result with the strings of its response, which is an object of whatever shape the tool has."""
    response = held.get("response")
    found = strings(response.node, response.path) if response else ()
    leaves = tuple(leaf for path, node in found for leaf in At(node, path).leaves())
    failed = response is not None and response.get("error") is not None
    return replace(holding(result, _parts(held)), leaves=leaves, is_error=failed)


def _tools(at: At) -> list[Tool]:
    """The functions of an entry; a tool of the provider's is named by its member."""
    functions = at.objects("functionDeclarations", "function_declarations")
    return [tool(function) for function in functions] or [
        Tool(str(key), at.path, at.span, ()) for key, _ in at.node.children
    ]
