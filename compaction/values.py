"""From piece values to the values of units and passages.

Pieces do not partition a text, so a stretch is worth the mean of the pieces that touch it. A mean,
not a sum: ranking by value per length keeps short debris and loses the lines that matter.
"""

from collections.abc import Sequence

import numpy as np

from elision.model.types import FloatArray, IntArray, Scores, Span

# The model sees a window at a time and cannot know where a long text begins and ends, where agents
# look most: this much is added there, fading over so many tokens (scripts/next_action.py).
AT_THE_ENDS = 0.25
FADING = 400


class Values:
    """Mean keep values of any stretch of one scored text."""

    def __init__(self, scores: Scores) -> None:
        self._starts, self._stops = scores.starts, scores.stops
        self._sums = np.concatenate([[0.0], np.cumsum(scores.values, dtype=np.float64)])

    def of(self, spans: Sequence[Span]) -> FloatArray:
        """Value of each span, shape ``(len(spans),)``; 0 where no piece touches it (white space)."""
        starts = np.fromiter((span.start for span in spans), dtype=np.int64, count=len(spans))
        stops = np.fromiter((span.stop for span in spans), dtype=np.int64, count=len(spans))
        first = np.searchsorted(self._stops, starts, side="right")
        last = np.maximum(np.searchsorted(self._starts, stops, side="left"), first)
        counts = last - first
        means = (self._sums[last] - self._sums[first]) / np.maximum(counts, 1)
        return np.where(counts > 0, means, 0.0).astype(np.float32)


def with_ends(values: FloatArray, costs: IntArray) -> FloatArray:
    """Passage values with what nearness to either end of the text adds.

    Args:
        values: Shape ``(n_passages,)``.
        costs: Reader tokens of each, shape ``(n_passages,)``.
    """
    middles = np.cumsum(costs) - costs / 2
    nearest = np.minimum(middles, costs.sum() - middles)
    raised: FloatArray = (values + AT_THE_ENDS * np.exp(-nearest / FADING)).astype(np.float32)
    return raised
