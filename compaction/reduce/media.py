"""Put a line of text in the place of pictures and files of old turns.

A medium costs hundreds of tokens each time it is sent and is looked at once. What stands for it is spelled
as the wire spells a text there; no block goes, so no message becomes empty. In a result of Gemini's only
media can stand beside the response, so there the response gets the line.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elision.compaction.compact.edits import Reduction
from elision.compaction.conversation import Block, Conversation, Format, Message, Part, Role
from elision.compaction.counting import PER_MEDIUM
from elision.compaction.formats import anthropic, gemini, openai_chat, openai_responses
from elision.compaction.policies.reductions import StripMedia
from elision.compaction.raw_json import Node, parse, plain, replaced
from elision.compaction.reduce.results import read_until, turns_ago
from elision.compaction.types import TokenCounter
from elision.model.types import Span

STRIP_MEDIA = "strip_media"
_MEDIA = frozenset({Part.IMAGE, Part.DOCUMENT, Part.AUDIO, Part.FILE})
# A search result is cited by its place; a file in a container is there for programs to open.
_STAY = frozenset({"search_result", "container_upload", "computer_screenshot"})
_MEDIA_TYPES = {"image": Part.IMAGE, "audio": Part.AUDIO, "text": Part.DOCUMENT, "application": Part.DOCUMENT}
_MARKS = ("cache_control", "prompt_cache_breakpoint")
_NAMES = ("title", "filename", "file_name", "displayName", "display_name", "name")
_ADDRESSES = ("url", "image_url", "file_url", "fileUri", "file_uri")
_LONGEST_NAME = 60


def strip_media(
    conversation: Conversation,
    settings: StripMedia,
    *,
    counter: TokenCounter,
    per_medium: int = PER_MEDIUM,
) -> list[Reduction]:
    """Turn media of old turns into lines such as ``[…image plan.png, 1 of 3]``.

    Documents that the model was asked to cite stay: later citations say where in them.

    Args:
        per_medium: Tokens of one of them, for what is saved.
    """
    ago = turns_ago(conversation, settings.turn)
    history = read_until(conversation)
    stripper = _Stripper(conversation, counter, per_medium)
    return [
        reduction
        for index, message in enumerate(conversation.messages)
        if ago[index] >= settings.protect_turns and index < history
        for reduction in stripper.stripped(index, message)
    ]


@dataclass(frozen=True, slots=True)
class _Medium:
    """A medium in the body: what it is, where it stands, its JSON relative to its own start."""

    part: Part
    path: str
    span: Span
    node: Node


@dataclass(frozen=True, slots=True)
class _Stripper:
    conversation: Conversation
    counter: TokenCounter
    per_medium: int

    def stripped(self, index: int, message: Message) -> Iterator[Reduction]:
        held = [(block, list(self._media(block))) for block in message.blocks]
        total, number = sum(len(media) for _, media in held), 0
        for block, media in held:
            said = [self._line(one, number + at, total) for at, one in enumerate(media, 1)]
            number += len(media)
            if media and block.part is Part.RESULT and self.conversation.format is Format.GEMINI:
                yield from self._into_response(index, block, media, said)
                continue
            for one, line in zip(media, said, strict=True):
                spelling = self._text_block(message, one, line)
                yield self._reduction(index, one.path, one.span, spelling, [one], [line])

    def _media(self, block: Block) -> Iterator[_Medium]:
        """The media that a block is or holds."""
        if block.signed or not (
            block.part in _MEDIA or block.part is Part.RESULT and _MEDIA & set(block.media)
        ):
            return
        node = parse(block.span.of(self.conversation.raw))
        if block.part in _MEDIA:
            if block.type not in _STAY and not _is_cited(node):
                yield _Medium(block.part, block.path, block.span, node)
            return
        below, elements = _inner(node, self.conversation.format)
        for at, element in enumerate(elements):
            part, type_ = _part_of(element, self.conversation.format)
            if part in _MEDIA and type_ not in _STAY and not _is_cited(element):
                yield _Medium(
                    part, f"{block.path}{below}/{at}", _shifted(element.span, block.span.start), element
                )

    def _line(self, one: _Medium, number: int, total: int) -> str:
        name = _found(one.node, _NAMES)
        name = " ".join(name.replace("[", "(").replace("]", ")").split())[:_LONGEST_NAME]
        return f"[…{one.part.value}{' ' * bool(name)}{name}, {number} of {total}]"

    def _text_block(self, message: Message, one: _Medium, line: str) -> str:
        """The block of text that stands where a medium stood; a cache mark on it stays."""
        match self.conversation.format:
            case Format.GEMINI:
                block: dict[str, object] = {"text": line}
            case Format.OPENAI_RESPONSES:
                block = {
                    "type": "output_text" if message.role is Role.ASSISTANT else "input_text",
                    "text": line,
                }
            case _:
                block = {"type": "text", "text": line}
        marks = ((key, one.node.get(key)) for key in _MARKS)
        block |= {key: plain(mark) for key, mark in marks if mark is not None and mark.value is not None}
        return json.dumps(block)  # ASCII: a name may hold a lone surrogate

    def _into_response(
        self, index: int, block: Block, media: Sequence[_Medium], said: Sequence[str]
    ) -> Iterator[Reduction]:
        """The part of a result without its media; its response says what they were."""
        raw = block.span.of(self.conversation.raw)
        held = _held(parse(raw))
        response, parts = held and held.get("response"), held and _parts(held)
        if response is None or parts is None or not isinstance(response.value, dict):
            return
        gone = {_shifted(one.span, -block.span.start) for one in media}
        left = ", ".join(element.span.of(raw) for element in parts.elements if element.span not in gone)
        key = next(
            name
            for name in ("media", "elided", "elided_media")
            if name not in response.value or name == "elided_media"
        )
        member = f"{', ' * bool(response.value)}{json.dumps(key)}: {json.dumps(' '.join(said))}"
        end = response.span.stop - 1
        spelling = replaced(raw, [(parts.span, f"[{left}]"), (Span(end, end), member)])
        yield self._reduction(index, block.path, block.span, spelling, media, said)

    def _reduction(
        self, index: int, path: str, span: Span, spelling: str, media: Sequence[_Medium], said: Sequence[str]
    ) -> Reduction:
        saved = self.per_medium * len(media) - sum(map(self.counter.count, said))
        addresses = [_found(one.node, _ADDRESSES) for one in media]
        links = [link for link in addresses if link.startswith(("http://", "https://", "gs://"))]
        return Reduction(
            index, path, span, spelling, STRIP_MEDIA, saved, f"fetch {', '.join(links)}" if links else ""
        )


def _inner(node: Node, format: Format) -> tuple[str, Sequence[Node]]:
    """The pointer to the list of blocks in a result, and the blocks; in Chat the result's block is that list."""
    match format:
        case Format.ANTHROPIC:
            below, listed = "/content", node.get("content")
        case Format.OPENAI_RESPONSES:
            below, listed = "/output", node.get("output")
        case Format.GEMINI:
            held = _held(node)
            below, listed = "/functionResponse/parts", _parts(held) if held else None
        case _:
            below, listed = "", node
    return below, listed.elements if listed else ()


