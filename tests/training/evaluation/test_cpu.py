"""What a scorer costs is CPU time on the same texts, and a difference that cannot be told is none."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from judged import judged_rows
from scorers import HashScorer

from elision.compaction.tokens import counter
from elision.model.types import Scores, nothing
from elision.training.evaluation.compare import UNCLEAR
from elision.training.evaluation.cpu import LESS, MORE, Cost, cost

ROWS = judged_rows(4)


@dataclass
class Busy(HashScorer):
    """Burns CPU time before it scores."""

    seconds: float = 0.004

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass
        return HashScorer.score(self, text, query, tick)


def test_the_one_that_works_longer_takes_more() -> None:
    slow = cost(ROWS, Busy(seconds=0.012), Busy(), counter())
    fast = cost(ROWS, Busy(), Busy(seconds=0.012), counter())

    assert (slow.verdict, fast.verdict) == (MORE, LESS)
    assert 2 < slow.ratio < 4
    assert slow.texts == len(ROWS)


def test_an_interval_around_one_tells_nothing() -> None:
    assert Cost(3, 3, 0.1, 0.1, (0.9, 1.1)).verdict == UNCLEAR
    assert Cost(3, 3, 0.2, 0.1, None).verdict == UNCLEAR
