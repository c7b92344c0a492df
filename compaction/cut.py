"""Cut a text down to what was chosen.

Text is never re-joined from pieces. What is left out is a list of drops over the original, so
whatever survives is byte for byte what was there, and a run of lines that went leaves a marker that
counts them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from elision.compaction.choose import Mask, runs
from elision.compaction.guard.segment import Segmented
from elision.compaction.pins import error_template, may_report
from elision.compaction.types import Drop, Passage
from elision.model.types import Span

LINES, SENTENCE, WORDS = "low_value_lines", "low_value_sentence", "low_value_words"
_SPACE = regex.compile(r"[^\S\r\n]*+")
_LINE_END = regex.compile(r"[\r\n]*+\Z")


@dataclass(frozen=True, slots=True)
class Thinned:
    """The units of one passage and which of them stay."""

    units: Sequence[Span]
    kept: Mask


def marker(lines: int, repeated_errors: int = 0) -> str:
    """The text that stands where ``lines`` lines went.

    Four tokens: a long text has many, and each token of them is one less of the text itself.
    """
    counted = "1 line" if lines == 1 else f"{lines} lines"
    if not repeated_errors:
        return f"[…{counted}]"
    return f"[…{counted}, {repeated_errors} repeated error{'s' * (repeated_errors > 1)}]"


def cut(text: str, segmented: Segmented, kept: Mask, thinned: Mapping[int, Thinned]) -> list[Drop]:
    """The drops that leave just the kept passages, thinned where said; sorted, not overlapping.

    Args:
        text: The visible text.
        segmented: Its lines and passages.
        kept: Passages that stay, shape ``(n_passages,)``, bool.
        thinned: For some kept passages, by index, the units of it that stay.
    """
    gone = gone_lines(segmented, kept)
    drops = [_gone_run(text, segmented, first, last) for first, last in runs(gone)]
    inside: list[Drop] = []
    for index, passage in enumerate(segmented.passages):
        if gone[passage.line]:
            continue
        if not kept[index]:
            inside.append(Drop(_body(text, segmented, passage), "", SENTENCE))
        elif index in thinned:
            part = thinned[index]
            inside += [Drop(unit, "", WORDS) for unit, stays in zip(part.units, part.kept, strict=True) if not stays]
    return sorted([*drops, *_tidied(text, inside)])


def gone_lines(segmented: Segmented, kept: Mask) -> Mask:
    """Lines of which no passage stays, shape ``(n_lines,)``, bool."""
    gone = np.ones(len(segmented.lines), dtype=bool)
    gone[[passage.line for passage, stays in zip(segmented.passages, kept, strict=True) if stays]] = False
    return gone


def rebuild(text: str, drops: Sequence[Drop]) -> str:
    """``text`` with every dropped span replaced by its replacement."""
    parts, at = [], 0
    for drop in drops:
        parts += [text[at : drop.span.start], drop.replacement]
        at = drop.span.stop
    return "".join([*parts, text[at:]])


def _gone_run(text: str, segmented: Segmented, first: int, last: int) -> Drop:
    lines = segmented.lines[first : last + 1]
    end = _LINE_END.search(lines[-1].of(text))
    rows = (line.of(text) for line in lines)
    kinds = segmented.kinds[first : last + 1]
    repeated = sum(
        may_report(row, kind) and error_template(row) is not None for row, kind in zip(rows, kinds, strict=True)
    )
    replacement = marker(len(lines), repeated) + (end.group() if end else "")
    return Drop(Span(lines[0].start, lines[-1].stop), replacement, LINES)


def _body(text: str, segmented: Segmented, passage: Passage) -> Span:
    """The passage without the indentation and the line end, which stay with the rest of the line."""
    line, start, stop = segmented.lines[passage.line], passage.span.start, passage.span.stop
    if start == line.start:
        start = _SPACE.match(text, start, stop).end()  # type: ignore[union-attr]  # matches the empty string
    if stop == line.stop:
        stop = max(start, _LINE_END.search(text, start, stop).start())  # type: ignore[union-attr]
    return Span(start, stop)


def _tidied(text: str, drops: Sequence[Drop]) -> Iterator[Drop]:
    """Neighbouring drops as one, with the spaces that would be left doubled or leading a line."""
    pending: Drop | None = None
    for drop in drops:
        if not len(drop.span):
            continue
        if pending and pending.span.stop == drop.span.start:
            pending = Drop(Span(pending.span.start, drop.span.stop), "", pending.reason)
            continue
        if pending:
            yield _with_spaces(text, pending, drop.span.start)
        pending = drop
    if pending:
        yield _with_spaces(text, pending, len(text))


def _with_spaces(text: str, drop: Drop, limit: int) -> Drop:
    start, stop = drop.span.start, drop.span.stop
    if start and not text[start - 1].isspace():
        return drop
    end = _SPACE.match(text, stop, limit).end()  # type: ignore[union-attr]
    return Drop(Span(start, end), "", drop.reason)
