"""Put a list of messages together again: slices of the body, and messages that are new.

What stays is never spelled anew, white space between two that stood together included.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from elision.compaction.conversation import Conversation, Format, Part, Role
from elision.compaction.cuts.turns import turns
from elision.compaction.raw_json import cut_out, parse, replaced

LEFT_OUT = "(left out)"
_SURROGATE = regex.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Kept:
    """A message that stays.

    Attributes:
        index: Its index.
        raw: How it is spelled now, empty where nothing of it changed.
    """

    index: int
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Inserted:
    """A message that was not there.

    Attributes:
        raw: Its JSON text.
        covers: Indexes of the messages that it stands for.
    """

    raw: str
    covers: tuple[int, ...] = ()


Piece = Kept | Inserted


def composed(conversation: Conversation, pieces: Sequence[Piece]) -> str:
    """The body with these for its messages."""
    return replaced(conversation.raw, [(conversation.list_span, _listed(conversation, pieces))])


def message_of(format: Format, role: Role, text: str) -> str:
    """A message of the user or the assistant as its wire spells it."""
    speaker = "user" if role is Role.USER else "assistant"
    match format:
        case Format.GEMINI:
            said: object = {"role": "user" if role is Role.USER else "model", "parts": [{"text": text}]}
        case Format.TEXT:
            return text
        case _:
            said = {"role": speaker, "content": text}
    return _spelled(said)


def text_part(format: Format, text: str, role: Role = Role.USER) -> str:
    """One text block as its wire spells it in a list of content."""
    kinds = {Role.USER: "input_text", Role.ASSISTANT: "output_text"}
    match format:
        case Format.GEMINI:
            part: object = {"text": text}
        case Format.OPENAI_RESPONSES:
            part = {"type": kinds.get(role, "input_text"), "text": text}
        case _:
            part = {"type": "text", "text": text}
    return _spelled(part)


def _spelled(value: object) -> str:
    """JSON that can be encoded: lone surrogates, which pins copy word for word, are escaped."""
    spelled = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", spelled)


def joined_content(format: Format, first: str, second: str) -> str:
    """The second of two messages of the user with the content of the first in front of its own, block by block.

    Args:
        first, second: As they are spelled. What has no content that can be joined goes.
    """
    node = parse(second)
    key = "parts" if format is Format.GEMINI else "content"
    content = node.get(key)
    if content is None:
        return first
    parts = [*_parts(format, first, key), *_parts(format, second, key)]
    return replaced(second, [(content.span, f"[{', '.join(parts)}]")])


def _parts(format: Format, raw: str, key: str) -> list[str]:
    """The blocks of a message's content as they are spelled; of one text a block that holds it."""
    content = parse(raw).get(key)
    if content is None:
        return []
    if isinstance(content.value, str):
        kind = "input_text" if format is Format.OPENAI_RESPONSES else "text"
        return [f'{{"type": "{kind}", "text": {content.span.of(raw)}}}']
    return [element.span.of(raw) for element in content.elements]


def unthinking(conversation: Conversation, indexes: Sequence[int], spelled: dict[int, str]) -> dict[int, str]:
    """Anthropic's messages without the signed thoughts that a change in front of them has voided.

    A loop that still runs keeps its thoughts: without them it is refused, so its caller has to allow for it
    (see `bound`). A message of thoughts alone says that they were left out.

    Args:
        indexes: The messages that stay and have a change in front of them.
        spelled: How messages are spelled now, by index, where not as they came.

    Returns:
        New spellings by index, of those that had thoughts to lose.
    """
    if conversation.format is not Format.ANTHROPIC:
        return {}
    held = running_loop(conversation)
    found = {}
    for index in indexes:
        message = conversation.messages[index]
        if index >= held or not any(block.part is Part.THINKING for block in message.blocks):
            continue
        raw = spelled.get(index) or message.span.of(conversation.raw)
        found[index] = _without_thoughts(raw)
    return found


def bound(conversation: Conversation, indexes: Sequence[int]) -> tuple[int, ...]:
    """Of these messages those in the running loop that hold signed thoughts, which `unthinking` leaves."""
    if conversation.format is not Format.ANTHROPIC:
        return ()
    held = running_loop(conversation)
    return tuple(
        index
        for index in indexes
        if index >= held
        and any(b.part is Part.THINKING and b.signed for b in conversation.messages[index].blocks)
    )


def running_loop(conversation: Conversation) -> int:
    """Where the assistant's unfinished work with tools begins; the number of messages if there is none."""
    total = len(conversation.messages)
    last = conversation.messages[-1] if total else None
    if last is None or not any(block.part in (Part.RESULT, Part.CALL) for block in last.blocks):
        return total
    spoken = [turn for turn in turns(conversation) if turn.role == "user" and not turn.holds(Part.RESULT)]
    return spoken[-1].stop if spoken else 0


def _without_thoughts(raw: str) -> str:
    content = parse(raw).get("content")
    elements = content.elements if content else ()
    thoughts = {
        at for at, one in enumerate(elements) if one.text("type") in ("thinking", "redacted_thinking")
    }
    if content is None or not thoughts:
        return raw
    if len(thoughts) == len(elements):
        return replaced(raw, [(content.span, f"[{text_part(Format.ANTHROPIC, LEFT_OUT)}]")])
    return replaced(raw, [(span, "") for _, span in cut_out(elements, thoughts)])


def _listed(conversation: Conversation, pieces: Sequence[Piece]) -> str:
    raw, messages, listed = conversation.raw, conversation.messages, conversation.list_span
    if not messages:
        return f"[{', '.join(piece.raw for piece in pieces)}]"
    opening = raw[listed.start : messages[0].span.start]
    closing = raw[messages[-1].span.stop : listed.stop]
    between = raw[messages[0].span.stop : messages[1].span.start] if len(messages) > 1 else ", "
    parts: list[str] = []
    before = -2
    for piece in pieces:
        index = piece.index if isinstance(piece, Kept) else -2
        if parts:
            together = index >= 0 and index == before + 1
            parts.append(
                raw[messages[before].span.stop : messages[index].span.start] if together else between
            )
        parts.append(piece.raw or messages[index].span.of(raw))
        before = index
    return opening + "".join(parts) + closing
