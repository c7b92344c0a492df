"""Fold what repeats: of records that differ only in variables one stays, a marker says what the others were.

A record is a line, or the lines that belong together such as a stack trace, and is folded only as a whole.
What is rare never goes: records of a kind seen once or twice, the first of every kind, the last of every
kind of error in a window, and records in which a variable of few values has one of its rare ones, such as
the only status 500 among thousands of 200.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from elision.compaction.cut import rebuild
from elision.compaction.guard.markers import OPENING, counted
from elision.compaction.logs.records import records as find_records
from elision.compaction.reduce.alike import describe
from elision.compaction.reduce.memory import Instance, Memory, RecordKind
from elision.compaction.reduce.repeats import LONG, block_marker, within
from elision.compaction.reduce.variables import HOLE, masked
from elision.compaction.types import Drop
from elision.model.types import Span

FOLDED = "folded"
# Of what went, by length: a marker has more tokens to the character than a log.
WORTH = 0.7


@dataclass(frozen=True, slots=True)
class Fold:
    """A stretch of records, or of lines of one, that went.

    Attributes:
        span: Where it stood in the original.
        marker: What stands in its place, with its line end.
        records: What it said, one by one.
    """

    span: Span
    marker: str
    records: tuple[Instance, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Lines of a text that belong together.

    Attributes:
        span: Where they stand.
        lines: Which they are.
        said: What kind of record they are, and its values.
        is_marker: Whether it is no record but a marker of what went before.
    """

    span: Span
    lines: range
    said: Instance
    is_marker: bool = False

    @property
    def kind(self) -> RecordKind:
        """The kind, as remembered."""
        return self.said.kind


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with what repeats folded.

    Attributes:
        text: The outcome.
        folds: What went, in text order.
        records: All records of the original.
    """

    text: str
    folds: tuple[Fold, ...]
    records: tuple[Record, ...]

    @property
    def drops(self) -> list[Drop]:
        """What went, as drops of the original."""
        return [Drop(fold.span, fold.marker, FOLDED) for fold in self.folds]


def fold(text: str, memory: Memory | None = None, fixed: Sequence[Span] = ()) -> Folded:
    """Fold what repeats in a log, or in what was read of it before.

    A text with a `HOLE` in it is no log for a reader, and stays as it is.

    Args:
        text: Lines of a log.
        memory: What was seen before this text; learns of it. By default nothing was.
        fixed: Stretches that stay, sorted.
    """
    memory = Memory() if memory is None else memory
    records = read(text.replace(HOLE, " "), memory)
    found = [] if HOLE in text else _folds(text, records, fixed)
    memory.forget({record.kind for record in records})
    return Folded(rebuild(text, [Drop(one.span, one.marker, FOLDED) for one in found]), tuple(found), records)


def expand(folded: Folded) -> str:
    """The text that was folded: every record spelled out again from its template and its values."""
    parts, at, shift = [], 0, 0
    for fold in folded.folds:
        start = fold.span.start - shift
        parts += [folded.text[at:start], *(record.text for record in fold.records)]
        at = start + len(fold.marker)
        shift += len(fold.span) - len(fold.marker)
    return "".join([*parts, folded.text[at:]])


def read(text: str, memory: Memory) -> tuple[Record, ...]:
    """The records of a text without a `HOLE`; the memory learns of all of them."""
    lines = masked(text)
    starts = list(accumulate((len(line) + 1 for line in lines.lines), initial=0))
    starts[-1] = len(text)
    found = []
    for rows in _without_markers(find_records(lines.lines), lines.lines):
        span = Span(starts[rows.start], starts[rows.stop])
        end = "\n" if text.endswith("\n", 0, span.stop) else ""
        template, values = "\n".join(lines.templates[rows.start : rows.stop]) + end, lines.of(rows)
        said = lines.lines[rows.start : rows.stop]
        kind = memory.kind(template, values, said)
        is_marker = said[0].startswith(OPENING) and counted(said[0]) is not None
        found.append(Record(span, rows, Instance(kind, values), is_marker))
    for alike in _by_kind(found):
        alike[0].kind.met([record.said.values for record in alike])
    return tuple(found)


def worth(span: Span, marker: str, records: Sequence[Instance], ends_a_line: bool) -> Iterator[Fold]:
    """The fold of a stretch, unless its marker would hardly be shorter."""
    marker += "\n" * ends_a_line
    if len(marker) <= WORTH * len(span):
        yield Fold(span, marker, tuple(records))


def around(records: Sequence[Record], fixed: Sequence[Span]) -> set[int]:
    """Records that hold some of what is fixed; by index."""
    found: set[int] = set()
    spans = iter(fixed)
    span = next(spans, None)
    for index, record in enumerate(records):
        while span is not None and span.stop <= record.span.start:
            span = next(spans, None)
        if span is not None and span.start < record.span.stop:
            found.add(index)
    return found


def _folds(text: str, records: Sequence[Record], fixed: Sequence[Span]) -> list[Fold]:
    found: list[Fold] = []
    pinned = around(records, fixed)
    exemplars = _exemplars(records, pinned)
    at = 0
    for stays, group in groupby(exemplar is None for exemplar in exemplars):
        run = range(at, at + len(list(group)))
        at = run.stop
        if stays:
            free = (records[index] for index in run if index not in pinned)
            found += [one for record in free for one in _inside(record, text)]
        else:
            found += _of_run(text, records, run, exemplars, found[-1].span.stop if found else 0)
    return found


def _of_run(
    text: str,
    records: Sequence[Record],
    run: range,
    exemplars: Sequence[tuple[str, ...] | None],
    visible: int,
) -> Iterator[Fold]:
    """The fold of records that follow each other and go."""
    gone, first = records[run.start : run.stop], exemplars[run.start]
    assert first is not None
    span = Span(gone[0].span.start, gone[-1].span.stop)
    next_to_it = run.start > 0 and span.start > visible and records[run.start - 1].kind is gone[0].kind
    said = [record.said for record in gone]
    marker = block_marker(text, span, visible) or describe(said, len(span), first, next_to_it)
    yield from worth(span, marker, said, text.endswith("\n", 0, span.stop))


def _inside(record: Record, text: str) -> Iterator[Fold]:
    """The folds of lines that repeat inside a record that stays, such as the frames of a recursion."""
    visible = record.span.start
    for rows in within(record.said) if len(record.lines) >= LONG else ():
        span = rows.span.moved(record.span.start)
        marker = block_marker(text, span, visible) or describe(
            rows.lines, len(span), rows.exemplar, next_to_it=True
        )
        yield from worth(span, marker, rows.lines, rows.lines[-1].kind.template.endswith("\n"))
        visible = span.stop


def _exemplars(records: Sequence[Record], pinned: set[int]) -> list[tuple[str, ...] | None]:
    """For each record that goes the values of the one that it is like and that stands above; None for one that stays."""
    rare = {record.span.start for alike in _by_kind(records) for record in _rare(alike)}
    found: list[tuple[str, ...] | None] = []
    for index, record in enumerate(records):
        kind = record.kind
        if not kind.shown or record.is_marker or index in pinned or record.span.start in rare:
            kind.shown, kind.exemplar = True, record.said.values
            found.append(None)
        else:
            found.append(kind.exemplar)
    return found


def _rare(alike: Sequence[Record]) -> Iterator[Record]:
    """Those of some records of one kind that stay because nothing, or little, is like them."""
    kind = alike[0].kind
    if kind.is_rare:
        yield from alike
        return
    if kind.reports_error:
        yield alike[-1]
    for slot, values in kind.odd():
        yield from (record for record in alike if record.said.values[slot] in values)


def _by_kind(records: Sequence[Record]) -> Iterable[list[Record]]:
    by_kind: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_kind[id(record.kind)].append(record)
    return by_kind.values()


def _without_markers(records: Sequence[range], lines: Sequence[str]) -> Iterator[range]:
    """The records, markers apart: they are of no record."""
    markers = [at for at, line in enumerate(lines) if line.startswith(OPENING) and counted(line)]
    at = 0
    for record in records if markers else ():
        start = record.start
        while at < len(markers) and markers[at] < record.stop:
            yield from [range(start, markers[at])] if start < markers[at] else []
            yield range(markers[at], markers[at] + 1)
            start, at = markers[at] + 1, at + 1
        yield from [range(start, record.stop)] if start < record.stop else []
    yield from records if not markers else ()
