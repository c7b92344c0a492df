"""Judged chunks made by hand, and scorers that know a part of what the judge said."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from elision.model.types import Scores, Span, nothing
from elision.training.labels.rows import JudgedLine, LabelRow

KINDS = ("grep", "log", "prose")


def judged_rows(documents: int, chunks: int = 2, kinds: Sequence[str] = KINDS) -> list[LabelRow]:
    """Chunks of ten lines of every level in an order of their own, each with a word judged."""
    rng = np.random.default_rng(7)
    rows = []
    for number in range(documents * chunks):
        levels = rng.permutation([0, 0, 0, 1, 1, 2, 2, 3, 3, 0]).tolist()
        text, lines = "", []
        for place, level in enumerate(levels):
            line = f"worker {number} step {place} took {rng.integers(10_000)} ms on host{rng.integers(90)}"
            kept = (Span(len(text), len(text) + 6),) if level else None
            lines.append(JudgedLine(len(text), len(text) + len(line), level, kept))
            text += line + "\n"
        kind, doc = kinds[number % len(kinds)], f"doc{number // chunks}"
        rows.append(LabelRow(f"r{number}", kind, "line", "made-up", doc, "fix it", "run", "", text, tuple(lines)))
    return rows


@dataclass(frozen=True)
class KnowingScorer:
    """Scores words by the level of their line, blurred by noise: the less, the better it is."""

    rows: Sequence[LabelRow]
    noise: float = 0.0
    bundle: str = "knowing@0"
    runner: str = "python"

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        row = next(row for row in self.rows if row.text == text)
        rng = np.random.default_rng(zlib.crc32(f"{self.bundle}{row.id}".encode()))
        starts, stops, values = [], [], []
        for line in row.lines:
            worth = line.level / 3 + self.noise * rng.normal()
            at = line.start
            for word in line.span.of(text).split(" "):
                starts.append(at)
                stops.append(at + len(word))
                values.append(worth + 0.1 * (at == line.start))
                at += len(word) + 1
        return Scores(np.array(starts), np.array(stops), np.array(values, np.float32))
