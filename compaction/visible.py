"""The text without its control sequences, and the way back to the original's offsets."""

from collections.abc import Sequence

import numpy as np

from elision.compaction.guard.ansi import control_spans
from elision.compaction.types import Drop
from elision.model.types import IntArray, Span

ANSI = "ansi"


class Visible:
    """What a terminal would show of ``source``; every further step reads `text`, never the source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.hidden = control_spans(source)
        shown = _gaps(self.hidden, len(source))
        self.text = "".join(span.of(source) for span in shown) if self.hidden else source
        self._source_starts: IntArray = np.array([span.start for span in shown], dtype=np.int64)
        lengths = np.array([len(span) for span in shown], dtype=np.int64)
        self._starts: IntArray = np.cumsum(lengths) - lengths

    def back(self, span: Span) -> Span:
        """Where a non-empty stretch of `text` stands in the source, hidden parts inside included."""
        if not self.hidden:
            return span
        return Span(self._at(span.start), self._at(span.stop - 1) + 1)

    def drops_in_source(self, drops: Sequence[Drop]) -> tuple[Drop, ...]:
        """Drops of `text` and the hidden spans, as drops of the source: sorted, not overlapping."""
        moved = [Drop(self.back(drop.span), drop.replacement, drop.reason) for drop in drops]
        loose, at = [], 0
        for span in self.hidden:
            while at < len(moved) and moved[at].span.stop <= span.start:
                at += 1
            if at == len(moved) or span.stop <= moved[at].span.start:
                loose.append(Drop(span, "", ANSI))
        return tuple(sorted([*moved, *loose]))

    def _at(self, index: int) -> int:
        part = int(np.searchsorted(self._starts, index, side="right")) - 1
        return int(self._source_starts[part]) + index - int(self._starts[part])


def _gaps(spans: Sequence[Span], length: int) -> list[Span]:
    edges = [0, *(edge for span in spans for edge in (span.start, span.stop)), length]
    gaps = (Span(start, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True))
    return [gap for gap in gaps if len(gap)]
