"""Compare what survives of a log in ours and in each rival's output, at equal tokens.

A rival that took more than ours is cut to its head and tail, as a harness cuts what is too long; ours is
asked for what a rival that took less came to. So nobody wins by what it did not shorten.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import accumulate

from elision.compaction.types import TokenCounter, meets
from elision.training.audits.rare_lines import Left, Wanted, left


class Result(StrEnum):
    """How ours does against one rival on one log."""

    WIN = "win"
    TIE = "tie"
    LOSS = "loss"
    OVER = "over"  # not lower, but with more tokens than the rival took


@dataclass(frozen=True, slots=True)
class Bout:
    """One rival on one log at equal tokens.

    Attributes:
        rival: Its name.
        whole: What its output shows as it comes.
        cut: Whether it was cut for the comparison.
        allowed: Reader tokens that both may have.
        theirs: What its output shows within those.
        ours: What ours shows when it is asked for those.
    """

    rival: str
    whole: Left
    cut: bool
    allowed: int
    theirs: Left
    ours: Left

    @property
    def result(self) -> Result:
        if self.ours.share < self.theirs.share:
            return Result.LOSS
        if not meets(self.ours.tokens, self.allowed):
            return Result.OVER
        return Result.WIN if self.ours.share > self.theirs.share else Result.TIE


@dataclass(frozen=True, slots=True)
class Missed:
    """A rare line that ours lost and rivals keep at no more tokens."""

    row: str
    of_template: int
    kept_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contest:
    """One log: what ours shows at the target, and how that compares.

    Attributes:
        target: Reader tokens that ours was allowed.
        possible: Share of the rare lines that so many tokens could hold, were there nothing else to keep.
        ours: What it shows.
        bouts: One for each rival.
        missed: In the log's order.
    """

    target: int
    possible: float
    ours: Left
    bouts: tuple[Bout, ...]
    missed: tuple[Missed, ...]


def contest(
    of: Wanted,
    target: int,
    shortened: Callable[[int], str],
    outputs: Mapping[str, str],
    counter: TokenCounter,
) -> Contest:
    """Compare ours with every rival.

    Args:
        of: What of the log should survive.
        target: Reader tokens that ours is allowed.
        shortened: Ours, for so many tokens.
        outputs: What each rival made of the log.
        counter: Counts reader tokens.
    """

    @cache
    def ours(tokens: int) -> Left:
        return left(of, shortened(tokens), counter)

    most = max(ours(target).tokens, target)
    bouts = []
    for rival, output in outputs.items():
        whole = left(of, output, counter)
        cut = not meets(whole.tokens, most)
        theirs = left(of, head_and_tail(output, most, counter), counter) if cut else whole
        allowed = max(1, min(whole.tokens, most))
        bouts.append(Bout(rival, whole, cut, allowed, theirs, ours(min(allowed, target))))
    kept_by = [tuple(b.rival for b in bouts if b.theirs.rare[at]) for at in range(len(of.rare))]
    missed = (
        Missed(*row)
        for row, stays in zip(
            zip(of.rare, of.of_template, kept_by, strict=True), ours(target).rare, strict=True
        )
        if row[-1] and not stays
    )
    return Contest(target, possible(of, target, counter), ours(target), tuple(bouts), tuple(missed))


def possible(of: Wanted, tokens: int, counter: TokenCounter) -> float:
    """The highest share of rare lines that so many tokens can hold: the shortest ones, a line each."""
    spent = accumulate(sorted(counter.count(row + "\n") for row in of.rare))
    return sum(cost <= tokens for cost in spent) / len(of.rare) if of.rare else 1.0


def head_and_tail(text: str, tokens: int, counter: TokenCounter) -> str:
    """The first and the last whole lines of a text, about as many tokens of either, at most ``tokens``."""
    lines = text.splitlines(keepends=True)
    costs = [counter.count(line) for line in lines]
    head, tail, spent = 0, len(lines), [0, 0]
    while head < tail:
        end = 0 if spent[0] <= spent[1] else 1
        cost = costs[head] if end == 0 else costs[tail - 1]
        if sum(spent) + cost > tokens:
            break
        spent[end] += cost
        head, tail = (head + 1, tail) if end == 0 else (head, tail - 1)
    return "".join([*lines[:head], *lines[tail:]])
