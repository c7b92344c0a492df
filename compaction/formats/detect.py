"""Tell a body's wire format from its shape.

Bodies of different formats can look the same, so what can stand in only one format is looked for first:

1. ``contents``, or messages with ``parts``: Gemini.
2. ``messages``, or a list: Chat, if a message has calls beside its content or a role that only Chat has
   (Mistral, too, has thinking blocks); else Anthropic, if a block, a tool or the body around them is as
   only Anthropic has it; else Chat.
3. ``input`` or what goes with it, or a list with typed items or parts: Responses.

A list is asked for Responses before it is asked for Anthropic: a compaction item is spelled alike in both.
"""

from collections.abc import Iterator

from elision.compaction.conversation import Format, Part
from elision.compaction.errors import UnknownFormat
from elision.compaction.formats import anthropic, openai_chat, openai_responses
from elision.compaction.raw_json import Node

_RESPONSES_MEMBERS = ("input", "instructions", "previous_response_id", "conversation", "prompt")
_RESPONSES_TYPES = {"message", *openai_responses.ITEMS, *openai_responses.PARTS} - openai_chat.PARTS.keys()
_CHAT_ROLES = frozenset({"tool", "function", "developer"})
_CHAT_MEMBERS = ("tool_calls", "function_call")
_ANTHROPIC_MEMBERS = ("system", "stop_sequences", "anthropic_version")


def detect(body: Node) -> Format:
    """The wire format of a request body, or of a bare list of messages, items or contents.

    Raises:
        UnknownFormat: If it is in none.
    """
    if isinstance(body.value, tuple):
        return _of_list(body)
    if body.get("contents"):
        return Format.GEMINI
    if messages := body.get("messages"):
        return _of_messages(messages, body)
    if any(body.get(key) for key in _RESPONSES_MEMBERS):
        return Format.OPENAI_RESPONSES
    raise UnknownFormat(
        "the body has none of messages, input and contents"
    )


def _of_list(listed: Node) -> Format:
    if any(message.get("parts") for message in listed.elements):
        return Format.GEMINI
    if not _RESPONSES_TYPES.isdisjoint(_types(listed)):
        return Format.OPENAI_RESPONSES
    if not listed.elements or any(message.get("role") for message in listed.elements):
        return _of_messages(listed, listed)
    raise UnknownFormat("the list holds no messages: none of its elements has a role, parts or a known type")


def _of_messages(messages: Node, body: Node) -> Format:
    if any(_only_chat(message) for message in messages.elements):
        return Format.OPENAI_CHAT
    if any(body.get(key) for key in _ANTHROPIC_MEMBERS) or _schemas_beside_names(body):
        return Format.ANTHROPIC
    parts = {anthropic.part_of(kind) for kind in _types(messages)}
    return Format.OPENAI_CHAT if parts <= {Part.TEXT, Part.OTHER} else Format.ANTHROPIC


def _only_chat(message: Node) -> bool:
    return message.text("role") in _CHAT_ROLES or any(message.get(key) for key in _CHAT_MEMBERS)


def _schemas_beside_names(body: Node) -> bool:
    tools = body.get("tools")
    return tools is not None and any(tool.get("input_schema") for tool in tools.elements)


def _types(messages: Node) -> Iterator[str]:
    """The types of the messages themselves and of the parts of their contents."""
    for message in messages.elements:
        yield message.text("type")
        content = message.get("content")
        yield from (part.text("type") for part in (content.elements if content else ()))
