"""What is shown of a text to whatever chooses, and the way back to the original's offsets.

A view is made in steps, each of which hides a stretch, puts a short text in its place, or shows the
inside of a JSON string decoded. Every character of it knows the source characters that spell it, so a
drop found in the view is a drop of the source, and what survives keeps its spelling: nothing is
escaped again but the replacements themselves.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from elision.compaction.cut import rebuild
from elision.compaction.guard.json_values import decoded
from elision.compaction.raw_json import spell
from elision.compaction.types import Drop
from elision.model.types import Span

Places = NDArray[np.int32]

_START, _STOP, _DEPTH = range(3)


@dataclass(frozen=True)
class View:
    """A text as shown; steps return a new one.

    Attributes:
        source: The original.
        text: What is shown of it.
        hidden: What is not, as sorted drops of the source that do not overlap.
        places: For each character of `text` where its spelling starts and stops in the source and in
            how many JSON strings it stands, shape ``(len(text), 3)``. A replacement's characters all
            have the place of what they stand for.
    """

    source: str
    text: str
    hidden: tuple[Drop, ...] = ()
    places: Places = field(default_factory=lambda: np.zeros((0, 3), np.int32), repr=False, compare=False)

    @classmethod
    def of(cls, source: str) -> "View":
        """All of ``source``, as it stands."""
        places = np.zeros((len(source), 3), dtype=np.int32)  # a large text has many: half of what int64 takes
        places[:, _START] = np.arange(len(source), dtype=np.int32)
        np.add(places[:, _START], 1, out=places[:, _STOP])
        return cls(source, source, (), places)

    def output(self, drops: Sequence[Drop] = ()) -> str:
        """The source without what is hidden and without ``drops`` of `text`."""
        return rebuild(self.source, self.drops_in_source(drops))

    def hide(self, drops: Iterable[Drop]) -> "View":
        """The view with stretches of `text` replaced; they are sorted and do not overlap."""
        drops = [drop for drop in drops if len(drop.span)]
        if not drops:
            return self
        edits = [(drop.span, drop.replacement, self._place(drop)) for drop in drops]
        return self._edited(edits, self.drops_in_source(drops))

    def decode(self, insides: Iterable[Span]) -> "View":
        """The view with the insides of JSON string literals, sorted, shown as what they say."""
        edits = [self._decoded(span) for span in insides]
        return self._edited(edits, self.hidden) if edits else self

    def back(self, span: Span) -> Span:
        """Where a stretch of `text` stands in the source, hidden parts inside included.

        An empty one stands after the character before it.
        """
        if len(span):
            return Span(int(self.places[span.start, _START]), int(self.places[span.stop - 1, _STOP]))
        at = int(self.places[span.start - 1, _STOP]) if span.start else 0
        return Span(at, at)

    def forth(self, span: Span) -> Span:
        """What is shown of a stretch of the source."""
        # numpy's own search copies the column, which makes many stretches of a long text quadratic.
        first = bisect_right(self.places[:, _STOP], span.start)
        last = bisect_left(self.places[:, _START], span.stop)
        return Span(first, max(first, last))

    def replacements(self) -> list[Span]:
        """Stretches of `text` that stand for something longer."""
        shorter = (drop for drop in self.hidden if 1 < len(drop.replacement) < len(drop.span))
        shown = (self.forth(drop.span) for drop in shorter)
        return [span for span in shown if len(span)]

    def drops_in_source(self, drops: Iterable[Drop]) -> tuple[Drop, ...]:
        """Drops of `text` and the hidden ones, as drops of the source: sorted, not overlapping."""
        moved = [Drop(self.back(drop.span), self._spelled(drop), drop.reason) for drop in drops]
        return tuple(_apart([*moved, *self.hidden]))

    def _spelled(self, drop: Drop) -> str:
        """A replacement as the JSON strings it stands in would spell it."""
        spelled = drop.replacement
        for _ in range(self._depth(drop.span) if spelled else 0):
            spelled = spell(spelled, self._spelled_like)[1:-1]
        return spelled

    def _depth(self, span: Span) -> int:
        """In how many JSON strings a stretch stands."""
        at = span.start if len(span) else span.start - 1
        return int(self.places[at, _DEPTH]) if at >= 0 else 0

    @cached_property
    def _spelled_like(self) -> str:
        r"""What tells `spell` whether the source has escapes, such as ``\u2026``, for all but ASCII."""
        return "\\u" if self.source.isascii() and "\\u" in self.source else ""

    def _place(self, drop: Drop) -> Places:
        source = self.back(drop.span)
        place = np.array([source.start, source.stop, self._depth(drop.span)], dtype=np.int32)
        return np.tile(place, (len(drop.replacement), 1))

    def _decoded(self, span: Span) -> tuple[Span, str, Places]:
        text, edges = decoded(span.of(self.text))
        old = self.places[span.start : span.stop]
        starts, stops = old[edges[:-1], _START], old[edges[1:] - 1, _STOP]
        return span, text, np.stack([starts, stops, old[edges[:-1], _DEPTH] + 1], axis=1)

    def _edited(self, edits: Sequence[tuple[Span, str, Places]], hidden: tuple[Drop, ...]) -> "View":
        texts, places, at = [], [], 0
        for span, text, place in edits:
            texts += [self.text[at : span.start], text]
            places += [self.places[at : span.start], place]
            at = span.stop
        text = "".join([*texts, self.text[at:]])
        return View(self.source, text, hidden, np.concatenate([*places, self.places[at:]]))


def between(spans: Iterable[Span], whole: Span) -> Iterator[Span]:
    """What ``whole`` holds besides the sorted ``spans`` inside it."""
    edges = [whole.start, *(edge for span in spans for edge in (span.start, span.stop)), whole.stop]
    for start, stop in list(pairwise(edges))[::2]:
        if start < stop:
            yield Span(start, stop)


def _apart(drops: Iterable[Drop]) -> Iterator[Drop]:
    """The drops in text order; what lies inside another goes with it."""
    last = 0
    for drop in sorted(drops, key=lambda drop: (drop.span.start, len(drop.span) > 0, -drop.span.stop)):
        if drop.span.start >= last:
            yield drop
            last = drop.span.stop
