"""Carry out what is wanted of one text."""

from collections.abc import Callable, Sequence

from elision.compaction.compress import compress, untouched
from elision.compaction.method import Method
from elision.compaction.reduce.clip import clipped
from elision.compaction.types import Compressed, Order, TokenCounter
from elision.model.types import Scorer, Span, nothing


def carried_out(
    text: str,
    order: Order,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    left_out: Sequence[Span] = (),
    method: Method | None = None,
    tick: Callable[[], None] = nothing,
) -> Compressed:
    """Shorten a text as ordered, and clip it where that is asked for and choosing was not enough.

    Raises:
        RedactionFailed: If the order is to redact and anything of ours goes wrong.
    """
    done = compress(
        text,
        order.budget,
        scorer=scorer,
        counter=counter,
        query=order.query,
        asked=order.asked,
        pins=order.pins,
        fold_only=order.fold_only,
        clean=order.clean,
        redact=order.redact,
        left_out=left_out,
        method=method,
        tick=tick,
    )
    return clipped(text, done, counter) if order.clip else done


def left_alone(
    text: str,
    order: Order,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    reason: str,
    left_out: Sequence[Span] = (),
) -> Compressed:
    """A text that was not shortened, with what its order asks for at any budget, and the reason."""
    done = untouched(
        text,
        order.budget,
        scorer=scorer,
        counter=counter,
        reason=reason,
        clean=order.clean,
        redact=order.redact,
        left_out=left_out,
    )
    return clipped(text, done, counter) if order.clip else done
