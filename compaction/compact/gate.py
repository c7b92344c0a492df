"""What keeps a compaction from being tried, or its result from being used.

A compaction that did not help will not help a moment later. So what was tried is remembered, and after
some tries in vain only what cannot be put off is tried again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from elision.compaction.compact.trigger import FORCED, Reason
from elision.compaction.policies.timing import Gate

TOO_LITTLE = ("saves_nothing", "min_savings", "min_progress")
_ASKED = frozenset({Reason.REQUEST, Reason.OVERFLOW})  # by a person, or by the provider's refusal


@dataclass(frozen=True, slots=True)
class Past:
    """One compaction that was tried.

    Attributes:
        before: Tokens of the request.
        after: Tokens it left; of a failed one as many as before.
        failed: Whether history is as it was.
        inflated: Whether it failed because the summary was not smaller than what it stands for.
        weak: Whether it failed because it saved too little: `may_use` said one of `TOO_LITTLE`.
        reason: Why it was tried.
        at: When, in seconds of the clock that `may_try` is given.
    """

    before: int
    after: int
    failed: bool = False
    inflated: bool = False
    reason: Reason = Reason.TOKENS
    at: float = 0.0
    weak: bool = False

    @property
    def forced(self) -> bool:
        """Whether it could not be put off."""
        return self.reason in FORCED

    @property
    def saved(self) -> float:
        """Share of the request that it saved; not below 0."""
        return max(0.0, 1 - self.after / self.before) if self.before > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Recent:
    """The compactions of one conversation so far, oldest first; a fork begins with its parent's."""

    past: Sequence[Past] = ()

    def run(self, holds: Callable[[Past], bool]) -> int:
        """For how many in a row, the newest being the last, something holds."""
        return sum(1 for _ in takewhile(holds, reversed(self.past)))


def may_try(gate: Gate, reason: Reason, messages: int, tokens: int, recent: Recent, now: float = 0.0) -> str:
    """Why a compaction is not tried; empty if it is.

    Args:
        reason: Why it is due.
        messages: How many messages would go or change.
        tokens: Of the request, by the same measure as in ``recent``.
        now: Seconds of any clock that does not go back, the same as in ``recent``.
    """
    return next(_against(gate, reason, messages, tokens, recent, now), "")


def may_use(gate: Gate, reason: Reason, before: int, after: int) -> str:
    """Why a result is not used; empty if it is.

    What was forced is used if it saves anything: half a way is better than none.

    Args:
        before: Tokens of the request as it came.
        after: Tokens of the request as it would go, counted by the same measure.
    """
    if after >= before:
        return "saves_nothing"
    if reason in FORCED:
        return ""
    if before - after < gate.min_savings:
        return "min_savings"
    return "min_progress" if before - after < _least(gate) * before else ""


def may_carry_out(gate: Gate, reason: Reason, before: int, least: int, events: int, gone: int) -> str:
    """Why a plan is not carried out, for its result could not be used; empty if it is.

    Args:
        before: Tokens of the request as it came.
        least: Tokens that stay of it in any case, whoever writes the summary.
        events: Its events.
        gone: Of these, those that go.
    """
    if gate.progress == "events" and reason not in FORCED and gone < gate.min_progress * events:
        return "min_progress"
    return may_use(gate, reason, before, least)


def reduce_only(gate: Gate, reason: Reason, recent: Recent) -> bool:
    """Whether nothing is to be summarised any more, because the last summary was larger than its source."""
    if not gate.latch_inflated or reason is Reason.REQUEST:
        return False
    summarised = (past for past in reversed(recent.past) if past.inflated or not past.failed)
    return next((past.inflated for past in summarised), False)


def _against(
    gate: Gate, reason: Reason, messages: int, tokens: int, recent: Recent, now: float
) -> Iterator[str]:
    last = recent.past[-1] if recent.past else None
    if messages < gate.min_messages:
        yield "min_messages"
    if reason is Reason.REQUEST or last is None:
        return
    if not gate.retry_after or now - last.at < gate.retry_after:
        yield from _in_vain(gate, reason, tokens, recent)
    if reason in FORCED:
        return
    if now - last.at < gate.cooldown:
        yield "cooldown"
    if gate.hysteresis and tokens < last.after + gate.hysteresis:
        yield "hysteresis"


def _in_vain(gate: Gate, reason: Reason, tokens: int, recent: Recent) -> Iterator[str]:
    """What the last ones failed by, over and over."""
    if gate.attempts and _forced_in_vain(gate, reason, tokens, recent) >= gate.attempts:
        yield "attempts"
    if (
        gate.stalled
        and reason not in _ASKED
        and recent.run(lambda past: _saved_little(gate, past)) >= gate.stalled
    ):
        yield "stalled"
    if gate.breaker and reason not in FORCED and recent.run(lambda past: past.failed) >= gate.breaker:
        yield "breaker"


def _forced_in_vain(gate: Gate, reason: Reason, tokens: int, recent: Recent) -> int:
    """How many of the last in a row were forced and did not help."""
    found = 0
    for past in reversed(recent.past):
        # Nothing was added to what it left, and that is still too much: its request was refused again.
        at_once = past.reason is reason and tokens <= past.after
        if not past.forced or not (past.failed or at_once or _saved_little(gate, past)):
            break
        found, reason, tokens = found + 1, past.reason, past.before
    return found


def _saved_little(gate: Gate, past: Past) -> bool:
    return past.weak or (not past.failed and (past.saved <= 0 or past.saved < _least(gate)))


def _least(gate: Gate) -> float:
    """Share of the tokens that must be saved."""
    return gate.min_progress if gate.progress == "tokens" else 0.0
