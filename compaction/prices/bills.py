"""The three bills of a plan: what is lost, what the summary costs, what the cache costs.

An edit in the middle of a history throws away what the cache holds behind it. Reading what is left is
cheaper each turn from then on, so an edit has a turn from which it pays, or none. All of it follows from
four requests: this turn's and a later turn's, with the edit and without.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from elision.compaction.prices.price import Cliff, Price, cost
from elision.compaction.prices.situation import Situation


@dataclass(frozen=True, slots=True)
class Loss:
    """One text that goes, or the spans of one kind together.

    Attributes:
        kind: Whose it is: ``user``, ``assistant``, ``result:bash`` ...
        tokens: That go.
        expandable: Of these, tokens that come back by a handle.
        spans: How many texts.
    """

    kind: str
    tokens: int
    expandable: int = 0
    spans: int = 1


@dataclass(frozen=True, slots=True)
class LossBill:
    """What is lost.

    Attributes:
        kinds: Each kind once, the largest first.
        mass_kept: Share of the classifier's keep values that stays, in [0, 1]; None if it was not asked.
    """

    kinds: tuple[Loss, ...] = ()
    mass_kept: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens that go."""
        return sum(loss.tokens for loss in self.kinds)

    @property
    def expandable(self) -> int:
        """Of these, tokens that come back by a handle."""
        return sum(loss.expandable for loss in self.kinds)

    @property
    def gone(self) -> int:
        """Of these, tokens that do not come back."""
        return self.tokens - self.expandable


@dataclass(frozen=True, slots=True)
class CallBill:
    """What the summary costs; bills of several calls add up.

    Attributes:
        calls: How many.
        input_tokens: That the writer reads, in all calls.
        cached_tokens: Of these, read from a cache.
        output_tokens: That it writes.
        dollars: What that costs.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0

    def __add__(self, other: "CallBill") -> "CallBill":
        return CallBill(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.dollars + other.dollars,
        )

    @property
    def cached_share(self) -> float:
        """Share of the input that is read from a cache."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else 0.0


@dataclass(frozen=True, slots=True)
class CacheBill:
    """What the edit does to the reader's bill.

    Attributes:
        before, after: Tokens of the request without and with the edit.
        prefix: Tokens before the first edit: they stay what they were.
        warm: Of these, tokens that are in the cache and stay there.
        lost: Tokens behind them that the cache holds for nothing from now on.
        ttl: Seconds that what is written stays.
        dollars_now: What this turn costs more with the edit; negative if less. The summary is not in it.
        dollars_per_turn: What each later turn costs less with the edit; negative if more.
        break_even_turns: Later turns until edit and summary are paid, None for never. An edit of a warm
            cache gets no credit for this turn.
        uncached: Whether the edit makes the request too short to be cached.
        dollars_uncached: What that costs each later turn; is in `dollars_per_turn`.
        cliffs: Those that the edit brings the request back under.
        known: Whether the dollars are the model's own.
    """

    before: int
    after: int
    prefix: int
    warm: int
    lost: int
    ttl: int
    dollars_now: float
    dollars_per_turn: float
    break_even_turns: float | None
    uncached: bool = False
    dollars_uncached: float = 0.0
    cliffs: tuple[Cliff, ...] = ()
    known: bool = True

    @property
    def saved(self) -> int:
        """Tokens that a request has less; negative if it has more."""
        return self.before - self.after

    @property
    def rewritten(self) -> int:
        """Tokens of this turn's request that are not read from the cache."""
        return self.after - self.warm

    @property
    def cold(self) -> bool:
        """Whether the cache holds nothing of the request, edit or not."""
        return self.warm + self.lost == 0


@dataclass(frozen=True, slots=True)
class Bills:
    """All three."""

    loss: LossBill
    call: CallBill
    cache: CacheBill


def loss_bill(losses: Iterable[Loss], mass_kept: float | None = None) -> LossBill:
    """Add up what goes, by kind."""
    kinds: dict[str, Loss] = {}
    for loss in losses:
        so_far = kinds.get(loss.kind, Loss(loss.kind, 0, 0, 0))
        kinds[loss.kind] = Loss(
            loss.kind,
            so_far.tokens + loss.tokens,
            so_far.expandable + loss.expandable,
            so_far.spans + loss.spans,
        )
    return LossBill(tuple(sorted(kinds.values(), key=lambda loss: (-loss.tokens, loss.kind))), mass_kept)


def call_bill(price: Price, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> CallBill:
    """Price one call of a summariser.

    Args:
        price: Of the summariser.
        input_tokens: All that it reads.
        output_tokens: All that it writes; of a call still to come, what it may write.
        cached_tokens: Of the input, what is in its cache; only where the prompt begins like the session's
            own requests and the reader writes itself.
    """
    cached = min(cached_tokens, input_tokens)
    written = input_tokens - cached if price.automatic and input_tokens >= price.minimum else 0
    dollars = cost(price, input_tokens, cached, written, output_tokens)
    return CallBill(1, input_tokens, cached, output_tokens, dollars)


def cache_bill(
    situation: Situation, before: int, after: int, prefix: int, *, newest: int = 0, call_dollars: float = 0.0
) -> CacheBill:
    """Price what an edit does to this turn and to each later one.

    Later turns are taken to be no longer than this one: what is added costs the same either way.

    Args:
        situation: The session.
        before: Tokens of the request as it is.
        after: Tokens of it with the edit.
        prefix: Tokens before the first edit.
        newest: Tokens of the newest message; only read where the situation does not say what is cached.
        call_dollars: What the summary costs; the edit has to pay for it too.
    """
    held = situation.warm_tokens(before, newest)
    warm = situation.cacheable(max(0, min(prefix, held, after)))
    now = _turn(situation, after, warm) - _turn(situation, before, held)
    later = _later(situation, before) - _later(situation, after)
    uncached = situation.cacheable(before) > 0 and situation.cacheable(after) == 0
    lost = held - warm
    return CacheBill(
        before=before,
        after=after,
        prefix=prefix,
        warm=warm,
        lost=lost,
        ttl=situation.reader.tier(situation.ttl).seconds,
        dollars_now=now,
        dollars_per_turn=later,
        break_even_turns=_break_even(now + call_dollars, later, credited=lost == 0),
        uncached=uncached,
        dollars_uncached=_uncached(situation, after) if uncached else 0.0,
        cliffs=tuple(cliff for cliff in situation.reader.cliffs if after <= cliff.above < before),
        known=situation.reader.known,
    )


def _turn(situation: Situation, tokens: int, cached: int) -> float:
    written = tokens - cached if situation.cacheable(tokens) else 0
    return cost(situation.reader, tokens, cached, written, situation.output_tokens, ttl=situation.ttl)


def _later(situation: Situation, tokens: int) -> float:
    return _turn(situation, tokens, situation.cacheable(tokens))


def _uncached(situation: Situation, tokens: int) -> float:
    return cost(situation.reader, tokens) - cost(situation.reader, tokens, tokens)


def _break_even(price: float, per_turn: float, credited: bool) -> float | None:
    """Turns until ``price`` is paid back; without credit for this turn, one more."""
    if per_turn <= 0:
        return 0.0 if per_turn == 0 and price < 0 else None
    return max(0.0, price / per_turn + (0 if credited else 1))
