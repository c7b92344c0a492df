"""Decide whether a plan is worth its price, and say why; and tell its bills in plain lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from elision.compaction.prices.bills import Bills, CacheBill, CallBill, LossBill
from elision.compaction.prices.situation import Force, Situation


class Decision(StrEnum):
    """What becomes of a plan."""

    LEAVE = "leave"  # nothing is done
    REDUCE = "reduce"  # outputs are shortened or masked; no message goes
    COMPACT = "compact"  # messages go, a summary stands for them


class Ground(StrEnum):
    """Why a plan is worth its price, or is not; the first four are those of `Force`."""

    WINDOW = "window"
    OVERFLOW = "overflow"
    MODEL_SWITCH = "model_switch"
    ASKED = "asked"
    CLIFF = "cliff"  # it pays, and brings the request back under a cliff of the price
    PRICE = "price"  # it pays
    TRIGGER = "trigger"  # the policy does not ask what it costs
    # Why it is left.
    NOTHING_SAVED = "nothing_saved"
    NEVER_PAYS = "never_pays"
    PAYS_TOO_LATE = "pays_too_late"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision and its reason.

    Attributes:
        detail: The reason in words, with its numbers.
    """

    decision: Decision
    reason: Ground
    detail: str


_FORCED = {
    Force.WINDOW: "the window is as full as it may become",
    Force.OVERFLOW: "the provider said that the request is too large",
    Force.MODEL_SWITCH: "the next model's window is smaller",
    Force.ASKED: "it was asked for",
}


def decide(bills: Bills, situation: Situation, *, compacts: bool = True, must_pay: bool = True) -> Verdict:
    """Decide what becomes of a plan.

    A plan that saves nothing is left even if something has to be done: it would not help.

    Args:
        bills: Of the plan; the cache's has to include the call's dollars.
        situation: The session: whether something forces it, and how many turns it may take to pay.
        compacts: Whether messages go; else it only reduces.
        must_pay: Whether the policy asks what it costs.
    """
    cache = bills.cache
    worth = Decision.COMPACT if compacts else Decision.REDUCE
    if cache.saved <= 0:
        detail = f"nothing saved: {cache.before:,} tokens before, {cache.after:,} after"
        return Verdict(Decision.LEAVE, Ground.NOTHING_SAVED, detail)
    if situation.forced:
        return Verdict(worth, Ground(situation.forced.value), f"{_FORCED[situation.forced]}; {_pays(cache)}")
    if not must_pay:
        return Verdict(worth, Ground.TRIGGER, f"the policy does not ask what it costs; {_pays(cache)}")
    expected = f"{situation.turns_left} expected; the cache is {_state(cache)}"
    if cache.break_even_turns is None:
        return Verdict(Decision.LEAVE, Ground.NEVER_PAYS, f"{_pays(cache)}; the cache is {_state(cache)}")
    if cache.break_even_turns > situation.turns_left:
        return Verdict(Decision.LEAVE, Ground.PAYS_TOO_LATE, f"{_pays(cache)}, {expected}")
    if cache.cliffs:
        under = f"under the price cliff at {cache.cliffs[0].above:,} tokens"
        return Verdict(worth, Ground.CLIFF, f"{under}; {_pays(cache)}, {expected}")
    return Verdict(worth, Ground.PRICE, f"{_pays(cache)}, {expected}")


def explain(bills: Bills) -> list[str]:
    """The bills in plain lines: what is lost, the call, the cache."""
    return [*_loss_lines(bills.loss), _call_line(bills.call), *_cache_lines(bills.cache)]


def _loss_lines(loss: LossBill) -> Iterator[str]:
    if not loss.kinds:
        yield "loss: nothing"
    else:
        kinds = ", ".join(f"{kind.kind} {kind.tokens:,} in {kind.spans:,}" for kind in loss.kinds)
        yield f"loss: {loss.tokens:,} tokens ({kinds})"
        yield f"loss: {loss.expandable:,} tokens come back by handle, {loss.gone:,} are gone"
    if loss.mass_kept is not None:
        yield f"loss: {loss.mass_kept:.0%} of what the classifier values stays"


def _call_line(call: CallBill) -> str:
    if not call.calls:
        return "call: none"
    calls = "1 call" if call.calls == 1 else f"{call.calls} calls"
    read = f"{call.input_tokens:,} tokens in ({call.cached_share:.0%} cached)"
    return f"call: {calls}, {read}, {call.output_tokens:,} out, {_dollars(call.dollars)}"


def _cache_lines(cache: CacheBill) -> Iterator[str]:
    yield f"cache: {_state(cache)}; {cache.warm:,} tokens stay in it, {cache.rewritten:,} are sent anew"
    now = _difference(cache.dollars_now)
    yield f"cache: {now} this turn, {_difference(-cache.dollars_per_turn)} each later turn; {_pays(cache)}"
    for cliff in cache.cliffs:
        times = f"{cliff.input:g}x input, {cliff.output:g}x output"
        yield f"cache: back under {cliff.above:,} tokens, above which a request costs {times}"
    if cache.uncached:
        each = _dollars(cache.dollars_uncached)
        yield f"cache: {cache.after:,} tokens are too few to be cached, which costs {each} each later turn"
    if not cache.known:
        yield "cache: the model's price is not known; the dollars are a stand-in"


def _pays(cache: CacheBill) -> str:
    if cache.break_even_turns is None:
        return "never pays"
    if cache.break_even_turns == 0:
        return "pays at once"
    return f"pays after {cache.break_even_turns:.1f} turns"


def _state(cache: CacheBill) -> str:
    if cache.cold:
        return "cold"
    kept = "warm" if cache.lost else "warm, and the edit behind it"
    return f"{kept} ({_lasts(cache.ttl)})"


def _lasts(seconds: int) -> str:
    return f"{seconds // 3600} h" if seconds >= 3600 else f"{seconds // 60} min"


def _difference(amount: float) -> str:
    return f"{_dollars(abs(amount))} {'more' if amount > 0 else 'less'}"


def _dollars(amount: float) -> str:
    """An amount that is not negative, with as many places as it takes to see it."""
    if 0 < amount < 0.0001:
        return "less than $0.0001"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"
