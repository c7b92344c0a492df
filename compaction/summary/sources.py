"""What the writer of a summary reads: messages told in words, each part with who said it.

A message becomes one source, or several where results stand in it beside words: what a tool said and what
a person said must not be told in one breath, since only the person's words may be taken for orders. The
first source of message 12 is ``m12``, the further ones ``m12b``, ``m12c``.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import regex

from elision.compaction.clean import clean
from elision.compaction.conversation import Block, Conversation, Message, Part, Role
from elision.compaction.errors import NotJson
from elision.compaction.guard.json_values import LONG, reads_like_text
from elision.compaction.raw_json import parse, strings
from elision.compaction.summary.clipping import clip_ends
from elision.compaction.summary.types import Source

_MEDIA = {Part.IMAGE: "image", Part.DOCUMENT: "document", Part.AUDIO: "audio", Part.FILE: "file"}
_CALLS = frozenset({Part.CALL, Part.SERVER_CALL})
_RESULTS = frozenset({Part.RESULT, Part.SERVER_RESULT})
_SILENT = frozenset({Part.THINKING, Part.REFERENCE, Part.OTHER})
_SPEAKERS = {
    Role.SYSTEM: "system",
    Role.DEVELOPER: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.OTHER: "system",
}
_WIRE_SPEAKERS = {"user": "user", "assistant": "assistant", "model": "assistant"}
# Members of what the provider ran that say nothing to a reader.
_OPAQUE = ("/encrypted_content", "/signature", "/type", "/id", "/encrypted_index")
_FAILED = "[failed]\n"
_DIRTY = regex.compile(r"[\p{Cc}\p{Cs}--[\t\n]]", regex.V1)


@dataclass(frozen=True, slots=True)
class _Told:
    """What one block says.

    Attributes:
        own: Whether it has a source of its own.
    """

    text: str
    trusted: bool
    own: bool
    tool: str = ""


def sources(
    conversation: Conversation, indexes: Iterable[int], clip_chars: int = 0, texts_only: bool = False
) -> list[Source]:
    """Tell the messages at these indexes in words; one that says nothing is left out.

    Thinking is left out, media are a line that says so, and a call is a line with its arguments. Words of
    users, system and assistant are trusted; what results and documents say never is.

    Args:
        indexes: Of the messages, in any order; none twice.
        clip_chars: Results and documents keep so many characters at most, from both ends; 0 leaves them.
        texts_only: Whether calls and results are left out.
    """
    found: list[Source] = []
    for index in sorted(set(indexes)):
        message = conversation.messages[index]
        told = (
            _told(block, conversation.raw, clip_chars)
            for block in message.blocks
            if _speaks(block, texts_only)
        )
        found += _sources(index, message, [one for one in told if one.text.strip()])
    return found


def _speaks(block: Block, texts_only: bool) -> bool:
    return block.part not in _SILENT and not (texts_only and block.part in _CALLS | _RESULTS)


def _sources(index: int, message: Message, told: Sequence[_Told]) -> Iterator[Source]:
    """Neighbours that are trusted alike make one source; every result is one of its own."""
    parts = [list(run) for _, run in groupby(enumerate(told), key=lambda one: one[0] if one[1].own else -1)]
    for number, part in enumerate(parts):
        first = part[0][1]
        text = "\n".join(one.text for _, one in part)
        speaker = "tool" if first.own else _speaker(message)
        yield Source(f"m{index}{_letters(number)}", speaker, text, first.trusted, first.tool, index)


def _speaker(message: Message) -> str:
    return _SPEAKERS.get(message.role) or _WIRE_SPEAKERS.get(message.wire_role, "user")


def _letters(number: int) -> str:
    """Nothing for the first, then b, c ... z, ba, bb: figures would be read as another message."""
    letters = ""
    while number:
        number, last = divmod(number, 26)
        letters = chr(ord("a") + last) + letters
    return letters


def _told(block: Block, raw: str, clip_chars: int) -> _Told:
    if block.part in _CALLS:
        return _Told(_call(block, raw), trusted=True, own=False)
    if block.part in _RESULTS:
        text = clip_ends(_clean(_result(block, raw)), clip_chars)
        return _Told(_FAILED * block.is_error + text, trusted=False, own=True, tool=block.name or "tool")
    text = _clean("\n".join(leaf.text for leaf in block.leaves))
    if block.part is Part.DOCUMENT and text:
        return _Told(clip_ends(text, clip_chars), trusted=False, own=True, tool="document")
    return _Told(text or _medium(block.part), trusted=True, own=False)


def _call(block: Block, raw: str) -> str:
    arguments = block.leaves[0].text if block.leaves else block.arguments.of(raw)
    return f"{_line(block.name) or 'call'}({_line(_clean(_compact(arguments)))})"


def _compact(arguments: str) -> str:
    """Arguments without the white space between their tokens, and without escapes of letters."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _result(block: Block, raw: str) -> str:
    said = [leaf.text for leaf in block.leaves] or list(_strings(block, raw))
    held = [line for part in block.media if (line := _medium(part))]
    return "\n".join([*said, *held]) or "[no output]"


def _strings(block: Block, raw: str) -> Iterator[str]:
    """The texts in what the provider ran, which has no leaves."""
    if block.part is not Part.SERVER_RESULT:
        return
    try:
        node = parse(block.span.of(raw))
    except NotJson:
        return
    for path, string in strings(node):
        text = string.value if isinstance(string.value, str) else ""
        if (
            not path.endswith(_OPAQUE)
            and not path.endswith("_id")
            and (len(text) < LONG or reads_like_text(text))
        ):
            yield text


def _medium(part: Part) -> str:
    return f"[{_MEDIA[part]}]" if part in _MEDIA else ""


def _clean(text: str) -> str:
    """Without what a terminal does not show and what cannot be sent."""
    return clean(text) if _DIRTY.search(text) else text


def _line(text: str) -> str:
    return " ".join(text.split())
