"""Is one method better than another on the same chunks, or can these labels not tell?

Both are measured on the same draws of whole documents, and the verdict is what the 95 % interval
of the difference says: nothing is better that could as well be chance. Against several rivals
each figure is compared with the one that does best at it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from elision.training.evaluation.measured import Measured
from elision.training.evaluation.metrics import Pool, Values, pools
from elision.training.evaluation.resampling import Draws, Interval, draw, interval

BETTER, WORSE, UNCLEAR = "better", "worse", "not distinguishable"
MORE, FEWER = "more", "fewer"
KIND_FIGURES = ("line_auc_ge2", "essential@0.33", "e2e_essential@0.33")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of two methods.

    Attributes:
        figure: Its name, as `elision evaluate` prints it.
        other: What ours is compared with.
        ours: Our figure.
        theirs: The other's.
        interval: 95 % interval of the difference; None where there was one document only, so
            that nothing could be drawn.
        kind: Of the chunks measured; None for all.
    """

    figure: str
    other: str
    ours: float
    theirs: float
    interval: Interval | None
    kind: str | None = None

    @property
    def difference(self) -> float:
        """Ours less theirs."""
        return self.ours - self.theirs

    @property
    def verdict(self) -> str:
        """What the interval says; tokens used are more or fewer, which is neither better nor worse."""
        above, below = (MORE, FEWER) if counts_tokens(self.figure) else (BETTER, WORSE)
        if self.interval and self.interval[0] > 0:
            return above
        return below if self.interval and self.interval[1] < 0 else UNCLEAR


def compare(
    ours: Measured,
    others: Sequence[Measured],
    groups: Sequence[str],
    *,
    figures: Sequence[str] | None = None,
    kind: str | None = None,
) -> list[Comparison]:
    """Compare each figure with the best of the others at it.

    Args:
        ours: Our method.
        others: The methods it has to beat, measured on the same chunks.
        groups: What is drawn whole, of each chunk: its document.
        figures: Which figures; without it every one that both have.
        kind: Passed on.
    """
    draws = draw(groups)
    mine, rivals = _Figures(ours), [_Figures(other) for other in others]
    found = []
    for figure in figures or list(mine.totals):
        able = [rival for rival in rivals if figure in rival.totals]
        if figure not in mine.totals or not able or (len(others) > 1 and counts_tokens(figure)):
            continue
        best = max(able, key=lambda rival: rival.totals[figure])
        found.append(_compared(figure, mine, best, draws, kind))
    return found


def compare_kinds(ours: Measured, others: Sequence[Measured], docs: Sequence[str]) -> list[Comparison]:
    """The main figures of each kind of text."""
    found = []
    for kind in sorted({chunk.kind for chunk in ours.chunks}):
        some = [index for index, chunk in enumerate(ours.chunks) if chunk.kind == kind]
        its, theirs = _part(ours, some), [_part(other, some) for other in others]
        found += compare(its, theirs, [docs[index] for index in some], figures=KIND_FIGURES, kind=kind)
    return found


def compare_values(figure: str, other: str, ours: Values, theirs: Values, groups: Sequence[str]) -> Comparison:
    """Compare a mean over items, given each item's two values."""
    draws = draw(groups)
    within = interval(draws.means(ours - theirs)) if draws.groups > 1 else None
    return Comparison(figure, other, float(ours.mean()), float(theirs.mean()), within)


def apart(names: Sequence[str], items: Sequence[str]) -> list[str]:
    """What to draw whole: the documents, or the chunks themselves where all are of one document."""
    return list(names if len(set(names)) > 1 else items)


def counts_tokens(figure: str) -> bool:
    """Whether a figure says what was spent rather than what was got for it."""
    return "_tokens@" in figure


def _compared(figure: str, mine: "_Figures", theirs: "_Figures", draws: Draws, kind: str | None) -> Comparison:
    within = None
    if draws.groups > 1:
        differences = mine.drawn(figure, draws) - theirs.drawn(figure, draws)
        within = interval(differences) if np.isfinite(differences).any() else None
    ours, others = mine.totals[figure], theirs.totals[figure]
    return Comparison(figure, theirs.measured.name, ours, others, within, kind)


class _Figures:
    """The figures of one method over all chunks, and over drawn ones."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured

    @cached_property
    def totals(self) -> dict[str, float]:
        return {name: value for name, value in self.measured.figures().items() if "[" not in name}

    @cached_property
    def alone(self) -> list[dict[str, float]]:
        return self.measured.alone()

    @cached_property
    def pools(self) -> dict[str, Pool]:
        return pools(self.measured.chunks)

    def drawn(self, figure: str, draws: Draws) -> Values:
        """The figure of each draw, shape ``(n_draws,)``."""
        if figure in self.pools:
            return draws.aucs(self.pools[figure])
        items = [index for index, its in enumerate(self.alone) if figure in its]
        values = np.array([self.alone[index][figure] for index in items])
        return draws.means(values, np.array(items, dtype=np.int64))


def _part(measured: Measured, some: Sequence[int]) -> Measured:
    return Measured(
        measured.name,
        tuple(measured.chunks[index] for index in some),
        tuple(measured.survived[index] for index in some),
    )
