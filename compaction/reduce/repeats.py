"""Find what repeats at once: a block of lines over and over, the frames of a recursion."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from elision.compaction.guard.markers import alike_marker
from elision.compaction.guard.reports import is_error
from elision.compaction.reduce.memory import Instance, RecordKind
from elision.compaction.reduce.variables import HOLE
from elision.model.types import Span

LONG = 8  # lines of a record in which repeats are looked for
BLOCK = 12  # lines of a block
FRAME = 4  # lines of a frame, its source and whatever a tracer adds
_LEAST = 4  # lines of a record: fewer are not worth a marker
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Again:
    """Some of a sequence that are the same as those right before them, once or several times.

    Attributes:
        start: The first of them.
        stop: One past the last.
        period: How many make up what comes again.
    """

    start: int
    stop: int
    period: int

    @property
    def times(self) -> int:
        """How often it comes again."""
        return (self.stop - self.start) // self.period


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines inside a record that are like those right above them.

    Attributes:
        span: Where they stand in the record.
        lines: What they say.
        exemplar: The values of the line that the first of them is like.
    """

    span: Span
    lines: list[Instance]
    exemplar: tuple[str, ...]


def repeats(keys: Sequence[Hashable], longest: int) -> Iterator[Again]:
    """What comes again at once, in blocks of up to ``longest``; of several ways to see it the one that goes furthest."""
    at = 0
    while at < len(keys):
        stop, less = max((_repeated(keys, at, period), -period) for period in range(1, longest + 1))
        if stop > at:
            yield Again(at - less, stop, -less)
        at = max(at + 1, stop)


def block_marker(text: str, stretch: Span, visible: int) -> str | None:
    """The marker of a stretch of whole lines that is the lines right above it, several times; else None.

    Args:
        visible: Where what stays right above the stretch begins.
    """
    at, body = stretch.start, stretch.of(text)
    for lines in range(1, BLOCK + 1):
        if at <= visible:
            return None
        at = text.rfind("\n", 0, at - 1) + 1
        block = text[at : stretch.start]
        times, rest = divmod(len(body), len(block))
        if not times or at < visible:
            return None
        if lines > 1 and not rest and body.startswith(block) and body == block * times:
            errors = sum(map(is_error, block.split("\n")))
            return alike_marker(lines * times, errors * times, f"{times}× the last {lines} lines")
    return None


def within(record: Instance) -> Iterator[Rows]:
    """The repeats inside a record."""
    lines = list(_lines(record))
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line.text))
    for again in repeats([line.kind.template for line in lines], FRAME):
        if again.stop - again.start >= _LEAST:
            exemplar = lines[again.start - again.period].values
            yield Rows(Span(ends[again.start], ends[again.stop]), lines[again.start : again.stop], exemplar)


def _repeated(keys: Sequence[Hashable], at: int, period: int) -> int:
    """Where the repeats of the ``period`` keys at ``at`` stop; ``at`` itself where they are not repeated."""
    stop = at + period
    while keys[stop : stop + period] == keys[at : at + period] and stop < len(keys):
        stop += period
    return stop if stop > at + period else at


def _lines(record: Instance) -> Iterator[Instance]:
    kinds: dict[str, RecordKind] = {}
    first = 0
    for template in _LINE.findall(record.kind.template):
        values = record.values[first : first + template.count(HOLE)]
        if template not in kinds:
            kinds[template] = RecordKind.of(template, values)
        yield Instance(kinds[template], values)
        first += len(values)
