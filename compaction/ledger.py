"""What leaving rows out costs: a marker for every run of them, or the rows themselves where that is cheaper."""

from collections.abc import Iterator, Sequence

import numpy as np

from elision.model.types import IntArray

Mask = np.ndarray  # bool


class Ledger:
    """The rows of one text, which of them are gone, and what their markers come to.

    Asked about a row at a time, and often, so it holds bytes and a list: an array is slow to be asked so.
    """

    def __init__(self, row_costs: IntArray, marker: int) -> None:
        self.marker = marker
        self.gone = bytearray(b"\1") * len(row_costs)
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
                change += self.change_of(row)
                self.gone[row] = False
                back.append(row)
        for row in back:
            self.gone[row] = True
        return change

    def change_of(self, row: int) -> int:
        """The same for one row."""
        if not self.gone[row]:
            return 0
        # Further than a marker's tokens a run costs its marker, however long it is.
        reach = self.marker + 2
        first = max(0, row - reach)
        last = min(len(self.gone) - 1, row + reach)
        before, after = self.gone.rfind(0, first, row), self.gone.find(0, row + 1, last + 1)
        first = before + 1 if before >= 0 else first
        last = after - 1 if after >= 0 else last
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
