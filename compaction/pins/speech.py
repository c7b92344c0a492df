"""Whose words a message holds, and which of them somebody said.

A user's message also holds what clients and people paste into it: reminders, files, logs, outputs, code, an
earlier summary. None of that was said by anybody, so no demand is read out of it. Results of tools are never
read here at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from elision.compaction.conversation import INSTRUCTIONS, Conversation, Message, Part, Role
from elision.compaction.guard import code, diffs, fences, traces
from elision.compaction.guard.lines import split_lines
from elision.compaction.guard.logs import is_log
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.guard.stamps import STAMP, level
from elision.compaction.pins.lexicon import table
from elision.model.types import Span

PINNED = "Pinned by Elision"  # how our own block of pins begins
LONGEST = 700  # characters of one sentence that are read at once
_LONGEST_LINE = 4000
_FRAME = 1000  # characters in which a frame has begun
_BORDER = regex.compile(r"[.!?]?\s|[。！？]")
_BULLET = regex.compile(r"\s*(?:[-*•·–]|\d{1,3}[.)]|\[[ xX]\])\s+\S")
_ITEM = regex.compile(r"\s{0,8}(?:[-•–]|\d{1,3}[.)])\s+(?![-+]{2})\p{L}")
_FENCE = regex.compile(r"\s{0,8}(?P<marks>`{3,}|~{3,})")
_LONGEST_BLOCK = 400  # characters: more was pasted
_DATA = regex.compile(
    r"""\s*(?:[{\[]\s*["{\[]|[}\]],?\s*$|"[^"]{1,80}"\s*:|</?[a-zA-Z][\w:-]*[^<>\n]{0,200}>\s*$)"""
)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text block that somebody wrote.

    Attributes:
        index: Index of its message.
        source: The message's id, or its index in brackets.
        role: Whose it is.
        text: The whole block.
        parts: What of it no client put there, in order.
        lines: The lines in them that are somebody's words: no code, no logs, no quotes.
    """

    index: int
    source: str
    role: Role
    text: str
    parts: tuple[Span, ...]
    lines: tuple[Span, ...]

    def sentences(self) -> Iterator[str]:
        """The sentences of its lines."""
        return (sentence.of(self.text) for line in self.lines for sentence in sentences(self.text, line))


def source_of(message: Message, index: int) -> str:
    """What a message is named by."""
    return message.id or f"[{index}]"


def utterances(conversation: Conversation) -> list[Utterance]:
    """What people and the agent wrote, in order; no system texts at the beginning, which always stay."""
    found: list[Utterance] = []
    begun = False
    for index, message in enumerate(conversation.messages):
        begun = begun or message.role not in INSTRUCTIONS
        if begun and message.role in (Role.USER, Role.ASSISTANT, *INSTRUCTIONS):
            texts = (
                leaf.text for block in message.blocks if block.part is Part.TEXT for leaf in block.leaves
            )
            source = source_of(message, index)
            found += [
                Utterance(index, source, message.role, text, parts, tuple(_lines(text, parts)))
                for text in texts
                if (parts := spoken(text))
            ]
    return found


def others_summary(text: str) -> str:
    """What of a text is an agent's summary, its beginning included; empty if the text does not begin with one.

    In tags it ends with them, else with the text.
    """
    if _begins_with(text, "summaries") or f"\n{PINNED} (" in text[:_FRAME]:
        return text.strip()
    opening = _tags().match(text.lstrip())
    if opening is None or opening["close"] or opening["tag"].lower() not in table("speech.toml")["summary_tags"]:
        return ""
    return next((span.of(text) for span in _tagged(text)), "")


def asks_for_summary(text: str) -> bool:
    """Whether a client writes this in the user's name, so that what the assistant answers is a summary."""
    return text.strip() in table("speech.toml")["summary_questions"]


def spoken(text: str) -> tuple[Span, ...]:
    """The stretches of a text that no client put there; empty if it is a summary or a client's note as a whole."""
    if _begins_with(text, "summaries") or _begins_with(text, "frames") or asks_for_summary(text):
        return ()
    pinned = text.find(f"\n{PINNED}")
    end = pinned if pinned >= 0 else len(text)
    stretches: list[Span] = []
    at = 0
    for span in _tagged(text[:end]):
        stretches.append(Span(at, span.start))
        at = span.stop
    stretches.append(Span(at, end))
    return tuple(one for one in stretches if one.of(text).strip())


def _begins_with(text: str, listed: str) -> bool:
    return text[:_FRAME].lstrip("# *\n\t\r>=").startswith(tuple(table("speech.toml")[listed]))


def sentences(text: str, line: Span) -> Iterator[Span]:
    """The sentences of a line without the white space around them; one that never ends is cut between words."""
    for cut in split_sentences(line.of(text), Span(0, len(line))):
        sentence = Span(line.start + cut.start, line.start + cut.stop)
        start = sentence.start
        while sentence.stop - start > LONGEST:
            white = next(
                (at for at in range(start + LONGEST, start + LONGEST // 2, -1) if text[at].isspace()),
                start + LONGEST,
            )
            yield from _trimmed(text, Span(start, white))
            start = white
        yield from _trimmed(text, Span(start, sentence.stop))


def with_list(text: str, sentence: Span, most: int = 1500) -> Span:
    """A sentence that ends with a colon together with the list, fenced block or paragraph below it.

    Any other sentence is as it is, and so is one whose block or paragraph is a long one.
    """
    if text[sentence.stop - 1] not in ":：":
        return sentence
    below = text[sentence.stop : sentence.stop + most]
    rows = [(line.stop, line.of(below)) for line in split_lines(below)]
    if rows and rows[0][1].strip() and not _BULLET.match(rows[0][1]):
        return sentence  # its own line goes on
    rows = rows if rows and rows[0][1].strip() else rows[1:]
    lead = next((at for at, (_, row) in enumerate(rows) if row.strip()), len(rows))
    if lead < len(rows) and not _BULLET.match(rows[lead][1]):
        return _with_block(sentence, below, rows[lead:]) if lead < 2 else sentence
    stop = sentence.stop
    for end, row in rows:
        if row.strip() and not _BULLET.match(row):
            break
        if row.strip() and sentence.stop + end - sentence.start <= most:
            stop = sentence.stop + len(below[:end].rstrip())
    return Span(sentence.start, stop)


def _with_block(sentence: Span, below: str, rows: list[tuple[int, str]]) -> Span:
    """A sentence with the fenced block or the paragraph that these rows begin with, if it ends soon."""
    fence = _FENCE.match(rows[0][1])
    for end, row in rows[1:] if fence else rows:
        closes = row.strip() == fence["marks"] if fence else not row.strip()
        if closes or (not fence and end == len(below)):
            told = below[:end].rstrip()
            return Span(sentence.start, sentence.stop + len(told)) if len(told) <= _LONGEST_BLOCK else sentence
    return sentence


def _lines(text: str, parts: tuple[Span, ...]) -> Iterator[Span]:
    for part in parts:
        lines = [Span(part.start + one.start, part.start + one.stop) for one in split_lines(part.of(text))]
        said = _said([line.of(text) for line in lines])
        for line, is_said in zip(lines, said, strict=True):
            yield from _pieces(text, line) if is_said else ()


def _pieces(text: str, line: Span) -> Iterator[Span]:
    """The line, or parts of it that end with a sentence or a word where it is very long."""
    start = line.start
    while line.stop - start > _LONGEST_LINE:
        ends = [
            match.end() for match in _BORDER.finditer(text, start + _LONGEST_LINE // 2, start + _LONGEST_LINE)
        ]
        stop = ends[-1] if ends else start + _LONGEST_LINE
        yield Span(start, stop)
        start = stop
    yield Span(start, line.stop)


def _trimmed(text: str, span: Span) -> Iterator[Span]:
    body = span.of(text)
    start = span.start + len(body) - len(body.lstrip())
    stop = span.start + len(body.rstrip())
    if start < stop:
        yield Span(start, stop)


@cache
def _tags() -> "regex.Pattern[str]":
    listed = "|".join(
        regex.escape(tag) for tag in sorted(table("speech.toml")["tags"], key=len, reverse=True)
    )
    return regex.compile(rf"<(?P<close>/?)(?P<tag>{listed})(?:\s[^<>]{{0,300}})?>", regex.IGNORECASE)


def _tagged(text: str) -> Iterator[Span]:
    """What stands between a client's tags, the tags included.

    A page that brings its own closing tag does not end its quotation: the last closing tag before the
    next opening one does. A tag that is never closed is a word.
    """
    if "<" not in text:
        return
    opened: dict[str, list[int]] = {}  # where each tag is open, outermost first
    found: list[Span] = []
    last: dict[str, Span] = {}  # newest stretch of each tag, while no other of it has been opened
    for match in _tags().finditer(text):
        tag = match["tag"].lower()
        if not match["close"]:
            opened.setdefault(tag, []).append(match.start())
            last.pop(tag, None)
        elif opened.get(tag):
            start = opened[tag].pop()
            found.append(Span(start, match.end()))
            last[tag] = found[-1]
        elif tag in last:
            last[tag] = Span(last[tag].start, match.end())
            found.append(last[tag])
    yield from _outermost(found)


def _outermost(spans: list[Span]) -> Iterator[Span]:
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].stop:
            joined[-1] = Span(joined[-1].start, max(joined[-1].stop, span.stop))
        else:
            joined.append(span)
    return iter(joined)


def _said(rows: list[str]) -> list[bool]:
    """Which rows are somebody's words.

    A sentence about code or errors looks like code or a log line; only among such lines it is one.
    """
    bare = [row.rstrip("\r\n") for row in rows]
    listed = tuple(table("speech.toml")["lines"])
    pasted = fences.find(bare) | diffs.find(bare) | traces.find(bare)
    pasted |= {
        at
        for at, row in enumerate(bare)
        if row.startswith(listed) or _DATA.match(row[:LONGEST]) or STAMP.match(row)
    }
    looks = [at in pasted or _looks_like_data(row[:LONGEST]) for at, row in enumerate(bare)]
    kept = []
    for at, row in enumerate(bare):
        beside = any(looks[n] for n in (at - 1, at + 1) if 0 <= n < len(bare))
        dropped = at in pasted or (
            beside and not _ITEM.match(row) and (looks[at] or code.is_comment(row[:LONGEST]))
        )
        kept.append(bool(row.strip()) and not dropped)
    return kept


def _looks_like_data(row: str) -> bool:
    if not row.strip() or _ITEM.match(row):
        return False
    return (
        code.numbered(row)
        or level(row) is not None
        or is_log(row)
        or code.search_hit(row)
        or code.looks_like_code(row)
    )
