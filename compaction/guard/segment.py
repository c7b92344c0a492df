"""Read a text as passages: what is chosen or left out before any single word is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.prose import is_prose
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.guard.units import unit_spans
from elision.compaction.pace import paced
from elision.compaction.types import DIVISIBLE, Kind, Passage
from elision.model.types import Span, nothing

OVERLONG = 600  # characters of a passage: more is not weighed as one
STRETCH = 300
LONGEST_WORDS = 15  # characters a word of running text has on average, at most
_REACH, _REACH_OF_PROSE = 4000, 300


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
    kinds = [_of_overlong(text, lines, found, index) for index in range(len(lines))]
    passages: list[Passage] = []
    for index, (line, kind) in paced(enumerate(zip(lines, kinds, strict=True)), tick):
        sentences = split_sentences(text, line) if kind is Kind.PROSE else [line]
        for sentence in sentences:
            for span in _stretches(text, sentence, kind):
                passages.append(Passage(span, index, kind, continues=span.start > sentence.start))
    return Segmented(lines, kinds, passages)


def _of_overlong(text: str, lines: Sequence[Span], kinds: list[Kind], index: int) -> Kind:
    """The kind of a line; of a very long one that stands alone and reads like words, prose.

    A page or a paragraph on one line has bars, brackets and tags enough to look like a row or code.
    """
    line, kind = lines[index], kinds[index]
    if len(line) <= OVERLONG or kind not in (Kind.TABLE, Kind.CODE, Kind.JSON):
        return kind
    start = text[line.start : line.start + _REACH]
    if kind in kinds[max(0, index - 1) : index] + kinds[index + 1 : index + 2]:
        return kind
    if kind is Kind.JSON and start.lstrip()[:1] in ("{", "["):
        return kind
    if kind is Kind.CODE and not is_prose(start[:_REACH_OF_PROSE]):
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
