"""Find what repeats at once: a block of lines over and over, the frames of a recursion."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from elision.compaction.guard.markers import alike_marker
from elision.compaction.guard.reports import is_error
from elision.compaction.reduce.alike import Alike, Said
from elision.compaction.reduce.variables import HOLE, filled
from elision.model.types import Span

LONG = 8  # lines of a record in which repeats are looked for
BLOCK = 12  # lines of a block
_PERIODS = range(1, 5)  # lines of a frame, its source and whatever a tracer adds
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LEAST = 4  # lines: fewer are not worth a marker


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines inside a record that are like those right above them.

    Attributes:
        span: Where they stand in the record.
        lines: What they say.
        exemplar: The values of the line that the first of them is like.
    """

    span: Span
    lines: list[Alike]
    exemplar: tuple[str, ...]


def over_and_over(text: str, stretch: Span) -> Said | None:
    """The marker of a stretch of whole lines that is the lines right above it, several times; else None."""
    at, body = stretch.start, stretch.of(text)
    for lines in range(1, BLOCK + 1):
        if at == 0:
            return None
        at = text.rfind("\n", 0, at - 1) + 1
        block = text[at : stretch.start]
        times, rest = divmod(len(body), len(block))
        if not times:
            return None
        if lines > 1 and not rest and body.startswith(block) and body == block * times:
            errors = sum(map(is_error, block.split("\n")))
            said = f"{times}× the last {lines} lines"
            return Said(alike_marker(lines * times, errors * times, said), complete=True)
    return None


def within(record: Alike) -> Iterator[Rows]:
    """The repeats inside a record."""
    lines = list(_lines(record))
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(filled(line.template, line.values)))
    templates = [line.template for line in lines]
    at = 0
    while at < len(lines):
        stop, less = max((_repeated(templates, at, period), -period) for period in _PERIODS)
        first = at - less
        if stop - first >= _LEAST:
            yield Rows(Span(ends[first], ends[stop]), lines[first:stop], lines[at].values)
        at = max(at + 1, stop)


def _repeated(templates: list[str], at: int, period: int) -> int:
    """Where the repeats of the ``period`` lines at ``at`` stop; ``at`` itself where they are not repeated."""
    stop = at + period
    while templates[stop : stop + period] == templates[at : at + period] and stop < len(templates):
        stop += period
    return stop if stop > at + period else at


def _lines(record: Alike) -> Iterator[Alike]:
    first = 0
    for template in _LINE.findall(record.template):
        stop = first + template.count(HOLE)
        yield Alike(template, record.values[first:stop])
        first = stop
