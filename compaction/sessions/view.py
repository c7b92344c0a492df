"""What an agent reads of its session: a pure function of the log.

A view is never stored. Played again the log gives the same view, and its beginning gives the view of
then.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from elision.compaction.conversation import Format
from elision.compaction.sessions.bodies import joined
from elision.compaction.sessions.errors import BadEvent
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Compacted, Configured, Entry, Event, Shown


@dataclass(frozen=True, slots=True)
class SessionView:
    """What an agent reads of its session.

    Attributes:
        items: The messages, in order.
        configured: The head around them, None if nobody gave one.
        compactions: Those that made it so, oldest first; the last has the summary that stands.
        seq: Number of the log's last event; two views that read alike are equal whatever it is.
    """

    items: tuple[Shown, ...] = ()
    configured: Configured | None = None
    compactions: tuple[Compacted, ...] = ()
    seq: int = field(default=0, compare=False)

    @property
    def format(self) -> Format | None:
        """The wire format, None if nobody said."""
        return self.configured.format if self.configured else None

    @property
    def messages(self) -> tuple[str, ...]:
        """The JSON text of each message."""
        return tuple(shown.raw for shown in self.items)

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each message."""
        return tuple(shown.id for shown in self.items)

    def body(self) -> str:
        """The request body, or without a head the bare list of messages."""
        return joined(self.configured, self.messages)


def view(events: Sequence[Event]) -> SessionView:
    """The view after these events, which are a log from its beginning; linear in their size.

    Raises:
        BadEvent, StaleLog, CompactionRunning: If no log can read like that.
    """
    return view_of(Timeline(events))


def view_of(timeline: Timeline) -> SessionView:
    """The view of a log that has been played."""
    state = timeline.state
    return SessionView(state.shown(), state.configured, state.compactions(), timeline.seq)


def originals(events: Sequence[Event]) -> tuple[Entry, ...]:
    """The messages as they came, without those that were rolled back: what another policy would start from.

    Raises:
        BadEvent, StaleLog, CompactionRunning: As `view` does.
    """
    return Timeline(events).state.appended()


def behind(events: Sequence[Event], ids: Collection[str]) -> tuple[Entry, ...]:
    """The messages as they came that these of the view stand for, summaries of summaries resolved.

    Raises:
        BadEvent: If the view has no such message.
        StaleLog, CompactionRunning: As `view` does.
    """
    state = Timeline(events).state
    unknown = set(ids) - {shown.id for shown in state.shown()}
    if unknown:
        raise BadEvent(f"the view has no message {min(unknown)!r}")
    covers = {shown.id: shown.covers for past in state.back() for shown in past.compacted}
    waiting, reached = [*ids], set[str]()
    while waiting:
        at = waiting.pop()
        if at not in reached:
            reached.add(at)
            waiting += covers.get(at, ())
    return tuple(entry for entry in state.appended() if entry.id in reached)
