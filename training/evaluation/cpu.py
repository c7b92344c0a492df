"""CPU time of two scorers on the same texts, as a ratio: does the better one cost more?

Both score each text in turn, who goes first changes from text to text, and the least of some rounds
counts, so what else the machine does falls on both alike. CPU time is that of the whole process; a
scorer loaded with one thread has no other.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elision.compaction.types import TokenCounter
from elision.model.types import Scorer
from elision.training.evaluation.compare import UNCLEAR
from elision.training.evaluation.end_to_end import query_of
from elision.training.evaluation.metrics import Values
from elision.training.evaluation.resampling import SEED, Interval, draw, interval
from elision.training.labels.rows import LabelRow

TEXTS, ROUNDS = 60, 3
LESS, MORE = "less", "more"


@dataclass(frozen=True, slots=True)
class Cost:
    """What scoring costs.

    Attributes:
        texts: How many were scored.
        rounds: How often each.
        ours: CPU seconds for 1,000 reader tokens.
        theirs: The other's.
        interval: 95 % interval of the ratio, drawing whole documents; None where there is one only.
    """

    texts: int
    rounds: int
    ours: float
    theirs: float
    interval: Interval | None

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs

    @property
    def verdict(self) -> str:
        """Whether ours takes less CPU, more, or the difference cannot be told."""
        if self.interval and self.interval[1] < 1:
            return LESS
        return MORE if self.interval and self.interval[0] > 1 else UNCLEAR


def cost(
    rows: Sequence[LabelRow], ours: Scorer, theirs: Scorer, counter: TokenCounter, with_query: bool = True
) -> Cost:
    """Time both scorers, loaded with one thread each, on at most `TEXTS` of the chunks."""
    rows = list(rows)
    if len(rows) > TEXTS:
        rows = random.Random(SEED).sample(rows, TEXTS)
    for scorer in (ours, theirs):
        scorer.score(rows[0].text)  # the first call allocates
    seconds = np.array([_seconds(row, index, ours, theirs, with_query) for index, row in enumerate(rows)])
    tokens = sum(counter.count(row.text) for row in rows)
    mine, other = (1000 * seconds.sum(axis=0) / max(1, tokens)).tolist()
    return Cost(len(rows), ROUNDS, mine, other, _interval(seconds, [row.doc for row in rows]))


def _interval(seconds: Values, docs: Sequence[str]) -> Interval | None:
    draws = draw(docs)
    if draws.groups < 2:
        return None
    return interval(draws.means(seconds[:, 0]) / draws.means(seconds[:, 1]))


def _seconds(row: LabelRow, index: int, ours: Scorer, theirs: Scorer, with_query: bool) -> list[float]:
    """The least CPU seconds of either scorer on one text."""
    scorers, query = [(0, ours), (1, theirs)], query_of(row, with_query)
    least = [np.inf, np.inf]
    for turn in range(ROUNDS):
        for place, scorer in scorers if (index + turn) % 2 else scorers[::-1]:
            began = time.process_time()
            scorer.score(row.text, query)
            least[place] = min(least[place], time.process_time() - began)
    return least
