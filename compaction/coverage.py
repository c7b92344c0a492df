"""What the chosen passages already say, so that saying it again counts for less.

An agent looks names up: once a name stands in what is kept, a second line that holds only names
already there helps little, however well it scores. So while passages are chosen, one is worth less by
the share of its words that already stay.
"""

from collections.abc import Sequence

import regex

from elision.model.types import Span

_WORD = regex.compile(r"[^\W\d_][\w$]{2,}")


class PassageWords:
    """The distinct words of each passage, as numbers; words are runs of three or more word characters."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        numbers: dict[str, int] = {}
        self._rows = [
            tuple({numbers.setdefault(word, len(numbers)) for word in _WORD.findall(text, span.start, span.stop)})
            for span in spans
        ]
        self.distinct = len(numbers)

    def of(self, index: int) -> tuple[int, ...]:
        """Numbers of the words of passage ``index``."""
        return self._rows[index]


class Said:
    """Which words stay so far; one for each time of choosing."""

    def __init__(self, words: PassageWords) -> None:
        self._words = words
        self._stays = bytearray(words.distinct)

    def share(self, index: int) -> float:
        """Share of the words of passage ``index`` that stay already; 0 where it has none."""
        own = self._words.of(index)
        return sum(map(self._stays.__getitem__, own)) / len(own) if own else 0.0

    def add(self, index: int) -> None:
        """Passage ``index`` stays."""
        for word in self._words.of(index):
            self._stays[word] = 1
