"""Choose the passages of a text that stay.

Best mean value first, each paid in reader tokens, until the budget is spent. What goes is not free
either: a run of lines left out leaves a marker, so taking one line out of the middle of a run costs
a second marker, and closing a small gap pays for itself. A run that is cheaper than its marker stays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from elision.compaction.types import Passage
from elision.model.types import FloatArray, IntArray, Span

Mask = np.ndarray  # bool
MISSED = 12  # passages worth a second look when room is left


@dataclass(frozen=True, slots=True)
class Choice:
    """What stays.

    Attributes:
        kept: Passages that stay, shape ``(n_passages,)``, bool.
        room: Tokens still free.
        missed: The best passages that did not fit whole, best first, each with the tokens that the
            markers around it would cost.
    """

    kept: Mask
    room: int
    missed: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class _Ledger:
    """What the choice so far costs: kept passages, and a marker or less for every run of gone lines."""

    line_costs: IntArray
    gone: Mask
    marker: int

    def price_of_gap(self, first: int, last: int) -> int:
        """What the gone lines ``first..last`` cost as a run: their marker, or themselves if cheaper."""
        if first > last:
            return 0
        if last - first + 1 > self.marker:
            return self.marker
        return min(self.marker, int(self.line_costs[first : last + 1].sum()))

    def change(self, line: int) -> int:
        """By how much the markers' price changes when gone ``line`` comes back."""
        first, last = line, line
        reach = self.marker + 1
        while first > 0 and self.gone[first - 1] and line - first <= reach:
            first -= 1
        while last + 1 < len(self.gone) and self.gone[last + 1] and last - line <= reach:
            last += 1
        parts = self.price_of_gap(first, line - 1) + self.price_of_gap(line + 1, last)
        return parts - self.price_of_gap(first, last)


def choose(
    passages: Sequence[Passage], values: FloatArray, costs: IntArray, forced: Mask, target: int, marker: int
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
    """
    line_of = np.fromiter((p.line for p in passages), dtype=np.int64, count=len(passages))
    line_costs = np.bincount(line_of, weights=costs).astype(np.int64)
    kept = forced.copy()
    gone = np.ones(len(line_costs), dtype=bool)
    gone[line_of[kept]] = False
    ledger = _Ledger(line_costs, gone, marker)
    spent = int(costs[kept].sum()) + sum(ledger.price_of_gap(a, b) for a, b in runs(gone))
    missed: list[int] = []
    for index in np.argsort(-values, kind="stable"):
        if kept[index]:
            continue
        line = line_of[index]
        price = int(costs[index]) + (ledger.change(line) if gone[line] else 0)
        if spent + price <= target:
            kept[index], gone[line] = True, False
            spent += price
        elif len(missed) < MISSED:
            missed.append(int(index))
    around = tuple((index, ledger.change(line_of[index]) if gone[line_of[index]] else 0) for index in missed)
    for first, last in runs(gone):
        if line_costs[first : last + 1].sum() <= marker:
            kept[np.searchsorted(line_of, first) : np.searchsorted(line_of, last, side="right")] = True
    return Choice(kept, target - spent, around)


def runs(mask: Mask) -> Iterator[tuple[int, int]]:
    """First and last index of each run of ``True``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        yield int(first), int(stop) - 1


def thin(units: Sequence[Span], values: FloatArray, costs: IntArray, pinned: Mask, room: int, least: float) -> Mask | None:
    """Choose the units of one passage that fit into ``room`` tokens, best value first.

    Returns:
        Mask of shape ``(n_units,)``, or None where less than ``least`` of the passage's tokens would
        be left: a line whose rest would be fragments goes whole.
    """
    kept = pinned.copy()
    spent = int(costs[kept].sum())
    for index in np.argsort(-values, kind="stable"):
        if not kept[index] and spent + int(costs[index]) <= room:
            kept[index] = True
            spent += int(costs[index])
    if spent > room or spent < least * int(costs.sum()):
        return None
    return kept
