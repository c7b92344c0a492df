"""Count a text once, however many parts of the path ask for it: counting is a third of a log's price."""

from functools import lru_cache

from elision.compaction.types import TokenCounter
from elision.model.types import IntArray

_REMEMBERED = 4  # texts: a window as it came, selected, folded, done


class CountOnce:
    """Counts as another counter does; see `elision.compaction.types.TokenCounter`."""

    def __init__(self, counter: TokenCounter) -> None:
        self.encoding, self.exact = counter.encoding, counter.exact
        self._counter = counter
        self._count = lru_cache(_REMEMBERED)(counter.count)

    def count(self, text: str) -> int:
        """Number of tokens of ``text``."""
        return self._count(text)

    def prefix(self, text: str) -> IntArray:
        """Tokens that start before each character."""
        return self._counter.prefix(text)
