"""What is to be summarised, and what it is when nothing came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elision.compaction.pins.types import HistoryPin
from elision.compaction.policies.telling import Summary as Settings
from elision.compaction.summary.extractive import Scorer
from elision.compaction.summary.types import Attempt, Failure, Source
from elision.compaction.types import TokenCounter


@dataclass(frozen=True, slots=True)
class SummaryOrder:
    """What is to be summarised, and how.

    Attributes:
        sources: The messages that the summary takes the place of; secrets in them are hidden from writers.
        summary: How the policy wants it.
        pins: For the summary by rule.
        prior: The earlier summary that is brought up to date; empty if there is none.
        focus: What the caller wants looked at.
        replaced_tokens: Tokens of what it takes the place of.
        frame_tokens: Tokens of what is put around it.
        room_tokens: Tokens it may have at most, without its frame; 0 sets no limit but `replaced_tokens`.
        counter: The reader's.
        still_current: Whether history is still what the order was made from; asked after every call.
        values: Keep values of texts by the classifier, for the summary by rule; None where rules do.
        language: To write in, None for that of the conversation.
        tenant: Whose history it is, for the breaker.
        forced: Whether a person asked for it: the breaker lets it through.
        restore: Whether secrets are put back into the summary, where they would be found again.
        others: Texts besides, such as messages that stay, whose secrets are hidden from writers too.
    """

    sources: Sequence[Source]
    summary: Settings
    pins: tuple[HistoryPin, ...]
    prior: str
    focus: str
    replaced_tokens: int
    frame_tokens: int
    room_tokens: int
    counter: TokenCounter
    still_current: Callable[[], bool] = lambda: True
    values: Scorer | None = None
    language: str | None = None
    tenant: str = ""
    forced: bool = False
    restore: bool = True
    others: Sequence[str] = ()

    @property
    def limit(self) -> int:
        """A summary with its frame has fewer tokens than this."""
        room = self.room_tokens + self.frame_tokens + 1
        return min(self.replaced_tokens, room) if self.room_tokens else self.replaced_tokens


@dataclass(frozen=True, slots=True)
class KeptHistory:
    """History stays as it was.

    Attributes:
        reason: In a sentence for the user.
        attempts: Every try, in order.
        failure: What went wrong last; None if there was nothing to do.
    """

    reason: str
    attempts: Sequence[Attempt] = ()
    failure: Failure | None = None
