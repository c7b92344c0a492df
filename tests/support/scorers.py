"""Small real scorers, for tests that must know what a text is worth."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import regex

from elision.model.types import Scores, nothing

_PIECE = regex.compile(r"\w{1,6}|[^\w\s]")


@dataclass
class HashScorer:
    """Every piece is worth what its letters say: arbitrary, the same each time, and local."""

    bundle: str = "hash@0"
    runner: str = "python"
    worth: dict[str, float] = field(default_factory=dict)

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        tick()
        found = list(_PIECE.finditer(text))
        values = [self.worth.get(m.group(), _hashed(m.group())) for m in found]
        starts, stops = [m.start() for m in found], [m.end() for m in found]
        return Scores(np.array(starts, np.int64), np.array(stops, np.int64), np.array(values, np.float32))


def _hashed(piece: str) -> float:
    return zlib.crc32(piece.encode("utf-8", "surrogatepass")) / 2**32
