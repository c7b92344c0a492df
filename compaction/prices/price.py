"""What a model's tokens cost, and what one request costs.

Caches are told by multipliers of the input price: reading is cheaper than sending, writing may be dearer.
Above a cliff the whole request has another price, not only what stands above it.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

_MTOK = 1_000_000


@dataclass(frozen=True, slots=True)
class Tier:
    """One lifetime that a cache offers.

    Attributes:
        seconds: How long what was written stays, counted anew at each use.
        write: What writing costs, as a multiple of the input price.
    """

    seconds: int
    write: float


@dataclass(frozen=True, slots=True)
class Cliff:
    """A request of more than `above` input tokens costs this many times as much, all of it."""

    above: int
    input: float
    output: float


NO_CLIFF = Cliff(0, 1, 1)


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs.

    Attributes:
        model: As it was asked for; empty if that is too long to be a name.
        input, output: Dollars per million tokens.
        tiers: Lifetimes of the cache, the shortest first; at least one.
        read: What reading from the cache costs, as a multiple of `input`.
        minimum: A request of fewer tokens is not cached at all.
        cliffs: In rising order.
        batch: What a request of a batch costs, as a multiple; 1 where nobody says.
        clock: Whether a lifetime begins when a request starts, or when its answer ends.
        best_effort: Whether lifetimes are what is usual, not what is promised.
        automatic: Whether all that is sent is cached, marked or not.
        source: Where the dollars are from.
        checked: When somebody last looked, None if unknown.
        known: Whether the dollars are the model's; else they are a stand-in.
        note: What the numbers leave out.
    """

    model: str
    input: float
    output: float
    tiers: tuple[Tier, ...]
    read: float
    minimum: int = 0
    cliffs: tuple[Cliff, ...] = ()
    batch: float = 1.0
    clock: Literal["request", "response"] = "response"
    best_effort: bool = False
    automatic: bool = True
    source: str = ""
    checked: date | None = None
    known: bool = True
    note: str = ""

    def tier(self, seconds: int | None = None) -> Tier:
        """The shortest lifetime of at least ``seconds``, else the longest; unasked the shortest."""
        lasting = [tier for tier in self.tiers if tier.seconds >= (seconds or 0)]
        return lasting[0] if lasting else self.tiers[-1]

    def cliff(self, input_tokens: int) -> Cliff:
        """The highest cliff that a request of so many tokens is above."""
        crossed = [cliff for cliff in self.cliffs if input_tokens > cliff.above]
        return crossed[-1] if crossed else NO_CLIFF


def cost(
    price: Price,
    input_tokens: int,
    cached_tokens: int = 0,
    written_tokens: int = 0,
    output_tokens: int = 0,
    *,
    ttl: int | None = None,
    batch: bool = False,
) -> float:
    """What one request costs, in dollars.

    Args:
        price: Of the model.
        input_tokens: All that is sent, cached or not; cliffs go by it.
        cached_tokens: Of these, read from the cache.
        written_tokens: Of the rest, written to it.
        output_tokens: What comes back, thinking included.
        ttl: Seconds that what is written shall stay.
        batch: Whether it is one of a batch.
    """
    cached = min(cached_tokens, input_tokens)
    written = min(written_tokens, input_tokens - cached)
    sent = input_tokens - cached - written
    cliff = price.cliff(input_tokens)
    paid = (sent + price.read * cached + price.tier(ttl).write * written) * price.input * cliff.input
    return (paid + output_tokens * price.output * cliff.output) * (price.batch if batch else 1) / _MTOK
