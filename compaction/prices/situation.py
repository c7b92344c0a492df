"""What is known about a session when a plan is priced.

What is not known is taken so that an edit looks no better than it is: the cache warm, all of it in use.
"""

from dataclasses import dataclass
from enum import StrEnum

from elision.compaction.prices.price import Price


class Force(StrEnum):
    """Why something has to be done whatever it costs."""

    WINDOW = "window"  # the request is over what the window leaves for input
    OVERFLOW = "overflow"  # the provider said that a request was too large
    MODEL_SWITCH = "model_switch"  # the next model's window is smaller than what is there
    ASKED = "asked"  # a person wants it


@dataclass(frozen=True, slots=True)
class Situation:
    """A session, as far as its bills go.

    Attributes:
        reader: Price of the model that reads the conversation.
        summariser: Price of the one that writes summaries; None if no model does.
        idle_seconds: Since the reader's last answer ended; None if unknown, then the cache is warm.
        answer_seconds: How long that answer took; some lifetimes begin with the request.
        cached_tokens: How much of the request's beginning is in the cache: up to the last cache mark, or
            what the provider last counted. None for all but the newest message. 0 if nothing is: the first
            request, another model, other tools.
        caching: Whether requests use the cache at all; where it wants marks and there are none, they do not.
        ttl: Seconds that cache marks ask for; None for the shortest lifetime.
        turns_left: Further requests that are expected.
        output_tokens: What the reader is expected to write each turn; only cliffs make it matter.
        forced: Why something has to be done whatever it costs, None if nothing has to.
    """

    reader: Price
    summariser: Price | None = None
    idle_seconds: float | None = None
    answer_seconds: float = 0.0
    cached_tokens: int | None = None
    caching: bool = True
    ttl: int | None = None
    turns_left: int = 10
    output_tokens: int = 0
    forced: Force | None = None

    @property
    def expired(self) -> bool:
        """Whether the cache has outlived its lifetime, as far as we can tell."""
        if self.idle_seconds is None:
            return False
        began = self.answer_seconds if self.reader.clock == "request" else 0.0
        return self.idle_seconds + began > self.reader.tier(self.ttl).seconds

    def cacheable(self, tokens: int) -> int:
        """``tokens`` if so short a request or beginning of one is cached at all, else 0."""
        return tokens if self.caching and tokens >= self.reader.minimum else 0

    def warm_tokens(self, tokens: int, newest: int = 0) -> int:
        """How much of a request of so many tokens is in the cache now.

        Args:
            tokens: Of the request.
            newest: Of its newest message, which was never sent.
        """
        known = tokens - newest if self.cached_tokens is None else self.cached_tokens
        return 0 if self.expired else self.cacheable(max(0, min(known, tokens)))
