"""Shorten a text and fail open: what goes wrong on our side costs the saving, never the text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

from elision.compaction.compress import DEADLINE, compress, untouched
from elision.compaction.errors import BadBudget, BadPin, DeadlineExceeded, UnknownEncoding
from elision.compaction.types import Budget, Compressed, TokenCounter
from elision.model.types import Scorer, nothing

INTERNAL_ERROR = "internal_error"

_CALLERS = (BadBudget, BadPin, UnknownEncoding)  # the caller's mistakes; all others are ours


@dataclass(frozen=True, slots=True)
class Order:
    """What a caller wants done, to each of its texts alike."""

    budget: Budget
    query: str = ""
    pins: Sequence[regex.Pattern[str]] = ()


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens texts with one scorer; thread-safe.

    Attributes:
        scorer: Scores the texts.
        counter: Counts the reader's tokens.
        failed: Told about a mistake of ours, to report it.
    """

    scorer: Scorer
    counter: TokenCounter
    failed: Callable[[BaseException], None]

    def shorten(self, text: str, order: Order, tick: Callable[[], None] = nothing) -> Compressed:
        """Compress one text; on a mistake of ours the original with reason ``internal_error``.

        ``tick`` raises `DeadlineExceeded` when the caller's time is over.
        """
        try:
            tick()
            return compress(
                text,
                order.budget,
                scorer=self.scorer,
                counter=self.counter,
                query=order.query,
                pins=order.pins,
                tick=tick,
            )
        except DeadlineExceeded:
            return self.untouched(text, order, DEADLINE)
        except (*_CALLERS, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in a Rust library is no Exception
            self.failed(error)
            return self.untouched(text, order, INTERNAL_ERROR)

    def untouched(self, text: str, order: Order, reason: str) -> Compressed:
        """The text as it came, and a receipt that says why."""
        return untouched(text, order.budget, scorer=self.scorer, counter=self.counter, reason=reason)
