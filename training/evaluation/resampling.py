"""The paired bootstrap: how sure is a difference, when what is drawn again are whole documents?

Chunks of one document share their subject, their words and their judge's mood, so they are never
drawn apart. Two methods are measured on the same draws, which takes out what is hard for both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elision.model.types import IntArray
from elision.training.evaluation.metrics import Pool, Values

DRAWS, SEED = 2000, 0
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Draws:
    """Groups drawn with replacement.

    Attributes:
        place: Group of each item, shape ``(n_items,)``, numbered in order of appearance.
        groups: How many groups there are.
        drawn: Groups of each draw, shape ``(n_draws, n_groups)``.
    """

    place: IntArray
    groups: int
    drawn: IntArray

    def means(self, values: Values, items: IntArray | None = None) -> Values:
        """Mean over the items of each draw, shape ``(n_draws,)``; NaN where a draw has none of them.

        Args:
            values: Value of each item.
            items: Which items they are; without it all.
        """
        place = self.place if items is None else self.place[items]
        sums = np.bincount(place, weights=values, minlength=self.groups)
        counts = np.bincount(place, minlength=self.groups)
        with np.errstate(invalid="ignore"):
            found: Values = sums[self.drawn].sum(axis=1) / counts[self.drawn].sum(axis=1)
        return found

    def aucs(self, pool: Pool) -> Values:
        """AUC over the pooled items of each draw, shape ``(n_draws,)``; NaN where one class is missing.

        An item counts as often as its group was drawn, so each draw is one pass over sorted items.
        """
        group = self.place[pool.chunk]
        below = np.argsort(pool.values[~pool.positive], kind="stable")
        above = np.argsort(pool.values[pool.positive], kind="stable")
        lower, upper = pool.values[~pool.positive][below], pool.values[pool.positive][above]
        negative, positive = group[~pool.positive][below], group[pool.positive][above]
        under = np.searchsorted(lower, upper, side="left")
        level = np.searchsorted(lower, upper, side="right")  # ties count half
        found = np.full(len(self.drawn), np.nan)
        reached = np.zeros(len(negative) + 1)
        for number, drawn in enumerate(self.drawn):
            times = np.bincount(drawn, minlength=self.groups).astype(np.float64)
            np.cumsum(times[negative], out=reached[1:])
            weights = times[positive]
            pairs = weights.sum() * reached[-1]
            if pairs:
                found[number] = weights @ (reached[under] + reached[level]) / (2 * pairs)
        return found


def draw(groups: Sequence[str], draws: int = DRAWS, seed: int = SEED) -> Draws:
    """Draw whole groups, as many as there are, ``draws`` times."""
    places = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    index = np.array([places[group] for group in groups], dtype=np.int64)
    drawn = np.random.default_rng(seed).integers(len(places), size=(draws, len(places)))
    return Draws(index, len(places), drawn)


def interval(values: NDArray[np.float64]) -> Interval:
    """The middle 95 % of what the draws gave; those that gave nothing are left out."""
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(low), float(high)
