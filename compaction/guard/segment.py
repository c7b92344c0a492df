"""Read a text as passages: what is chosen or left out before any single word is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.guard.units import unit_spans
from elision.compaction.pace import paced
from elision.compaction.types import DIVISIBLE, Kind, Passage
from elision.model.types import Span, nothing

OVERLONG = 600  # characters of a passage: more is not weighed as one
STRETCH = 300
LONGEST_WORDS = 15  # characters a word of running text has on average, at most
_REACH = 4000


@dataclass(frozen=True, slots=True)
class Segmented:
    """A text, read.

    Attributes:
        lines: Its lines, each with its terminator; they partition the text.
        kinds: What each line is, as many as lines.
        passages: A line each, a sentence each where the line is prose, and stretches of what is overlong;
            they partition the text.
    """

    lines: list[Span]
    kinds: list[Kind]
    passages: list[Passage]


def segment(text: str, tick: Callable[[], None] = nothing) -> Segmented:
    """Read ``text``, any string with its control sequences already taken out; ``tick`` may end it."""
    lines = split_lines(text)
    found = classify(text, lines, tick)
    kinds = [_of_overlong(text, line, kind) for line, kind in zip(lines, found, strict=True)]
    passages: list[Passage] = []
    for index, (line, kind) in paced(enumerate(zip(lines, kinds, strict=True)), tick):
        sentences = split_sentences(text, line) if kind is Kind.PROSE else [line]
        spans = [part for sentence in sentences for part in _stretches(text, sentence, kind)]
        passages += [Passage(span, index, kind) for span in spans]
    return Segmented(lines, kinds, passages)


def _of_overlong(text: str, line: Span, kind: Kind) -> Kind:
    """No table row or code line is this long: words in such a line are running text (a page, a paragraph)."""
    start = text[line.start : line.start + _REACH]
    if len(line) <= OVERLONG or kind not in (Kind.TABLE, Kind.CODE, Kind.JSON) or start.lstrip()[:1] in ("{", "["):
        return kind
    return Kind.PROSE if len(start.split()) * LONGEST_WORDS >= len(start) else kind


def _stretches(text: str, span: Span, kind: Kind) -> Iterator[Span]:
    """``span``, or where words may go from it and it is overlong, stretches of it that end between units."""
    if len(span) <= OVERLONG or kind not in DIVISIBLE:
        yield span
        return
    start = span.start
    for unit in unit_spans(text, span):
        if unit.stop - start > STRETCH and unit.start > start and span.stop - unit.start > STRETCH // 2:
            yield Span(start, unit.start)
            start = unit.start
    yield Span(start, span.stop)
