"""The log of sessions as the core sees it: something that keeps events in order, for several writers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Event


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session in a list of them.

    Attributes:
        name: What its owner calls it.
        events: How many it has.
        messages: How many it ever had.
        bytes: What it takes, compressed.
        created_at: When it began.
        used_at: When it was last read or written, to within some minutes.
    """

    name: str
    events: int
    messages: int
    bytes: int
    created_at: float
    used_at: float


class EventLogs(Protocol):
    """The logs of all tenants' sessions; safe for threads and processes.

    What `append` returned is there to stay, whatever happens to the process or the machine. All methods
    but `close` raise `StoreUnavailable`, and then nothing was written.
    """

    def append(
        self, tenant: str, session: str, events: Sequence[Event], expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        """Write events at the end, all or none; the first ones begin a session.

        Writers come one after the other. Appended messages are never refused because others were
        appended meanwhile, and those that are there already are passed over.

        Args:
            expected_seq: The last event that the writer knew of; None if it does not matter. Compactions
                carry their base and need none.

        Returns:
            What was written: numbered, messages with their ids, without what was there already.

        Raises:
            BadEvent: If an event contradicts the log. Also `DoubledId`.
            StaleLog: If the log moved on in a way that an event did not reckon with, or ends before
                ``expected_seq``.
            CompactionRunning: If a compaction is started while another is under way.
        """

    def read(self, tenant: str, session: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a session after this one; none if there is no such session."""

    def played(self, tenant: str, session: str) -> Timeline:
        """The log of a session played, to be looked at and not to be added to; empty if there is none.

        Raises:
            BadEvent, StaleLog, CompactionRunning: If no log can read like that.
        """

    def fork(
        self, tenant: str, parent: str, child: str, at: float, seq: int | None = None
    ) -> tuple[Event, ...]:
        """Begin a session with a copy of another's first ``seq`` events; of all if not given.

        The copy is whole: it outlives the parent, and can undo what the parent did.

        Returns:
            The child's events.

        Raises:
            UnknownSession: If there is no parent.
            SessionExists: If there is a child already.
            BadEvent: If the parent has no such event.
        """

    def sessions(self, tenant: str) -> tuple[SessionInfo, ...]:
        """The sessions of a tenant, the one used last first."""

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        """Delete the sessions that all given conditions name, with everything they ever held.

        Args:
            session: The session of this name, of every tenant if none is given.
            older_than_seconds: Sessions that nobody used for so long.
            tenant: Sessions of this tenant.

        Returns:
            Number of sessions deleted.
        """

    def ready(self) -> None:
        """Return if the logs can be written to."""

    def close(self) -> None:
        """Let go of files; afterwards nothing may be called."""
