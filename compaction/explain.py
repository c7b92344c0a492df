"""Why each stretch of a text stayed or went: its value, and what was decided."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from elision.compaction.clean import without_controls
from elision.compaction.compress import compress
from elision.compaction.guard.units import unit_spans
from elision.compaction.method import OUTPUT
from elision.compaction.reading import ANSI, prepare
from elision.compaction.shorten import examine
from elision.compaction.sketch import score
from elision.compaction.types import Budget, TokenCounter
from elision.compaction.values import Values
from elision.compaction.view import View
from elision.model.types import Scorer, Span, nothing


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
    compressed = compress(text, budget, scorer=scorer, counter=counter, query=query, asked=bool(query), pins=pins)
    reading = prepare(
        without_controls(View.of(text), ANSI), compressed.receipt.target_tokens, counter, pins, query, OUTPUT.folds, nothing
    )
    segmented, pinned_in_view = examine(reading, query, nothing)
    units = [unit for p in segmented.passages for unit in unit_spans(reading.view.text, p.span)]
    if not units:  # an empty text, or control codes alone
        return []
    scores = score(reading.view.text, segmented, pinned_in_view, scorer=scorer, query=query, tick=nothing)
    values = Values(scores).of(units)
    # What stands for something longer has units of its own, but one place in the text.
    starts, first = np.unique([reading.view.back(unit).start for unit in units], return_index=True)
    edges = [0, *starts[1:].tolist(), len(text)]
    dropped = _covered(text, [drop.span for drop in compressed.receipt.dropped])
    pinned = _covered(text, [pin.span for pin in compressed.receipt.pinned])
    return [
        Explained(Span(start, stop), float(value), bool(dropped[start:stop].all()), bool(pinned[start:stop].any()))
        for start, stop, value in zip(edges[:-1], edges[1:], values[first], strict=True)
    ]


def _covered(text: str, spans: Sequence[Span]) -> np.ndarray:
    """Which characters lie in one of the spans, shape ``(len(text),)``, bool."""
    mask = np.zeros(len(text), dtype=bool)
    for span in spans:
        mask[span.start : span.stop] = True
    return mask
