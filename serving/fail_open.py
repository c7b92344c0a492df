"""Shorten a text and fail open: what goes wrong on our side costs the saving, never the text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elision.compaction.compress import DEADLINE
from elision.compaction.errors import BadBudget, BadPin, DeadlineExceeded, RedactionFailed, UnknownEncoding
from elision.compaction.orders import carried_out, left_alone
from elision.compaction.types import Compressed, Order, TokenCounter
from elision.model.types import Scorer, Span, nothing

INTERNAL_ERROR = "internal_error"

# The caller's mistakes, and what must not be answered with the original.
RAISED = (BadBudget, BadPin, UnknownEncoding, RedactionFailed)


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens texts with one scorer; thread-safe.

    Attributes:
        scorer: Scores the texts.
        counter: Counts the reader's tokens.
        failed: Told about a mistake of ours, to report it.
        decides_as: Stands for bundle and runner in the keys of decisions; empty, they do themselves. A
            service has one for all its bundles: what was decided is replayed when they are swapped.
    """

    scorer: Scorer
    counter: TokenCounter
    failed: Callable[[BaseException], None]
    decides_as: str = ""

    @property
    def made_by(self) -> str:
        """Who decides, as part of a decision's key."""
        counted = self.counter.encoding if self.counter.exact else f"about {self.counter.encoding}"
        return f"{self.decides_as or f'{self.scorer.bundle} {self.scorer.runner}'} {counted}"

    def shorten(self, text: str, order: Order, tick: Callable[[], None] = nothing) -> Compressed:
        """Compress one text; on a mistake of ours the original with reason ``internal_error``.

        ``tick`` raises `DeadlineExceeded` when the caller's time is over.
        """
        try:
            tick()
            return carried_out(text, order, scorer=self.scorer, counter=self.counter, tick=tick)
        except DeadlineExceeded:
            return self.untouched(text, order, DEADLINE)
        except (*RAISED, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in a Rust library is no Exception
            self.failed(error)
            return self.untouched(text, order, INTERNAL_ERROR)

    def untouched(self, text: str, order: Order, reason: str, left_out: Sequence[Span] = ()) -> Compressed:
        """The text as it came, but for what the order asks for at any budget, and a receipt that says why.

        ``left_out`` are whole lines that the caller does not want.
        """
        return left_alone(
            text, order, scorer=self.scorer, counter=self.counter, reason=reason, left_out=left_out
        )