def _held(node: Node) -> Node | None:
    return node.get("functionResponse") or node.get("function_response")


def _parts(held: Node) -> Node | None:
    return held.get("parts")


def _part_of(node: Node, format: Format) -> tuple[Part, str]:
    """What a block in a result is, and what the wire calls it."""
    kind = node.text("type")
    match format:
        case Format.ANTHROPIC:
            return anthropic.part_of(kind), kind
        case Format.OPENAI_CHAT:
            return openai_chat.PARTS.get(kind, Part.OTHER), kind
        case Format.OPENAI_RESPONSES:
            return openai_responses.PARTS.get(kind, Part.OTHER), kind
    kind = next((key for key in gemini.PARTS if node.get(key)), "")
    part = gemini.PARTS.get(kind, Part.OTHER)
    held = node.get(kind)
    media_type = held.text("mimeType") or held.text("mime_type") if held else ""
    return _MEDIA_TYPES.get(media_type.partition("/")[0], part) if part is Part.FILE else part, kind


def _is_cited(node: Node) -> bool:
    """Whether the model was asked to cite a document."""
    citations = node.get("citations")
    enabled = citations.get("enabled") if citations else None
    return enabled is not None and enabled.value is True


def _found(node: Node, keys: Sequence[str]) -> str:
    """The first member of these names in a block or one level below it."""
    below = [child for _, child in node.children if isinstance(child.value, dict)]
    return next((text for one in (node, *below) for key in keys if (text := one.text(key))), "")


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.stop + by)
