"""The few nouns the model room speaks: text goes in, `Scores` come out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, stop)`` of characters (code points) in one string."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def of(self, text: str) -> str:
        return text[self.start : self.stop]

    def moved(self, by: int) -> "Span":
        """The range ``by`` characters further on."""
        return Span(self.start + by, self.stop + by)


@dataclass(frozen=True, slots=True)
class Scores:
    """What the classifier thinks of one text, piece by piece, in text order.

    Piece spans do not partition the text: ligatures share characters, white space has none.

    Attributes:
        starts: First character of each piece, shape ``(n_pieces,)``, int64.
        stops: One past the last character of each piece, shape ``(n_pieces,)``, int64.
        values: Keep value of each piece, shape ``(n_pieces,)``, float32, in [0, 1].
    """

    starts: IntArray
    stops: IntArray
    values: FloatArray


def nothing() -> None:
    """The tick of a caller that has no deadline."""


class Scorer(Protocol):
    """Text and query in, `Scores` out; deterministic for one bundle and runner."""

    @property
    def bundle(self) -> str:
        """Name and content hash of the weights, as receipts give them."""

    @property
    def runner(self) -> str:
        """What computes the scores, as receipts give it."""

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        """Score every piece of ``text``.

        Args:
            text: Any string; lone surrogates are read as U+FFFD, offsets unchanged.
            query: What the reader was after; its first 48 pieces count. May be empty.
            tick: Called between windows; whatever it raises ends the scoring.
        """
