"""What a line of a log is worth: what it says, how seldom it is said, and what it costs.

Who reads a log looks for what is unlike the rest. A line whose kind came once or twice is worth a good
deal more than one of a kind that came a thousand times, and of two the shorter.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from elision.compaction.guard.templates import template
from elision.compaction.reduce.memory import RARE
from elision.compaction.types import Kind, Passage
from elision.model.types import FloatArray, IntArray

# Measured by scripts/bench_logs.py on train logs.
SELDOM = 0.5  # what the rarest line gains over its keep value
BRIEF = 0.25  # power of a line's cost, in those of the mean line, by which its worth is divided


def line_counts(text: str) -> Counter[str]:
    """How often each kind of line comes in a text."""
    return Counter(map(template, text.split("\n")))


def rare_first(
    counts: Counter[str], text: str, passages: Sequence[Passage], costs: IntArray, values: FloatArray
) -> FloatArray:
    """The worth of passages of a log.

    Args:
        counts: How often each kind of line came.
        text: The text of the passages.
        passages: Lines, or several that stay together.
        costs: Tokens of each, shape ``(n_passages,)``.
        values: Keep value of each, shape ``(n_passages,)``.
    """
    seldom = np.array([_seldom(counts, text, passage) for passage in passages], dtype=np.float32)
    brief = (np.maximum(costs, 1) / max(1.0, float(costs.mean()))) ** -BRIEF
    worth: FloatArray = ((values + SELDOM * seldom) * brief).astype(np.float32)
    return worth


def _seldom(counts: Counter[str], text: str, passage: Passage) -> float:
    """From 1, where its kind is rare, down to 0 for what is said all the time."""
    if passage.kind in (Kind.MARKER, Kind.BLANK):
        return 0.0
    found = [counts[template(line)] for line in passage.span.of(text).rstrip("\n").split("\n")]
    known = [count for count in found if count]
    return min(1.0, RARE / min(known)) if known else 0.0
