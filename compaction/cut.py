"""Cut a text down to what was chosen.

Text is never re-joined from pieces. What is left out is a list of drops over the original, so
whatever survives is byte for byte what was there, and a run of rows that went leaves a marker that
counts their lines.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np

from elision.compaction.guard.blobs import blob_marker
from elision.compaction.guard.lines import count_lines
from elision.compaction.guard.markers import counted, marker
from elision.compaction.guard.reports import is_error
from elision.compaction.guard.segment import Segmented
from elision.compaction.ledger import Mask, runs
from elision.compaction.pins.text import may_report
from elision.compaction.tidy import body, tidied
from elision.compaction.types import Drop, Kind
from elision.model.types import IntArray, Span

LINES, SENTENCE, WORDS = "low_value_lines", "low_value_sentence", "low_value_words"
_NO_FILE = -1


@dataclass(frozen=True, slots=True)
class Thinned:
    """The units of one passage and which of them stay."""

    units: Sequence[Span]
    kept: Mask


def cut(text: str, segmented: Segmented, kept: Mask, thinned: Mapping[int, Thinned]) -> list[Drop]:
    """The drops that leave just the kept passages, thinned where said; sorted, not overlapping.

    A drop may be empty: a marker that stands between two rows that stay.

    Args:
        text: The visible text.
        segmented: Its rows and passages.
        kept: Passages that stay, shape ``(n_passages,)``, bool.
        thinned: For some kept passages, by index, the units of it that stay.
    """
    gone = _gone_rows(segmented, kept)
    return sorted([*_between(text, segmented, gone), *_inside(text, segmented, gone, kept, thinned)])


def rebuild(text: str, drops: Sequence[Drop]) -> str:
    """``text`` with every dropped span replaced by its replacement."""
    parts, at = [], 0
    for drop in drops:
        parts += [text[at : drop.span.start], drop.replacement]
        at = drop.span.stop
    return "".join([*parts, text[at:]])


def _gone_rows(segmented: Segmented, kept: Mask) -> Mask:
    """Rows of which no passage stays, shape ``(n_rows,)``, bool."""
    gone = np.ones(len(segmented.rows), dtype=bool)
    gone[[passage.row for passage, stays in zip(segmented.passages, kept, strict=True) if stays]] = False
    return gone


def _inside(
    text: str, segmented: Segmented, gone: Mask, kept: Mask, thinned: Mapping[int, Thinned]
) -> Iterator[Drop]:
    """What goes out of rows that stay."""
    for number, passages in groupby(enumerate(segmented.passages), lambda item: item[1].row):
        if gone[number]:
            continue
        row = segmented.rows[number]
        drops: list[Drop] = []
        for index, passage in passages:
            if not kept[index]:
                span = body(text, row, passage)
                drops.append(Drop(span, "" if passage.divisible else blob_marker(len(span)), SENTENCE))
            elif index in thinned:
                units, stretches = thinned[index].units, runs(~thinned[index].kept)
                drops += [Drop(Span(units[first].start, units[last].stop), "", WORDS) for first, last in stretches]
        yield from tidied(text, row, drops)


def _between(text: str, segmented: Segmented, gone: Mask) -> Iterator[Drop]:
    """A drop for each run of gone rows, with its marker.

    Between two rows of one file of a diff none may stand: git looks for the file's next hunk there. What
    went from there is counted in the marker after the last row of the file that stays.
    """
    file_of = _files(segmented)
    tally = _Tally(text, segmented)
    owed: dict[int, list[Span]] = defaultdict(list)
    for first, last in runs(gone):
        span = Span(segmented.rows[first].start, segmented.rows[last].stop)
        file = int(file_of[first - 1])
        if file != _NO_FILE and file == file_of[last + 1]:
            owed[file].append(span)
            yield Drop(span, "", LINES)
        else:
            yield Drop(span, tally.marker([*owed.pop(file, ()), span]) + _line_end(text, span), LINES)
    last_kept = {int(file_of[row]): segmented.rows[row] for row in np.flatnonzero(~gone)} if owed else {}
    for file, spans in owed.items():
        end = _line_end(text, last_kept[file])
        said = tally.marker(spans)
        stop = last_kept[file].stop
        yield Drop(Span(stop, stop), said + end if end else "\n" + said, LINES)


def _files(segmented: Segmented) -> IntArray:
    """For each row of a diff, the row that heads its file; one more than rows, so that -1 is no row too."""
    file_of = np.full(len(segmented.rows) + 1, _NO_FILE, dtype=np.int64)
    for passage in segmented.passages:
        if passage.kind is Kind.DIFF and passage.head >= 0:
            head = segmented.passages[passage.head]
            if head.kind is Kind.DIFF:
                file = head.row if file_of[head.row] == _NO_FILE else file_of[head.row]
                file_of[[head.row, passage.row]] = file
    return file_of


class _Tally:
    """Counts what went: lines of the source, for which earlier markers may stand, and errors."""

    def __init__(self, text: str, segmented: Segmented) -> None:
        self._text = text
        lines = list(zip(segmented.lines, segmented.kinds, strict=True))
        self._reports = [line for line, kind in lines if kind is not Kind.BLANK and may_report(line.of(text), kind)]
        self._markers = [line for line, kind in lines if kind is Kind.MARKER]

    def marker(self, spans: Sequence[Span]) -> str:
        """The marker of what went."""
        lines = errors = 0
        for span in spans:
            earlier = [found for line in _inside_of(self._markers, span) if (found := counted(line.of(self._text)))]
            lines += count_lines(span.of(self._text)) + sum(found.lines - 1 for found in earlier)
            errors += sum(is_error(line.of(self._text)) for line in _inside_of(self._reports, span))
            errors += sum(found.errors for found in earlier)
        return marker(lines, errors)


def _inside_of(lines: Sequence[Span], span: Span) -> Sequence[Span]:
    first, stop = (bisect_left(lines, at, key=attrgetter("start")) for at in (span.start, span.stop))
    return lines[first:stop]


def _line_end(text: str, span: Span) -> str:
    """The terminator of the last line of ``span``."""
    tail = text[max(span.start, span.stop - 2) : span.stop]
    if tail == "\r\n":
        return tail
    return tail[-1:] if tail.endswith(("\r", "\n")) else ""
