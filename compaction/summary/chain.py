"""Get a summary from the first of several writers that gives a good one, or leave history as it is.

Writers are asked one after the other; what follows from a failure stands in `failures`. The last stage
is a summary by rule, which needs nobody. Whatever a writer does, nothing is raised and nothing is lost:
what comes back is a summary that passed its checks, or the reason why history is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from elision.compaction.pins.types import HistoryPin
from elision.compaction.summary.breaker import Breaker
from elision.compaction.summary.carried import updated_by_rule
from elision.compaction.summary.checks import Checked, check, too_large
from elision.compaction.summary.desk import Desk, Tally
from elision.compaction.summary.extractive import extract, without_empty
from elision.compaction.summary.failures import FAILURES, How, Next, told, wait_before_retry
from elision.compaction.summary.order import KeptHistory, SummaryOrder
from elision.compaction.summary.placeholders import Veil
from elision.compaction.summary.types import (
    Attempt,
    Failure,
    Source,
    Summariser,
    Summary,
    SummaryFailed,
    SummaryReply,
)

EXTRACTIVE = "extractive"
# What other agents do not look at: they take such words as they are.
_OF_FORM = frozenset(
    {Failure.CAPPED, Failure.MALFORMED, Failure.MISSING_SECTION, Failure.INVENTED_IDENTIFIER}
)
_LOOK = (
    "The notes so far are on this same record. Read the record once more for what they left out: what was "
    "demanded or forbidden, paths, numbers, errors, decisions and their reasons. Write the notes again, whole, with it."
)
_AGAIN = "An earlier answer was not used."


def summarise(
    order: SummaryOrder,
    writers: Sequence[Summariser],
    *,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
    deadline: float | None = None,
    breaker: Breaker | None = None,
) -> Summary | KeptHistory:
    """Get a summary from the first writer that gives a good one, or by rule.

    Args:
        order: What is wanted.
        writers: In the order they are asked.
        clock: Seconds, never going back.
        sleep: Waits so many seconds.
        deadline: When, by this clock, nobody is asked or waited for any more; the summary by rule is still made.
        breaker: Knows which writers are left alone for a while.
    """
    if order.summary.writer == "none" or not any(source.text.strip() for source in order.sources):
        return KeptHistory(told(None))
    chain = _Chain(order, clock, sleep, deadline, breaker)
    words = chain.by_writers(writers if order.summary.writer == "llm" else ())
    return words or chain.kept_by_policy() or chain.by_rule()


class _Chain:
    """One order on its way through the stages."""

    def __init__(
        self,
        order: SummaryOrder,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        deadline: float | None,
        breaker: Breaker | None,
    ) -> None:
        self._order, self._clock, self._sleep = order, clock, sleep
        self._deadline, self._breaker = deadline, breaker
        self._attempts: list[Attempt] = []

    @cached_property
    def _veil(self) -> Veil:
        order = self._order
        texts = [*(source.text for source in order.sources), order.prior, order.focus]
        return Veil.of(texts, order.others)

    @property
    def _prior(self) -> str:
        return self._veil.hidden(self._order.prior)

    @cached_property
    def _hidden(self) -> list[Source]:
        return [replace(source, text=self._veil.hidden(source.text)) for source in self._order.sources]

    def by_writers(self, writers: Sequence[Summariser]) -> Summary | KeptHistory | None:
        """What the writers make of it; None if none of them makes anything."""
        for writer in writers:
            refused = self._refused(writer.name)
            if refused:
                self._attempts.append(refused)
            elif outcome := self._stage(writer):
                return outcome
        return None

    def kept_by_policy(self) -> KeptHistory | None:
        """History as it was, where the policy wants nothing by rule in the place of writers that failed."""
        last = self._attempts[-1].failure if self._attempts else None
        keeps = self._order.summary.fallback == "keep" and last not in _OF_FORM
        return self._kept(last) if keeps and last else None

    def by_rule(self) -> Summary | KeptHistory:
        """The summary that needs no writer."""
        order, began = self._order, self._clock()
        room = order.limit - order.frame_tokens - 1
        text = self._extracted(room) if room > 0 else ""
        failure, detail = self._of_rule(text)
        self._attempts.append(Attempt(EXTRACTIVE, failure, detail, seconds=self._clock() - began))
        if failure:
            return self._kept(failure)
        return Summary(self._restored(text), EXTRACTIVE, (), tuple(self._attempts))

    def _pins(self) -> tuple[HistoryPin, ...]:
        return tuple(replace(pin, text=self._veil.hidden(pin.text)) for pin in self._order.pins)

    def _extracted(self, room: int) -> str:
        order, prior = self._order, self._prior
        text = extract(self._hidden, order.summary, self._pins(), _share(room, prior), order.counter, order.values)
        merged = updated_by_rule(prior, text, order.summary, room, order.counter) if prior.strip() else text
        return without_empty(merged, order.summary)

    def _restored(self, text: str) -> str:
        """The text with its secrets, if they are wanted and there is room for them."""
        order = self._order
        if not order.restore:
            return text
        back = self._veil.restored(text)
        return back if order.counter.count(back) + order.frame_tokens < order.limit else text

    def _of_rule(self, text: str) -> tuple[Failure | None, str]:
        order = self._order
        if not order.still_current():
            return Failure.STALE, FAILURES[Failure.STALE].told
        if not any(map(str.isalnum, text)):
            return Failure.EMPTY, f"nothing fits into {order.limit - order.frame_tokens - 1} tokens"
        tokens = order.counter.count(text) + order.frame_tokens
        if tokens >= order.limit:
            return Failure.INFLATED, too_large(tokens, order.limit)
        return None, ""

    def _refused(self, name: str) -> Attempt | None:
        """Why a writer is not asked at all."""
        if not self._in_time():
            return Attempt(name, Failure.TIMEOUT, "not asked: no time is left")
        if self._breaker and not self._breaker.allows(self._order.tenant, name, self._order.forced):
            return Attempt(name, Failure.UNAVAILABLE, "not asked: it failed too often of late")
        return None

    def _stage(self, writer: Summariser) -> Summary | KeptHistory | None:
        """Ask one writer as often as it is worth; None if the next one is to be asked."""
        tries: dict[Failure, int] = {}
        note, shrunk = "", 0
        while True:
            desk = self._desk(writer)
            checked, retry_after = self._try(desk, lambda: desk.write(shrunk, note), writer.name)  # noqa: B023
            failure = checked.failure
            if failure is None:
                return self._taken(desk, checked)
            then, tries[failure] = FAILURES[failure], tries.get(failure, 0) + 1
            if then.then is Next.KEEP:
                self._report(writer.name, failure)
                return self._kept(failure)
            used_up = sum(tries.values()) > then.tries or (then.how is How.SMALLER and not desk.tally.calls)
            if used_up or not self._waited(failure, retry_after):
                self._report(writer.name, failure)
                return None
            note = self._veil.hidden(_note(failure, checked)) if then.how is How.REASONS else note
            shrunk += then.how is How.SMALLER

    def _try(
        self, desk: Desk, ask: Callable[[], SummaryReply | None], by: str
    ) -> tuple[Checked, float | None]:
        """One try, recorded; and the seconds that the provider asks to wait."""
        began, retry_after = self._clock(), None
        try:
            reply = ask()
            checked = (
                self._checked(reply, desk) if reply else Checked("", (), Failure.OVERFLOW, "no room to ask")
            )
        except SummaryFailed as failed:
            checked, retry_after = Checked("", (), failed.failure, failed.detail), failed.retry_after
        if not self._order.still_current():
            checked = Checked("", (), Failure.STALE, FAILURES[Failure.STALE].told)
        took, seconds, detail = desk.tally, self._clock() - began, self._veil.hidden(checked.detail)
        self._attempts.append(
            Attempt(by, checked.failure, detail, took.input_tokens, took.output_tokens, took.cost, seconds)
        )
        return checked, retry_after

    def _checked(self, reply: SummaryReply, desk: Desk) -> Checked:
        """The reply checked as it was written, with placeholders, so that nothing said of it tells a secret."""
        order = self._order
        known = (self._hidden, desk.allowed, self._prior, order.limit, order.frame_tokens, order.counter)
        return check(reply, *known, self._pins())

    def _taken(self, desk: Desk, checked: Checked) -> Summary | KeptHistory:
        """The summary, after a second look where the policy wants one."""
        name = desk.writer.name
        self._report(name, None)
        if self._order.summary.second_look and self._in_time():
            first = self._veil.hidden(checked.text)
            again = replace(desk, tally=Tally())
            second, _ = self._try(again, lambda: again.look_again(first, _LOOK), name)
            if second.failure is Failure.STALE:
                return self._kept(second.failure)
            checked = checked if second.failure else second
        return Summary(self._restored(checked.text), name, checked.cut, tuple(self._attempts))

    def _waited(self, failure: Failure, retry_after: float | None) -> bool:
        """Wait until the writer may be asked again; whether that makes sense."""
        wait = wait_before_retry(failure, retry_after)
        if wait is None or (self._deadline is not None and self._clock() + wait >= self._deadline):
            return False
        if wait:
            self._sleep(wait)
        return True

    def _desk(self, writer: Summariser) -> Desk:
        order, focus = self._order, self._veil.hidden(self._order.focus)
        known = (order.summary, self._prior, focus, order.language, order.counter)
        return Desk(writer, self._hidden, *known, self._left)

    def _left(self) -> float | None:
        return None if self._deadline is None else self._deadline - self._clock()

    def _in_time(self) -> bool:
        left = self._left()
        return left is None or left > 0

    def _report(self, name: str, failure: Failure | None) -> None:
        """Tell the breaker what came of a stage."""
        if self._breaker and failure is None:
            self._breaker.succeeded(self._order.tenant, name)
        elif self._breaker and failure and FAILURES[failure].counts:
            self._breaker.failed(self._order.tenant, name)
        elif self._breaker:
            self._breaker.released(self._order.tenant, name)

    def _kept(self, failure: Failure) -> KeptHistory:
        return KeptHistory(told(failure), tuple(self._attempts), failure)


def _share(room: int, prior: str) -> int:
    """Tokens of what is new, where an earlier summary needs some as well."""
    return room * 2 // 3 if prior.strip() else room


def _note(failure: Failure, checked: Checked) -> str:
    """What a writer is told before another try: nothing that it wrote, save names without a space."""
    names = [name for name in checked.invented if len(name) <= 80][:12]
    missing = f" It lacked: {', '.join(checked.missing)}." if checked.missing else ""
    made_up = f" The record does not have: {', '.join(names)}." if names else ""
    return f"{_AGAIN}{missing}{made_up} {FAILURES[failure].hint}".strip()
