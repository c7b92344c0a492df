"""What the chosen passages already say, so that saying it again counts for less.

An agent looks names up: once a name stands in what is kept, a second line that holds only names
already there helps little, however well it scores. So while passages are chosen, one is worth less by
the share of its words that already stay.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import regex

from elision.model.types import IntArray, Span

_WORD = regex.compile(r"[^\W\d_][\w$]{2,}")


class PassageWords:
    """The distinct words of each passage, as numbers; words are runs of three or more word characters."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        numbers: dict[str, int] = {}
        rows = [
            list({numbers.setdefault(word, len(numbers)) for word in _WORD.findall(text, span.start, span.stop)})
            for span in spans
        ]
        self._flat: IntArray = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        self._edges: IntArray = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
        self.distinct = len(numbers)

    def of(self, index: int) -> IntArray:
        """Numbers of the words of passage ``index``."""
        return self._flat[self._edges[index] : self._edges[index + 1]]


class Said:
    """Which words stay so far; one for each time of choosing."""

    def __init__(self, words: PassageWords) -> None:
        self._words = words
        self._stays = np.zeros(words.distinct, dtype=bool)

    def share(self, index: int) -> float:
        """Share of the words of passage ``index`` that stay already; 0 where it has none."""
        own = self._words.of(index)
        return int(np.count_nonzero(self._stays[own])) / len(own) if len(own) else 0.0

    def add(self, index: int) -> None:
        """Passage ``index`` stays."""
        self._stays[self._words.of(index)] = True
