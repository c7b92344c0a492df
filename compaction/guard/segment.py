"""Read a text as passages: what is chosen or left out before any single word is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from elision.compaction.guard.groups import find_groups
from elision.compaction.guard.heads import find_heads
from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.overlong import OVERLONG, kind_of_overlong, stretches
from elision.compaction.guard.sentences import split_sentences
from elision.compaction.pace import paced
from elision.compaction.types import Kind, Passage
from elision.model.types import Span, nothing


@dataclass(frozen=True, slots=True)
class Segmented:
    """A text, read. Its lines, its rows and its passages each partition it.

    Attributes:
        lines: Its lines, each with its terminator; a fixed span ends one and begins one.
        kinds: What each line is, as many as lines.
        rows: Its lines, those that stay or go together as one; a fixed span is a row.
        passages: A row each; a sentence each where the line is prose, and stretches of what is overlong,
            unless the row is of several lines or other rows need it.
    """

    lines: list[Span]
    kinds: list[Kind]
    rows: list[Span]
    passages: list[Passage]


def segment(text: str, tick: Callable[[], None] = nothing, fixed: Sequence[Span] = ()) -> Segmented:
    """Read a text; what stands between two fixed spans is read as a text of its own.

    Args:
        text: Any string with its control sequences already taken out.
        tick: Called now and then; may raise to end it.
        fixed: Spans that are one passage each and never divided, such as all of a JSON document but its
            long strings; not empty, sorted, not overlapping. They need not begin or end with a line.
    """
    read = Segmented([], [], [], [])
    at = 0
    for span in fixed:
        _read_free(read, text, Span(at, span.start), tick)
        _read_fixed(read, text, span)
        at = span.stop
    _read_free(read, text, Span(at, len(text)), tick)
    return read


def _read_fixed(read: Segmented, text: str, span: Span) -> None:
    lines = _lines(text, span)
    read.lines.extend(lines)
    read.kinds.extend([Kind.JSON] * len(lines))
    read.passages.append(Passage(span, len(read.rows), Kind.JSON))
    read.rows.append(span)


def _read_free(read: Segmented, text: str, span: Span, tick: Callable[[], None]) -> None:
    if not len(span):
        return
    lines = _lines(text, span)
    kinds = _kinds(text, lines, tick)
    strings = [line.of(text).rstrip("\r\n") for line in lines]
    heads = find_heads(strings, kinds)
    needed = set(heads.values())
    row_of: list[int] = []
    passages: list[Passage] = []
    for group in paced(_grouped(kinds, find_groups(strings, kinds)), tick):
        row = Span(lines[group.start].start, lines[group.stop - 1].stop)
        whole = len(group) > 1 or group.start in needed
        row_of.extend([len(read.rows)] * len(group))
        passages.extend(_passages(text, row, len(read.rows), kinds[group.start], whole))
        read.rows.append(row)
    read.passages.extend(_headed(passages, heads, row_of, len(read.passages)))
    read.lines.extend(lines)
    read.kinds.extend(kinds)


def _kinds(text: str, lines: Sequence[Span], tick: Callable[[], None]) -> list[Kind]:
    found = classify(text, lines, tick)
    kinds = list(found)
    for index, line in enumerate(lines):
        if len(line) > OVERLONG:
            neighbours = found[max(0, index - 1) : index] + found[index + 1 : index + 2]
            kinds[index] = kind_of_overlong(line.of(text), found[index], neighbours)
    return kinds


def _lines(text: str, span: Span) -> list[Span]:
    lines = split_lines(span.of(text))
    return [Span(span.start + line.start, span.start + line.stop) for line in lines] if span.start else lines


def _grouped(kinds: Sequence[Kind], groups: Sequence[range]) -> Iterator[range]:
    """The groups, runs of blank lines, and each line that is in none of both, in text order."""
    at = 0
    for group in groups:
        yield from _between_groups(kinds, at, group.start)
        yield group
        at = group.stop
    yield from _between_groups(kinds, at, len(kinds))


def _between_groups(kinds: Sequence[Kind], at: int, stop: int) -> Iterator[range]:
    while at < stop:
        start, at = at, at + 1
        while kinds[start] is Kind.BLANK and at < stop and kinds[at] is Kind.BLANK:
            at += 1
        yield range(start, at)


def _passages(text: str, row: Span, number: int, kind: Kind, whole: bool) -> Iterator[Passage]:
    if whole or (kind is not Kind.PROSE and len(row) <= OVERLONG):
        yield Passage(row, number, kind, whole=whole)
        return
    for sentence in split_sentences(text, row) if kind is Kind.PROSE else [row]:
        for span in stretches(text, sentence, kind):
            yield Passage(span, number, kind, continues=span.start > sentence.start)


def _headed(
    passages: Sequence[Passage], heads: Mapping[int, int], row_of: Sequence[int], before: int
) -> Iterator[Passage]:
    """The passages with their heads.

    Args:
        passages: Of some rows, without heads.
        heads: Head of each line that has one.
        row_of: Row of each line.
        before: Passages of the text before these.
    """
    passage_of = {passage.row: before + at for at, passage in enumerate(passages) if passage.whole}
    head_of: dict[int, int] = {}
    for line in sorted(heads):
        row, head = row_of[line], row_of[heads[line]]
        if row != head:
            head_of.setdefault(row, passage_of[head])
    for passage in passages:
        yield replace(passage, head=head_of[passage.row]) if passage.row in head_of else passage
