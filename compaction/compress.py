"""Shorten one text to a budget: view, fold, pins, score, choose, cut, verify.

The one entry of the text path. Whatever stops it (a deadline, a failed check, a text that is better
left alone) returns the original with the reason; only a caller's mistakes raise. With redaction on the
original is never returned: what is returned has its secrets replaced, or `RedactionFailed` is raised.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import regex

from elision.compaction.clean import cleaned, without_controls
from elision.compaction.cut import LINES, SENTENCE, WORDS, rebuild
from elision.compaction.errors import DeadlineExceeded, PinTimeout, RedactionFailed
from elision.compaction.guard.lines import count_lines
from elision.compaction.guard.markers import marker
from elision.compaction.method import LOSSLESS, OUTPUT, Method
from elision.compaction.reading import ANSI, Reading, prepare
from elision.compaction.redaction import SECRET, redacted
from elision.compaction.shorten import JSON, shorten
from elision.compaction.types import Budget, Compressed, Drop, Pin, Receipt, TokenCounter, meets
from elision.compaction.view import View
from elision.model.types import Scorer, Span, nothing

WITHIN_BUDGET = "within_budget"
BELOW_FLOOR = "below_floor"
DEADLINE = "deadline"
NOT_SHORTER = "not_shorter"
PIN_LOST = "verify_failed:pin_lost"
JSON_BROKEN = "verify_failed:json"
PIN_TIMEOUT = "pin_timeout"
NOT_SELECTED = "not_selected"

CHOSEN = frozenset({LINES, SENTENCE, WORDS})
Patterns = Sequence["regex.Pattern[str]"]


def compress(
    text: str,
    budget: Budget,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    query: str = "",
    asked: bool = False,
    pins: Patterns = (),
    fold_only: bool = False,
    clean: bool = False,
    redact: bool = False,
    left_out: Sequence[Span] = (),
    method: Method | None = None,
    tick: Callable[[], None] = nothing,
) -> Compressed:
    """Shorten ``text`` to at most ``budget``, or return it with the reason why not.

    The budget is an upper bound: pins and units that cannot be divided may exceed it, and the receipt
    then says ``target_met=False``. The output never has more tokens than the input, but for what
    redaction puts in.

    Args:
        text: Any string.
        budget: Share or number of reader tokens to keep, and the floor below which nothing is left out.
        scorer: Gives keep values.
        counter: Counts reader tokens.
        query: What the reader was after; may be empty.
        asked: Whether the query is the reader's own question, so that passages with its words are worth more.
        pins: Patterns whose matches must stay.
        fold_only: Leave out only what folds, such as white space between JSON values: no model. Of what a
            tool answered that loses nothing.
        clean: Take control characters out whatever the budget.
        redact: Replace secrets whatever the budget and the pins.
        left_out: Whole lines that the caller does not want, sorted; the budget is of the others.
        method: How the text is gone about; by default as what a tool answered.
        tick: Called between windows; may raise `DeadlineExceeded`, which returns the text unshortened.

    Raises:
        RedactionFailed: If ``redact`` is set and anything of ours goes wrong.
    """
    out = [_not_selected(text, span) for span in left_out]
    method = method or (LOSSLESS if fold_only else OUTPUT)
    work = _Work(text, budget, scorer, counter, out, fold_only, method)
    if not redact:
        return work.shortened(_first(text, clean, redact, out), query, asked, pins, tick)
    try:
        return work.shortened(_first(text, clean, redact, out), query, asked, pins, tick)
    except (KeyboardInterrupt, SystemExit, RedactionFailed):
        raise
    except BaseException as error:  # a panic in a Rust library is no Exception
        # Without its cause: that may quote the text.
        raise RedactionFailed(f"redaction failed: {type(error).__name__}") from None


def untouched(
    text: str,
    budget: Budget,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    reason: str,
    clean: bool = False,
    redact: bool = False,
    left_out: Sequence[Span] = (),
) -> Compressed:
    """The text with no more gone than was asked for at any budget, and a receipt that says why."""
    out = [_not_selected(text, span) for span in left_out]
    return _Work(text, budget, scorer, counter, out).kept(_first(text, clean, redact, out), reason)


def _not_selected(text: str, lines: Span) -> Drop:
    end = "\n" if text.endswith("\n", lines.start, lines.stop) else ""
    return Drop(lines, marker(count_lines(lines.of(text))) + end, NOT_SELECTED)


def _first(text: str, clean: bool, redact: bool, left_out: Sequence[Drop]) -> View:
    """The text as it is returned where nothing is chosen."""
    view = View.of(text).hide(left_out)
    view = cleaned(view) if clean else view
    return redacted(view) if redact else view


class _Work:
    """One text on its way, and what every receipt of it says."""

    def __init__(
        self,
        text: str,
        budget: Budget,
        scorer: Scorer,
        counter: TokenCounter,
        left_out: Sequence[Drop] = (),
        fold_only: bool = False,
        method: Method = OUTPUT,
    ) -> None:
        self.text, self.budget, self.scorer, self.counter = text, budget, scorer, counter
        self.fold_only, self.method = fold_only, method
        self.before = counter.count(text)
        self.asked = counter.count(rebuild(text, left_out)) if left_out else self.before
        self.target = budget.target(self.asked)

    def shortened(
        self,
        first: View,
        query: str,
        asked: bool,
        patterns: Patterns,
        tick: Callable[[], None],
    ) -> Compressed:
        """The text shortened; where that cannot be, ``first`` and the reason."""
        if self.asked <= self.target:
            return self.kept(first, WITHIN_BUDGET)
        if self.asked < self.budget.floor_tokens:
            return self.kept(first, BELOW_FLOOR)
        try:
            view = without_controls(first, ANSI)
            reading = prepare(view, self.target, self.counter, patterns, query, self.method.folds, tick)
            drops, pinned = self.chosen(reading, query, asked, tick)
        except DeadlineExceeded:
            return self.kept(first, DEADLINE)
        except PinTimeout:
            return self.kept(first, PIN_TIMEOUT)
        failed = _failed(reading, drops, pinned)
        if failed:
            return self.kept(first, failed, pinned)
        shorter = self.done(JSON if pinned == [self.sealed] else "", drops, pinned)
        whole = self.kept(first, shorter.receipt.reason or NOT_SHORTER, pinned)
        return shorter if shorter.receipt.tokens_after < whole.receipt.tokens_after else whole

    def chosen(
        self, reading: Reading, query: str, asked: bool, tick: Callable[[], None]
    ) -> tuple[tuple[Drop, ...], list[Pin]]:
        """What goes and what must stay."""
        if self.fold_only or self.counter.count(reading.view.output()) <= self.target:
            return reading.view.hidden, []
        if reading.sealed:
            return reading.view.hidden, [self.sealed]
        return shorten(
            reading,
            self.target,
            scorer=self.scorer,
            counter=self.counter,
            query=query,
            asked=asked,
            method=self.method,
            tick=tick,
        )

    def kept(self, first: View, reason: str, pinned: Sequence[Pin] = ()) -> Compressed:
        """The text with no more gone than the caller asked for at any budget."""
        result = self.done(reason, first.hidden, pinned)
        grown = result.receipt.tokens_after > self.before
        return self.done(reason, pinned=pinned) if grown and not _redacts(first.hidden) else result

    def done(self, reason: str, drops: Sequence[Drop] = (), pinned: Sequence[Pin] = ()) -> Compressed:
        """The text without ``drops``, and its receipt."""
        shorter = rebuild(self.text, drops)
        after = self.counter.count(shorter) if drops else self.before
        receipt = Receipt(
            tokens_before=self.before,
            tokens_after=after,
            target_tokens=self.target,
            target_met=meets(after, self.target),
            changed=bool(drops),
            reason=reason,
            dropped=tuple(drops),
            pinned=tuple(pinned),
            bundle=self.scorer.bundle,
            runner=self.scorer.runner,
            encoding=self.counter.encoding,
            exact=self.counter.exact,
        )
        return Compressed(shorter, receipt)

    @property
    def sealed(self) -> Pin:
        """The pin of a document in which nothing but white space may go."""
        return Pin(Span(0, len(self.text)), JSON)


def _redacts(drops: Sequence[Drop]) -> bool:
    return any(drop.reason == SECRET for drop in drops)


def _failed(reading: Reading, drops: Sequence[Drop], pinned: Sequence[Pin]) -> str:
    """Which check the choice fails, if any."""
    if _loses_a_pin(reading.view, [drop for drop in drops if drop.reason in CHOSEN], pinned):
        return PIN_LOST
    return "" if reading.is_whole(drops) else JSON_BROKEN


def _loses_a_pin(view: View, chosen: Sequence[Drop], pinned: Sequence[Pin]) -> bool:
    """Whether what was chosen to go takes text, which white space (escaped or not) is not, out of a pin."""
    starts, stops = [drop.span.start for drop in chosen], [drop.span.stop for drop in chosen]
    return any(
        _takes(view, drop.span, pin.span)
        for pin in pinned
        for drop in chosen[bisect_right(stops, pin.span.start) : bisect_left(starts, pin.span.stop)]
    )


def _takes(view: View, drop: Span, pin: Span) -> bool:
    both = Span(max(drop.start, pin.start), min(drop.stop, pin.stop))
    return bool(view.forth(both).of(view.text).strip())
