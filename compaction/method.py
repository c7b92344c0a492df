"""How a text is gone about: what is folded in it before anything is chosen, and what a passage is worth.

What a tool answered and a log that somebody named as one are gone about differently.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elision.compaction.reduce.outputs import fold_output, fold_same
from elision.compaction.types import Drop, Passage
from elision.model.types import FloatArray, IntArray, Span

Folding = Callable[[str, Sequence[Span]], Sequence[Drop]]
"""The drops that fold what repeats in a text but for some stretches, which are sorted."""

Worth = Callable[[str, Sequence[Passage], IntArray, FloatArray], FloatArray]
"""The worth of passages of a text, by their tokens and their keep values; all of shape ``(n_passages,)``."""


def as_scored(text: str, passages: Sequence[Passage], costs: IntArray, values: FloatArray) -> FloatArray:
    """The keep values as they are."""
    return values


@dataclass(frozen=True, slots=True)
class Method:
    """How a text is gone about.

    Attributes:
        folds: Tried in turn until the text fits.
        worth: What is best to keep.
        thins: Whether single words may leave a line that stays.
    """

    folds: Sequence[Folding] = (fold_output,)
    worth: Worth = as_scored
    thins: bool = True


OUTPUT = Method()
LOSSLESS = Method(folds=(fold_same,))
