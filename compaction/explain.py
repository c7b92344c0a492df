"""Why each stretch of a text stayed or went: its value, and what was decided."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from elision.compaction.compress import compress
from elision.compaction.guard.segment import segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.types import Budget, TokenCounter
from elision.compaction.values import Values
from elision.compaction.visible import Visible
from elision.model.types import Scorer, Span


@dataclass(frozen=True, slots=True)
class Explained:
    """One unit of the text.

    Attributes:
        span: Where it stands; the units of an explanation partition the text.
        value: Its mean keep value, in [0, 1].
        dropped: Whether it went.
        pinned: Whether it had to stay.
    """

    span: Span
    value: float
    dropped: bool
    pinned: bool


def explain(
    text: str,
    budget: Budget,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    query: str = "",
    pins: Sequence["regex.Pattern[str]"] = (),
) -> list[Explained]:
    """Compress ``text`` and say for every unit what it was worth and what became of it.

    The units partition the text; a text of which nothing is visible has none.

    Args are those of `elision.compaction.compress.compress`.
    """
    compressed = compress(text, budget, scorer=scorer, counter=counter, query=query, pins=pins)
    visible = Visible(text)
    units = [unit for p in segment(visible.text).passages for unit in unit_spans(visible.text, p.span)]
    values = Values(scorer.score(visible.text, query)).of(units)
    starts = [visible.back(unit).start for unit in units]
    if not units:  # an empty text, or control codes alone
        return []
    edges = [0, *starts[1:], len(text)]
    dropped = _covered(text, [drop.span for drop in compressed.receipt.dropped])
    pinned = _covered(text, [pin.span for pin in compressed.receipt.pinned])
    return [
        Explained(Span(start, stop), float(value), bool(dropped[start:stop].all()), bool(pinned[start:stop].any()))
        for start, stop, value in zip(edges[:-1], edges[1:], values, strict=True)
    ]


def _covered(text: str, spans: Sequence[Span]) -> np.ndarray:
    """Which characters lie in one of the spans, shape ``(len(text),)``, bool."""
    mask = np.zeros(len(text), dtype=bool)
    for span in spans:
        mask[span.start : span.stop] = True
    return mask
