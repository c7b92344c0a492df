"""Fold what repeats: of records that differ only in variables one stays, a marker says what the others were.

A record is a line, or the lines that belong together such as a stack trace, and is folded only as a whole.
What is rare never goes: records of a kind seen once or twice, the first of every kind, the last of every
kind of error in a window, and records in which a variable of few values has one of its rare ones, such as
the only status 500 among thousands of 200.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from elision.compaction.cut import rebuild
from elision.compaction.guard.stamps import is_loud, level
from elision.compaction.logs.records import records as find_records
from elision.compaction.reduce.alike import Alike, describe
from elision.compaction.reduce.memory import Memory, RecordKind
from elision.compaction.reduce.variables import HOLE, Masked, filled, masked
from elision.compaction.types import Drop
from elision.model.types import Span

FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Fold:
    """A stretch of records that went.

    Attributes:
        span: Where it stood in the original.
        marker: What stands in its place, with its line end.
        records: What it said, record by record.
        complete: Whether the marker tells all of it.
    """

    span: Span
    marker: str
    records: tuple[Alike, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Record:
    """Lines of a text that belong together.

    Attributes:
        span: Where they stand.
        lines: Which they are.
        said: What kind of record they are, and its values.
        kind: The kind, as remembered.
    """

    span: Span
    lines: range
    said: Alike
    kind: RecordKind


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


def fold(
    text: str,
    memory: Memory | None = None,
    *,
    may_go: Callable[[range], bool] | None = None,
    fixed: Sequence[Span] = (),
) -> Folded:
    """Fold what repeats in a text, or in what was read before it.

    Args:
        text: Lines of a log.
        memory: What was seen before this text; learns of it. By default nothing was.
        may_go: Whether some lines may be folded at all; by default all may.
        fixed: Stretches that stay, sorted.
    """
    memory = Memory() if memory is None else memory
    records = read(text.replace(HOLE, " "), memory)
    if HOLE in text:  # no text for a model; it is not worth another way to write templates
        return Folded(text, (), records)
    stays = _rare(records) | _around(records, fixed)
    folds = []
    for goes, run in groupby(_decided(records, stays, may_go), lambda item: item[1]):
        if goes:
            found = _fold([record for record, _ in run], text)
            folds += [found] if found else []
    memory.forget({record.kind for record in records})
    return Folded(rebuild(text, [Drop(f.span, f.marker, FOLDED) for f in folds]), tuple(folds), records)


def expand(folded: Folded) -> str:
    """The text that was folded: every record spelled out again from its template and its values."""
    parts, at, shift = [], 0, 0
    for fold in folded.folds:
        start = fold.span.start - shift
        parts += [folded.text[at:start], *(filled(record.template, record.values) for record in fold.records)]
        at = start + len(fold.marker)
        shift += len(fold.span) - len(fold.marker)
    return "".join([*parts, folded.text[at:]])


def read(text: str, memory: Memory) -> tuple[Record, ...]:
    """The records of a text without a `HOLE`; the memory learns of all of them."""
    lines = masked(text)
    starts = list(accumulate((len(line) + 1 for line in lines.lines), initial=0))
    if starts[-1] > len(text):
        starts[-1] = len(text)
    found = []
    for rows in find_records(lines.lines):
        span = Span(starts[rows.start], starts[rows.stop])
        said = Alike(_template(lines, rows, text, span.stop), lines.of(rows))
        found.append(Record(span, rows, said, memory.kind(said.template, said.values)))
    by_kind: dict[int, list[Record]] = defaultdict(list)
    for record in found:
        by_kind[id(record.kind)].append(record)
    for alike in by_kind.values():
        alike[0].kind.met([record.said.values for record in alike])
    return tuple(found)


def _template(lines: Masked, rows: range, text: str, stop: int) -> str:
    end = "\n" if text.endswith("\n", 0, stop) else ""
    if len(rows) == 1:
        return lines.templates[rows.start] + end
    return "\n".join(lines.templates[rows.start : rows.stop]) + end


def _rare(records: Sequence[Record]) -> set[int]:
    """Records that stay because nothing, or little, is like them; by index."""
    by_kind: dict[int, list[int]] = defaultdict(list)
    for index, record in enumerate(records):
        by_kind[id(record.kind)].append(index)
    stays: set[int] = set()
    for indices in by_kind.values():
        kind = records[indices[0]].kind
        if kind.is_rare:
            stays.update(indices)
            continue
        if is_loud(level(kind.template)):
            stays.add(indices[-1])
        for slot, values in kind.odd():
            stays.update(index for index in indices if records[index].said.values[slot] in values)
    return stays


def _around(records: Sequence[Record], fixed: Sequence[Span]) -> set[int]:
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


def _decided(
    records: Sequence[Record], stays: set[int], may_go: Callable[[range], bool] | None
) -> Iterator[tuple[Record, bool]]:
    """Each record with whether it goes; what stays is what later ones are like."""
    for index, record in enumerate(records):
        kind = record.kind
        goes = kind.shown and index not in stays and (may_go is None or may_go(record.lines))
        if not goes:
            kind.shown, kind.exemplar = True, record.said.values
        yield record, goes


def _fold(run: Sequence[Record], text: str) -> Fold | None:
    """The fold of records that follow each other, unless its marker would be longer than they are."""
    span = Span(run[0].span.start, run[-1].span.stop)
    lines = run[-1].lines.stop - run[0].lines.start
    said = describe([record.said for record in run], lines, run[0].kind.exemplar)
    end = "\n" if text.endswith("\n", span.start, span.stop) else ""
    if len(said.marker) + len(end) >= len(span):
        return None
    return Fold(span, said.marker + end, tuple(record.said for record in run), said.complete)
