"""Choose the passages of a text that stay.

Best mean value first, less what is already said, each paid in reader tokens, until the budget is
spent. What goes is not free either: a run of lines left out leaves a marker, so taking one line out of
the middle of a run costs a second marker, and closing a small gap pays for itself. A run that is
cheaper than its marker stays. Where the last room is not enough for a whole passage, one may stay in
part.
"""

import heapq
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from elision.compaction.coverage import PassageWords, Said
from elision.compaction.types import Passage
from elision.model.types import FloatArray, IntArray

Mask = np.ndarray  # bool
# What a passage loses when all its words already stay. Measured by scripts/next_action.py against
# `elision evaluate --end-to-end`: more keeps more of what agents use next, and fewer essential lines.
REPETITION = 0.8
LEAST = 0.5  # of a passage's tokens: with less of it left, a line is fragments and goes whole
# A part of one passage must beat the whole passages that would fill the same room by this factor.
BETTER = 1.1
_LOOKED_AT = 12  # passages that did not fit whole, looked at again for a part


@dataclass(frozen=True, slots=True)
class Choice:
    """What stays.

    Attributes:
        kept: Passages that stay, shape ``(n_passages,)``, bool.
        partly: The one passage that stays in part, where the last room was not enough for all of it.
        room: Tokens that part may cost.
    """

    kept: Mask
    partly: int | None
    room: int


def choose(
    passages: Sequence[Passage],
    values: FloatArray,
    costs: IntArray,
    forced: Mask,
    target: int,
    marker: int,
    words: PassageWords,
    whole: Container[int] = (),
) -> Choice:
    """Choose the passages that stay within ``target`` tokens.

    Forced passages always stay and are paid for first, so many of them can exceed the target.

    Args:
        passages: In text order; they partition the text.
        values: Mean keep value of each, shape ``(n_passages,)``.
        costs: Reader tokens of each, shape ``(n_passages,)``.
        forced: Passages that must stay, shape ``(n_passages,)``, bool.
        target: Reader tokens allowed, markers included.
        marker: Reader tokens of a marker.
        words: The passages' words.
        whole: Passages that may not stay in part, though their kind would allow it.
    """
    line_of = np.fromiter((p.line for p in passages), dtype=np.int64, count=len(passages))
    ledger = _Ledger(np.bincount(line_of, weights=costs).astype(np.int64), marker)
    ledger.gone[line_of[forced]] = False
    kept = forced.copy()
    spent = int(costs[kept].sum()) + ledger.markers()
    missed: list[int] = []
    instead: Choice | None = None
    said = Said(words)
    for stays in np.flatnonzero(kept):
        said.add(int(stays))
    for index in _best_first(values, forced, said):
        price = int(costs[index]) + ledger.change(line_of[index])
        if spent + price <= target:
            kept[index], ledger.gone[line_of[index]] = True, False
            said.add(index)
            spent += price
        elif passages[index].divisible and index not in whole and len(missed) < _LOOKED_AT:
            if not missed:
                instead = _partly(kept, index, target - spent - price, costs, target)
            missed.append(index)
    if instead and instead.partly is not None:
        others = float((values * costs)[kept & ~instead.kept].sum())
        if values[instead.partly] * instead.room > BETTER * others:
            return ledger.closed(instead, line_of)
    for index in missed:
        price = int(costs[index]) + ledger.change(line_of[index])
        filled = _partly(kept, index, target - spent - price, costs, target)
        if filled:
            return ledger.closed(filled, line_of)
    return ledger.closed(Choice(kept, None, 0), line_of)


def runs(mask: Mask) -> Iterator[tuple[int, int]]:
    """First and last index of each run of ``True``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        yield int(first), int(stop) - 1


def thin(values: FloatArray, costs: IntArray, fixed: Mask, room: int) -> Mask | None:
    """Choose the units of one passage that fit into ``room`` tokens, best value first.

    Args:
        values: Keep value of each unit, shape ``(n_units,)``.
        costs: Reader tokens of each, shape ``(n_units,)``.
        fixed: Units that stay whatever they cost, shape ``(n_units,)``, bool.
        room: Tokens allowed.

    Returns:
        Mask of shape ``(n_units,)``, or None where nothing fits beside what is fixed.
    """
    kept = fixed.copy()
    spent = int(costs[kept].sum())
    for index in np.argsort(-values, kind="stable"):
        if not kept[index] and spent + int(costs[index]) <= room:
            kept[index] = True
            spent += int(costs[index])
    return kept if spent <= room and (kept & ~fixed).any() else None


class _Ledger:
    """What gone lines cost: a marker for every run of them, or themselves where that is cheaper."""

    def __init__(self, line_costs: IntArray, marker: int) -> None:
        self.line_costs, self.marker = line_costs, marker
        self.gone = np.ones(len(line_costs), dtype=bool)

    def markers(self) -> int:
        """Tokens that all runs of gone lines cost."""
        return sum(self._gap(first, last) for first, last in runs(self.gone))

    def change(self, line: int) -> int:
        """By how many tokens that changes when ``line`` comes back."""
        if not self.gone[line]:
            return 0
        first, last = line, line
        reach = self.marker + 1
        while first > 0 and self.gone[first - 1] and line - first <= reach:
            first -= 1
        while last + 1 < len(self.gone) and self.gone[last + 1] and last - line <= reach:
            last += 1
        return self._gap(first, line - 1) + self._gap(line + 1, last) - self._gap(first, last)

    def closed(self, choice: Choice, line_of: IntArray) -> Choice:
        """``choice`` with the runs that are cheaper than their marker."""
        kept = choice.kept.copy()
        gone = np.ones(len(self.gone), dtype=bool)
        gone[line_of[kept]] = False
        for first, last in runs(gone):
            if self.line_costs[first : last + 1].sum() <= self.marker:
                kept[np.searchsorted(line_of, first) : np.searchsorted(line_of, last, side="right")] = True
        return Choice(kept, choice.partly, choice.room)

    def _gap(self, first: int, last: int) -> int:
        if first > last:
            return 0
        if last - first + 1 > self.marker:
            return self.marker
        return min(self.marker, int(self.line_costs[first : last + 1].sum()))


def _best_first(values: FloatArray, forced: Mask, said: Said) -> Iterator[int]:
    """Passages by value, less what is said by then; a passage's worth can only fall, so it is looked at
    again when its turn comes."""
    queue = [(-float(values[index]), int(index)) for index in np.flatnonzero(~forced)]
    heapq.heapify(queue)
    while queue:
        _, index = heapq.heappop(queue)
        worth = float(values[index]) * (1 - REPETITION * said.share(index))
        if queue and -worth > queue[0][0]:
            heapq.heappush(queue, (-worth, index))
        else:
            yield index


def _partly(kept: Mask, index: int, short: int, costs: IntArray, target: int) -> Choice | None:
    """``kept`` and a part of passage ``index``, which is ``-short`` tokens too long; None if fragments."""
    room = int(costs[index]) + short
    # A passage that is more than the whole text may keep can only stay in part.
    if room < LEAST * costs[index] and not (costs[index] > target and room > 0):
        return None
    more = kept.copy()
    more[index] = True
    return Choice(more, index, room)
