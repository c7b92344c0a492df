"""One compaction of a session, from reading its log to the event that changes its view.

The start is written before anything is asked of a model, so a crash leaves a start without an end, which
changes nothing. Whatever goes wrong leaves the view as it was, and says so in the log.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from enum import StrEnum

from elision.compaction.errors import StoreUnavailable
from elision.compaction.pins.types import HistoryPin
from elision.compaction.sessions.errors import BadEvent, CompactionRunning, StaleLog
from elision.compaction.sessions.log import EventLogs
from elision.compaction.sessions.types import Compacted, CompactionFailed, CompactionStarted, Event, Item
from elision.compaction.sessions.view import SessionView, view_of

LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new view, as whoever compacts proposes it; for the fields see `Compacted`."""

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
class Leave:
    """The decision to leave the view alone, and why."""

    reason: str


class Ending(StrEnum):
    """How a compaction ended."""

    COMPACTED = "compacted"
    LEFT = "left"
    INVALID = "invalid"  # on record, and not used
    FAILED = "failed"
    STALE = "stale"  # the view changed under it every time
    RUNNING = "running"  # another one is under way; nothing was done


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a compaction.

    Attributes:
        ending: How it ended.
        view: The view now.
        reason: Why the view is as it was; empty if it is not.
        compacted: The result as it stands in the log, where there is one.
    """

    ending: Ending
    view: SessionView
    reason: str = ""
    compacted: Compacted | None = None


def compact_session(
    logs: EventLogs,
    tenant: str,
    session: str,
    run: Callable[[SessionView], Rewrite | Leave],
    *,
    clock: Callable[[], float],
    new_id: Callable[[], str],
    limit_seconds: float = LIMIT_SECONDS,
    tries: int = 2,
) -> Ended:
    """Compact a session: read its view, let ``run`` rewrite it, write the result if nothing came between.

    Messages appended meanwhile are kept. An exception of ``run`` is a failure of the compaction, not of
    the caller.

    Args:
        run: Makes a new view of the old; this is what may take long. May raise `StaleLog` as soon as it sees
            that the view changed under it.
        clock: Seconds since 1970.
        new_id: Makes an id for each try.
        limit_seconds: After it another may take this one to be dead.
        tries: How often to begin anew when the view changed in another way.

    Raises:
        StoreUnavailable: If the log cannot be read, or the start not be written; nothing was done then.
    """
    for _ in range(tries):
        seen = view_of(logs.played(tenant, session))
        if not seen.seq:
            return Ended(Ending.LEFT, seen, "there is no such session")
        attempt = _Attempt(logs, tenant, session, new_id(), seen, clock)
        try:
            attempt.write(CompactionStarted(attempt.id, seen.seq, limit_seconds, at=clock()))
        except CompactionRunning as error:
            return Ended(Ending.RUNNING, seen, str(error))
        except StaleLog:
            continue
        ended = attempt.finish(run)
        if ended.ending is not Ending.STALE:
            return ended
    now = view_of(logs.played(tenant, session))
    return Ended(Ending.STALE, now, f"the view changed during each of {tries} tries")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A compaction that has been started."""

    logs: EventLogs
    tenant: str
    session: str
    id: str
    seen: SessionView
    clock: Callable[[], float]

    def write(self, event: Event) -> Event:
        (written,) = self.logs.append(self.tenant, self.session, [event])
        return written

    def finish(self, run: Callable[[SessionView], Rewrite | Leave]) -> Ended:
        try:
            found = run(self.seen)
        except StaleLog as error:
            return self._failed(Ending.STALE, str(error))
        except Exception as error:
            return self._failed(Ending.FAILED, f"{type(error).__name__}: {error}")
        except BaseException as error:  # the process is asked to end: the next one need not wait for us
            self._failed(Ending.FAILED, type(error).__name__)
            raise
        if isinstance(found, Leave):
            return self._failed(Ending.LEFT, found.reason)
        return self._use(found)

    def _use(self, found: Rewrite) -> Ended:
        proposed = {field.name: getattr(found, field.name) for field in fields(found)}
        try:
            written = self.write(Compacted(self.id, self.seen.seq, **proposed, at=self.clock()))
        except StaleLog as error:
            return self._failed(Ending.STALE, str(error))
        except (BadEvent, StoreUnavailable) as error:
            return self._failed(Ending.FAILED, str(error))
        assert isinstance(written, Compacted)
        ending = Ending.INVALID if written.invalid else Ending.COMPACTED
        return Ended(ending, self._now(), written.invalid, written)

    def _failed(self, ending: Ending, reason: str) -> Ended:
        event = CompactionFailed(self.id, reason, ending is Ending.LEFT, at=self.clock())
        with suppress(StoreUnavailable, BadEvent):  # an end that cannot be written comes with time
            self.write(event)
        return Ended(ending, self._now(), reason)

    def _now(self) -> SessionView:
        """The view now, or if it cannot be read, as it was."""
        try:
            return view_of(self.logs.played(self.tenant, self.session))
        except StoreUnavailable:
            return self.seen
