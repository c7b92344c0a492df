"""What leaving rows out costs: a marker for every run of them, or the rows themselves where that is cheaper."""

from collections.abc import Iterator, Sequence

import numpy as np

from elision.model.types import IntArray

Mask = np.ndarray  # bool


class Ledger:
    """The rows of one text, which of them are gone, and what their markers come to.

    Asked about a row at a time, and often, so what it holds are lists: an array is slow to be asked so.
    """

    def __init__(self, row_costs: IntArray, marker: int) -> None:
        self.marker = marker
        self.gone = [True] * len(row_costs)
        self._before: list[int] = np.concatenate([[0], np.cumsum(row_costs)]).astype(np.int64).tolist()

    def cost(self, first: int, last: int) -> int:
        """Tokens of a run of rows."""
        return self._before[last + 1] - self._before[first]

    def markers(self) -> int:
        """Tokens that all runs of gone rows cost."""
        return sum(self._gap(first, last) for first, last in runs(np.array(self.gone, dtype=bool)))

    def change(self, rows: Sequence[int]) -> int:
        """By how many tokens that changes when ``rows`` come back."""
        change, back = 0, []
        for row in rows:
            if self.gone[row]:
                change += self._change(row)
                self.gone[row] = False
                back.append(row)
        for row in back:
            self.gone[row] = True
        return change

    def _change(self, row: int) -> int:
        first, last = row, row
        reach = self.marker + 1
        while first > 0 and self.gone[first - 1] and row - first <= reach:
            first -= 1
        while last + 1 < len(self.gone) and self.gone[last + 1] and last - row <= reach:
            last += 1
        return self._gap(first, row - 1) + self._gap(row + 1, last) - self._gap(first, last)

    def _gap(self, first: int, last: int) -> int:
        if first > last:
            return 0
        if last - first + 1 > self.marker:
            return self.marker
        return min(self.marker, self.cost(first, last))


def runs(mask: Mask) -> Iterator[tuple[int, int]]:
    """First and last index of each run of ``True``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        yield int(first), int(stop) - 1
