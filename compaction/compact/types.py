"""A plan of a compaction, as data, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from elision.compaction.compact.compose import Piece
from elision.compaction.compact.gate import Recent
from elision.compaction.compact.measure import Usage, Window
from elision.compaction.compact.select import Selection
from elision.compaction.compact.trigger import Cause
from elision.compaction.conversation import Conversation
from elision.compaction.decisions import Shorten
from elision.compaction.pins.types import HistoryPin, LeftOut
from elision.compaction.prices.bills import Bills
from elision.compaction.prices.situation import Situation
from elision.compaction.prices.verdict import Decision
from elision.compaction.store import Store
from elision.compaction.summary.breaker import Breaker
from elision.compaction.summary.types import Attempt, Summariser
from elision.compaction.types import TokenCounter


class Fate(StrEnum):
    """What becomes of a message."""

    KEEP = "keep"
    REDUCE = "reduce"  # it stays, with less in it
    COVER = "cover"  # it goes; the summary stands for it


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """What will be done to one message.

    Attributes:
        index: Its index.
        fate: What becomes of it.
        before, after: Its tokens; of one that goes 0 after.
        reasons: Of what is reduced, by what: ``mask``, ``dedupe``, ``compress`` ...
        again: How the host gets back what left it, such as ``read src/app.py``.
        raw: How it is spelled then, empty where it stays as it came or goes.
        was: Its texts that others stand for then; some name them by their handles.
    """

    index: int
    fate: Fate
    before: int
    after: int
    reasons: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    raw: str = field(default="", repr=False)
    was: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why one looks at a history, and under what circumstances.

    Attributes:
        window: Of the model that reads the next request.
        situation: Prices, cache and turns to come; what is forced is found out by the plan.
        cause: Why one looks.
        usage: What the provider counted last.
        target_tokens: System and messages shall come down to so many; None leaves it to the policy.
        kept_tokens: Of the target, what messages that stay may have; None leaves all but room for a summary.
        recent: The compactions before.
        focus: What a person wants the summary to look at.
        alternate: Whether two messages of one speaker may not follow each other.
        language: To write the summary in; empty for that of the conversation.
        now: Seconds of a clock that does not go back.
        passes: How many summaries in a row have been brought up to date.
    """

    window: Window
    situation: Situation
    cause: Cause = Cause.CHECK
    usage: Usage | None = None
    target_tokens: int | None = None
    kept_tokens: int | None = None
    recent: Recent = Recent()
    focus: str = ""
    alternate: bool = False
    language: str = ""
    now: float = 0.0
    passes: int = 0


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """What a policy would do to a history, why, and what that costs. Nothing is done yet.

    Attributes:
        policy: Name and version.
        decision: ``leave``, ``reduce`` or ``compact``.
        reason: One word: why it is done, or why it is left.
        detail: The same in a sentence with its numbers.
        triggers_at: Tokens at which the policy acts, None where it does not go by tokens.
        measured: Tokens of the request by the policy's own measure.
        before: Tokens of system and messages by the reader's tokeniser.
        after: What is expected to be left of them.
        messages: What will be done to each message.
        selection: What stays and what goes; None if no message goes.
        pins: What may not be lost.
        beyond: What the messages that go said and is no pin, for there is too much of it.
        summaries: Indexes of earlier summaries.
        summary_tokens: What the summary may have, pins not included.
        pin_tokens: What pins may have; more only if what is hard needs it.
        bills: What it costs; None if nothing would change.
        requests: What only the host can do, such as reading a file again, in words.
    """

    policy: str
    decision: Decision
    reason: str
    detail: str
    triggers_at: int | None
    measured: int
    before: int
    after: int
    messages: tuple[MessagePlan, ...]
    selection: Selection | None = None
    pins: tuple[HistoryPin, ...] = ()
    beyond: tuple[LeftOut, ...] = ()
    summaries: tuple[int, ...] = ()
    summary_tokens: int = 0
    pin_tokens: int = 0
    bills: Bills | None = None
    requests: tuple[str, ...] = ()

    @property
    def covered(self) -> tuple[int, ...]:
        """Indexes of the messages that go."""
        return tuple(one.index for one in self.messages if one.fate is Fate.COVER)


@dataclass(frozen=True, slots=True)
class Originals:
    """The messages of a session as they were appended, where more is known than the request that is sent.

    Attributes:
        conversation: All of them.
        behind: For each message of the request, the indexes of the originals that it is or stands for.
    """

    conversation: Conversation
    behind: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Means:
    """What is handed in to plan and to compact.

    Attributes:
        counter: Counts the reader's tokens.
        store: Where originals are kept.
        shorten: The classifier's path of one text; None leaves `reduce.compress` out.
        made_by: What stands behind it: bundle, runner, encoding.
        writers: Who writes summaries, in the order they are asked.
        breaker: What is remembered of writers that failed.
        clock: Seconds, not going back.
        sleep: Waits so many seconds.
        deadline: On that clock, when a summary has to be there; None for no limit.
        values: The classifier's value of each of some sentences.
        originals: What the session knows besides the request; None where there is no session.
        still_current: Whether the history is still what is being compacted; asked after every call of a writer.
        tenant: Whose history it is.
        redact: Whether secrets stay out of what is written; what leaves for a writer never has them.
    """

    counter: TokenCounter
    store: Store
    shorten: Shorten | None = None
    made_by: str = ""
    writers: Sequence[Summariser] = ()
    breaker: Breaker | None = None
    clock: Callable[[], float] = lambda: 0.0
    sleep: Callable[[float], None] = lambda seconds: None
    deadline: float | None = None
    values: Callable[[Sequence[str]], Sequence[float]] | None = None
    originals: Originals | None = None
    still_current: Callable[[], bool] = lambda: True
    tenant: str = ""
    redact: bool = False


@dataclass(frozen=True, slots=True)
class CompactedHistory:
    """A history after a compaction, and the receipt.

    Attributes:
        raw: The body; as it came where nothing was done.
        pieces: What its messages are made of; empty where nothing was done.
        plan: What was to be done.
        decision: What was done.
        reason: Why, or why not; the plan's where it was carried out.
        detail: In a sentence.
        before, after: Tokens of system and messages.
        summary: What was written, without its frame; empty if nothing.
        by: Who wrote it.
        cut: What was taken out of it, for the sources do not have it.
        attempts: Every try to have it written.
        restored: Pins that had been lost on the way and were put back.
        dropped: How many of the soft pins stand behind a handle.
        handle: Content address of the messages that went; of the whole request where it changed.
        target_met: Whether the target is met; where there is none, whether it fits the window.
        bound: Messages whose signed thoughts a provider will refuse unless it is told to drop them.
    """

    raw: str
    plan: CompactionPlan
    decision: Decision
    reason: str
    detail: str
    before: int
    after: int
    pieces: tuple[Piece, ...] = ()
    summary: str = ""
    by: str = ""
    cut: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    restored: tuple[HistoryPin, ...] = ()
    dropped: int = 0
    handle: str = ""
    target_met: bool = True
    bound: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was done."""
        return self.decision is not Decision.LEAVE

    @property
    def cost(self) -> float:
        """Dollars of all tries to have the summary written."""
        return sum(attempt.cost for attempt in self.attempts)
