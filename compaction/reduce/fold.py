"""Fold what repeats: of records that differ only in variables one stays, a marker says what the others were.

A record is a line, or the lines that belong together such as a stack trace, and is folded only as a whole.
What is rare never goes: records of a kind seen once or twice, the first of every kind, the last of every
kind of error in a window, and records in which a variable of few values has one of its rare ones, such as
the only status 500 among thousands of 200.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from elision.compaction.cut import rebuild
from elision.compaction.guard.markers import OPENING, counted
from elision.compaction.guard.stamps import is_loud, level
from elision.compaction.logs.records import records as find_records
from elision.compaction.reduce.alike import Alike, Said, describe
from elision.compaction.reduce.memory import Memory, RecordKind
from elision.compaction.reduce.repeats import LONG, over_and_over, within
from elision.compaction.reduce.variables import HOLE, filled, masked
from elision.compaction.types import Drop
from elision.model.types import Span

FOLDED = "folded"
# Of what went, by length: a marker has more tokens to the character than a log.
WORTH = 0.7


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
        is_marker: Whether it is no record but a marker of what went before.
    """

    span: Span
    lines: range
    said: Alike
    kind: RecordKind
    is_marker: bool = False


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
    kept = _kept(records, fixed, may_go)
    found = []
    for stays, run in groupby(zip(records, kept, strict=True), lambda item: item[1]):
        members = [record for record, _ in run]
        if stays:
            pinned = _around(members, fixed)
            free = [record for at, record in enumerate(members) if at not in pinned]
            found += [one for record in free if may_go is None or may_go(record.lines) for one in _inside(record, text)]
        else:
            found += _fold(members, text)
    memory.forget({record.kind for record in records})
    return Folded(rebuild(text, [Drop(one.span, one.marker, FOLDED) for one in found]), tuple(found), records)


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
    starts[-1] = len(text)
    found = []
    for rows in _without_markers(find_records(lines.lines), lines.lines):
        span = Span(starts[rows.start], starts[rows.stop])
        end = "\n" if text.endswith("\n", 0, span.stop) else ""
        said = Alike("\n".join(lines.templates[rows.start : rows.stop]) + end, lines.of(rows))
        found.append(Record(span, rows, said, memory.kind(said.template, said.values), _is_marker(said.template)))
    for alike in _by_kind(found):
        alike[0].kind.met([record.said.values for record in alike])
    return tuple(found)


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


def _is_marker(template: str) -> bool:
    return template.startswith(OPENING) and counted(template.replace(HOLE, "0")) is not None


def _by_kind(records: Sequence[Record]) -> Iterable[list[Record]]:
    by_kind: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_kind[id(record.kind)].append(record)
    return by_kind.values()


def _kept(
    records: Sequence[Record], fixed: Sequence[Span], may_go: Callable[[range], bool] | None
) -> list[bool]:
    """For each record whether it stays; what stays is what later ones are like."""
    rare = {record.span.start for alike in _by_kind(records) for record in _rare(alike)}
    pinned = _around(records, fixed)
    kept = []
    for index, record in enumerate(records):
        kind = record.kind
        stays = not kind.shown or record.is_marker or record.span.start in rare or index in pinned
        stays = stays or not (may_go is None or may_go(record.lines))
        if stays:
            kind.shown, kind.exemplar = True, record.said.values
        kept.append(stays)
    return kept


def _rare(alike: Sequence[Record]) -> Iterator[Record]:
    """Those of some records of one kind that stay because nothing, or little, is like them."""
    kind = alike[0].kind
    if kind.is_rare:
        yield from alike
        return
    if is_loud(level(kind.template)):
        yield alike[-1]
    for slot, values in kind.odd():
        yield from (record for record in alike if record.said.values[slot] in values)


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


def _fold(run: Sequence[Record], text: str) -> Iterator[Fold]:
    """The fold of records that follow each other, unless that would hardly be shorter."""
    span = Span(run[0].span.start, run[-1].span.stop)
    lines = run[-1].lines.stop - run[0].lines.start
    said = over_and_over(text, span) or describe([record.said for record in run], lines, len(span), run[0].kind.exemplar)
    yield from _worth(span, said, tuple(record.said for record in run), text.endswith("\n", 0, span.stop))


def _inside(record: Record, text: str) -> Iterator[Fold]:
    """The folds of lines that repeat inside a record that stays."""
    for rows in within(record.said) if len(record.lines) >= LONG else ():
        span = rows.span.moved(record.span.start)
        said = over_and_over(text, span) or describe(rows.lines, len(rows.lines), len(span), rows.exemplar)
        yield from _worth(span, said, tuple(rows.lines), rows.lines[-1].template.endswith("\n"))


def _worth(span: Span, said: Said, records: tuple[Alike, ...], ends_a_line: bool) -> Iterator[Fold]:
    marker = said.marker + "\n" * ends_a_line
    if len(marker) <= WORTH * len(span):
        yield Fold(span, marker, records, said.complete)
