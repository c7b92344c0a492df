"""Elision leaves out what an agent's context can do without, and can prove what it kept.

>>> from elision import compress
>>> short = compress(tool_output, keep_ratio=0.33, query="why does the build fail?")
>>> short.text, short.receipt.tokens_before, short.receipt.tokens_after
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elision.compaction.types import Compressed
    from elision.model.types import Scorer

__all__ = ["compress"]


def compress(
    text: str,
    *,
    keep_ratio: float | None = None,
    target_tokens: int | None = None,
    query: str = "",
    pins: Sequence[str] = (),
    floor_tokens: int = 200,
    encoding: str = "o200k_base",
    clean: bool = False,
    redact: bool = False,
) -> "Compressed":
    """Shorten one text with the shipped bundle, which is loaded on first use and kept.

    Args:
        text: Any string.
        keep_ratio: Share of the reader's tokens to keep, in (0, 1]; 0.5 if no target is given either.
        target_tokens: Tokens to keep, instead of a share.
        query: What the reader is after.
        pins: Regular expressions whose matches must stay.
        floor_tokens: Texts with fewer tokens go back unchanged.
        encoding: The reader's token encoding.
        clean: Take control characters out whatever the budget.
        redact: Replace secrets whatever the budget.

    Raises:
        ElisionError: For a bad budget, pin or encoding, a bundle that cannot be used, or a redaction
            that failed: the text never goes back with its secrets then.
    """
    from elision.compaction import compress as path
    from elision.compaction.pins.text import compile_pins
    from elision.compaction.tokens import counter
    from elision.compaction.types import Budget

    budget = Budget.asked(keep_ratio, target_tokens, floor_tokens)
    return path.compress(
        text,
        budget,
        scorer=_scorer(),
        counter=counter(encoding),
        query=query,
        asked=bool(query),
        pins=compile_pins(pins),
        clean=clean,
        redact=redact,
    )


@cache
def _scorer() -> "Scorer":
    from elision.model.scorer import load_scorer

    return load_scorer()
