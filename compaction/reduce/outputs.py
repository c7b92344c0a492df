"""Fold what repeats in what a tool answered, of which nobody said that it is a log.

Only lines that some program reported are folded: in code, tables and diffs likeness means nothing. And only
what comes again at once and differs in its time at most, so that the marker tells all but the moments: what
else is too much is for the scorer to choose.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.markers import alike_marker
from elision.compaction.reduce.alike import when
from elision.compaction.reduce.fold import FOLDED, Record, around, read, worth
from elision.compaction.reduce.memory import Memory
from elision.compaction.reduce.repeats import BLOCK, Again, repeats
from elision.compaction.reduce.variables import HOLE, VARIABLE
from elision.compaction.types import Drop, Kind
from elision.model.types import Span

_CLOCK = re.compile(r"\d:\d\d|\d{4}[-/]\d\d[-/]|(?:19|20)\d{6}")
_OFTEN = 5  # lines nobody knows what they are, code perhaps, are folded only where they come so often
_REPORTED = frozenset({Kind.LOG, Kind.TRACE, Kind.PROSE, Kind.BLANK})


def fold_output(text: str, fixed: Sequence[Span] = ()) -> list[Drop]:
    """The drops that fold what comes again at once in ``text``, whatever its times are.

    Args:
        fixed: Stretches that stay, sorted.
    """
    return _fold(text, fixed, _timeless, _last_errors)


def fold_same(text: str, fixed: Sequence[Span] = ()) -> list[Drop]:
    """The drops that fold what comes again at once and is the same in every character: nothing is lost.

    Args:
        fixed: Stretches that stay, sorted.
    """
    return _fold(text, fixed, lambda record: (id(record.kind), record.said.values), lambda _: set())


def _fold(
    text: str,
    fixed: Sequence[Span],
    said: Callable[[Record], Hashable],
    stay: Callable[[Sequence[Record]], set[int]],
) -> list[Drop]:
    if HOLE in text or "\r" in text.replace("\r\n", "") or text.count("\n") < 3:
        return []
    if not _may_repeat(text):
        return []
    records = read(text, Memory())
    pinned = around(records, fixed) | stay(records)
    found = [again for again in _repeats(records, pinned, said) if again.stop > again.start]
    if not found:
        return []
    lines = split_lines(text)
    kinds = classify(text, lines)

    def reported(again: Again) -> bool:
        known = _REPORTED if again.times < _OFTEN else _REPORTED | {Kind.CODE}
        rows = (row for record in records[again.start : again.stop] for row in record.lines)
        return all(kinds[row] in known or _is_object(lines[row].of(text)) for row in rows)

    return [drop for again in found if reported(again) for drop in _drop(text, records, again)]


def _may_repeat(text: str) -> bool:
    """Whether some lines are like those right before them: known in a tenth of the time that the rest takes."""
    numbers: dict[str, int] = {}
    timeless = (
        VARIABLE.sub(HOLE, line) if _CLOCK.search(line, 0, 60) else line for line in text.split("\n") if line
    )
    ids = np.array([numbers.setdefault(line, len(numbers)) for line in timeless])
    return any(_longest(ids[apart:] == ids[:-apart]) >= apart for apart in range(1, 2 * BLOCK))


def _longest(mask: NDArray[np.bool_]) -> int:
    """Length of the longest run that is true."""
    edges = np.flatnonzero(np.concatenate([[True], ~mask, [True]]))
    return int(np.diff(edges).max()) - 1


def _repeats(
    records: Sequence[Record], pinned: set[int], said: Callable[[Record], Hashable]
) -> Iterator[Again]:
    """What comes again at once and is not pinned."""
    keys = [
        index if index in pinned or record.is_marker else said(record) for index, record in enumerate(records)
    ]
    yield from repeats(keys, BLOCK)


def _last_errors(records: Sequence[Record]) -> set[int]:
    """The last of each kind that reports an error at some time, by index."""
    errors = (at for at, record in enumerate(records) if record.kind.reports_error and record.kind.stamps)
    return set({id(records[at].kind): at for at in errors}.values())


def _timeless(record: Record) -> tuple[int, tuple[str, ...]]:
    """All that a record says but when."""
    stamps = record.kind.stamps
    return id(record.kind), tuple(
        value for slot, value in enumerate(record.said.values) if slot not in stamps
    )


def _drop(text: str, records: Sequence[Record], again: Again) -> Iterator[Drop]:
    gone = [record.said for record in records[again.start : again.stop]]
    span = Span(records[again.start].span.start, records[again.stop - 1].span.stop)
    lines = sum(one.kind.lines for one in gone)
    block = sum(one.kind.lines for one in gone[: again.period])
    said = [when(gone), f"{again.times}× the last {block} lines" if block > 1 else ""]
    marker = alike_marker(lines, sum(one.kind.reports_error for one in gone), ", ".join(filter(None, said)))
    for one in worth(span, marker, gone, text.endswith("\n", 0, span.stop)):
        yield Drop(one.span, one.marker, FOLDED)


def _is_object(line: str) -> bool:
    return line.startswith("{") and line.rstrip().endswith("}")
