"""Shorten one text to a budget: segment, score, choose, cut, verify.

The one entry of the text path. Whatever stops it (a deadline, a failed check, a text that is better
left alone) returns the original with the reason; only a caller's mistakes raise.
"""

from collections.abc import Callable, Sequence
from functools import partial

import regex

from elision.compaction.cut import rebuild
from elision.compaction.errors import DeadlineExceeded, PinTimeout
from elision.compaction.guard.whole_json import is_json
from elision.compaction.shorten import shorten
from elision.compaction.types import Budget, Compressed, Drop, Pin, Receipt, TokenCounter
from elision.compaction.visible import ANSI, Visible
from elision.model.types import Scorer, Span, nothing

WITHIN_BUDGET = "within_budget"
JSON = "json"
BELOW_FLOOR = "below_floor"
DEADLINE = "deadline"
NOT_SHORTER = "not_shorter"
PIN_LOST = "verify_failed:pin_lost"
PIN_TIMEOUT = "pin_timeout"


def compress(
    text: str,
    budget: Budget,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    query: str = "",
    pins: Sequence["regex.Pattern[str]"] = (),
    tick: Callable[[], None] = nothing,
) -> Compressed:
    """Shorten ``text`` to at most ``budget``, or return it with the reason why not.

    The budget is an upper bound: pins and units that cannot be divided may exceed it, and the receipt
    then says ``target_met=False``. The output never has more tokens than the input.

    Args:
        text: Any string.
        budget: Share or number of reader tokens to keep, and the floor below which nothing is done.
        scorer: Gives keep values.
        counter: Counts reader tokens.
        query: What the reader was after; may be empty.
        pins: Patterns whose matches must stay.
        tick: Called between windows; may raise `DeadlineExceeded`, which returns the original.
    """
    before = counter.count(text)
    target = budget.target(before)
    left_alone = _reason_to_leave(before, target, budget)
    if left_alone:
        return untouched(text, budget, scorer=scorer, counter=counter, reason=left_alone)
    done = partial(_done, text, target, before, scorer, counter)
    visible = Visible(text)
    if is_json(visible.text):
        return done(JSON, visible.drops_in_source([]), [Pin(Span(0, len(text)), JSON)])
    try:
        drops, pinned = shorten(visible, target, scorer=scorer, counter=counter, query=query, patterns=pins, tick=tick)
    except DeadlineExceeded:
        return done(DEADLINE)
    except PinTimeout:
        return done(PIN_TIMEOUT)
    if _loses_a_pin(text, drops, pinned):
        return done(PIN_LOST, pinned=pinned)
    shorter = done("", drops, pinned)
    if shorter.receipt.tokens_after >= before:
        return done(NOT_SHORTER, pinned=pinned)
    return shorter


def untouched(text: str, budget: Budget, *, scorer: Scorer, counter: TokenCounter, reason: str) -> Compressed:
    """The text as it came, and a receipt that says why."""
    before = counter.count(text)
    return _done(text, budget.target(before), before, scorer, counter, reason)


def _done(
    text: str,
    target: int,
    before: int,
    scorer: Scorer,
    counter: TokenCounter,
    reason: str,
    drops: Sequence[Drop] = (),
    pinned: Sequence[Pin] = (),
) -> Compressed:
    shorter = rebuild(text, drops)
    after = counter.count(shorter) if drops else before
    receipt = Receipt(
        tokens_before=before,
        tokens_after=after,
        target_tokens=target,
        target_met=after <= target + max(0.03 * target, 8),
        changed=bool(drops),
        reason=reason,
        dropped=tuple(drops),
        pinned=tuple(pinned),
        bundle=scorer.bundle,
        runner=scorer.runner,
        encoding=counter.encoding,
        exact=counter.exact,
    )
    return Compressed(shorter, receipt)


def _reason_to_leave(before: int, target: int, budget: Budget) -> str:
    if before <= target:
        return WITHIN_BUDGET
    return BELOW_FLOOR if before < budget.floor_tokens else ""


def _loses_a_pin(text: str, drops: Sequence[Drop], pinned: Sequence[Pin]) -> bool:
    """Whether a drop takes text out of a pin; control codes and white space are not its text."""
    at = 0
    for pin in sorted(pinned):
        while at < len(drops) and drops[at].span.stop <= pin.span.start:
            at += 1
        for drop in drops[at:]:
            if drop.span.start >= pin.span.stop:
                break
            both = Span(max(drop.span.start, pin.span.start), min(drop.span.stop, pin.span.stop))
            if drop.reason != ANSI and both.of(text).strip():
                return True
    return False
