"""The events of a session.

A session is a log of them that only grows: nothing is ever taken out of it. What the agent reads, the
view, is a function of the log, so a compaction is one more event, and undoing it is another.
"""

from dataclasses import dataclass

from elision.compaction.conversation import Format
from elision.compaction.pins.types import HistoryPin


@dataclass(frozen=True, slots=True)
class Glue:
    """What stands around the messages of a list: before the first, between two, behind the last."""

    first: str = "["
    between: str = ", "
    last: str = "]"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message as it came.

    Attributes:
        id: The caller's. If empty it becomes ``m{n}``, where n counts all messages the session ever had.
        raw: Its JSON text, character for character.
    """

    id: str
    raw: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A message of the view that stays as it is."""

    id: str


@dataclass(frozen=True, slots=True)
class Edited:
    """A message of the view that now reads otherwise."""

    id: str
    raw: str


@dataclass(frozen=True, slots=True)
class Inserted:
    """A message that nobody sent, such as a summary.

    Attributes:
        raw: Its JSON text.
        covers: Ids of messages of the view that it stands for.
        id: If empty it becomes ``{compaction}/{n}``.
    """

    raw: str
    covers: tuple[str, ...] = ()
    id: str = ""


Item = Kept | Edited | Inserted


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of a view.

    Attributes:
        id: What events call it by.
        raw: Its JSON text.
        by: The compaction that edited or inserted it; empty if it stands as it came.
        covers: If inserted, the messages of the view before that it stands for.
    """

    id: str
    raw: str
    by: str = ""
    covers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What every event has.

    Attributes:
        at: When it happened, in seconds since 1970 by the clock of the one who writes.
        seq: Its number in the log, from 1; given by the log.
    """

    at: float = 0.0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Configured(Placed):
    """The request around the messages, from here on.

    Attributes:
        format: The wire format; it cannot change once there are messages.
        head: The body as it came, its list of messages empty: model, system, tools ...
        glue: How the list is spelled.
    """

    format: Format
    head: str
    glue: Glue = Glue()


@dataclass(frozen=True, slots=True)
class Appended(Placed):
    """Messages at the end; one whose id and bytes are there already is not written again."""

    messages: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class CompactionStarted(Placed):
    """A compaction begins; written before any model is called. Alone it changes nothing.

    Attributes:
        id: Of the compaction, never used before.
        base: Number of the last event of the log it looked at; 0 of an empty one.
        limit_seconds: If it has not ended after this time, whoever ran it is taken to be dead.
    """

    id: str
    base: int
    limit_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Compacted(Placed):
    """The view of ``base`` becomes ``items``; what was appended since stays behind them.

    Attributes:
        id: Of the compaction; it was started.
        base: As it was started with.
        items: The whole new view, in the order of the old. What is not among them is no longer seen.
        summary: What was written, without its frame.
        pins: What had to survive it.
        policy: Name and version of the policy, as ``name@version``.
        tokens_before, tokens_after: Of the view.
        cost: Of the model calls, in dollars.
        trigger: Why it was done.
        by: Who wrote the summary.
        invalid: Why it is not used, empty if it is. One that is not used is on record, nothing more.
    """

    id: str
    base: int
    items: tuple[Item, ...]
    summary: str = ""
    pins: tuple[HistoryPin, ...] = ()
    policy: str = ""
    tokens_before: int = 0
    tokens_after: int = 0
    cost: float = 0.0
    trigger: str = ""
    by: str = ""
    invalid: str = ""


@dataclass(frozen=True, slots=True)
class CompactionFailed(Placed):
    """A compaction ended without a new view.

    Attributes:
        id: Of the compaction.
        reason: Why, in a sentence.
        left: Whether nothing failed: it was decided to leave the view alone.
    """

    id: str
    reason: str
    left: bool = False


@dataclass(frozen=True, slots=True)
class RolledBack(Placed):
    """The view is again what it was at an earlier point, its summaries and its head with it.

    Attributes:
        to: Id of the message that is the last again, or number of the event that is; 0 empties the view.
    """

    to: str | int


@dataclass(frozen=True, slots=True)
class Undone(Placed):
    """A compaction is taken back, and so are all later ones: they were built on its view.

    Messages appended since stay.
    """

    id: str


@dataclass(frozen=True, slots=True)
class Forked(Placed):
    """From here on the session is its own; all events before this one are copies of another's.

    Compactions that were under way there are not under way here.

    Attributes:
        parent: Name of the other session.
        parent_seq: Number of its event that was copied last.
    """

    parent: str
    parent_seq: int


Event = (
    Configured | Appended | CompactionStarted | Compacted | CompactionFailed | RolledBack | Undone | Forked
)
