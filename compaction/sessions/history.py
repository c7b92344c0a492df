"""What became of every compaction of a session: what a person asks for, and what a breaker counts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import (
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Event,
    Forked,
    RolledBack,
    Undone,
)


class Fate(StrEnum):
    """What became of a compaction."""

    RUNNING = "running"
    ABANDONED = "abandoned"  # whoever ran it is taken to be dead; it changed nothing
    FAILED = "failed"
    LEFT = "left"  # it was decided to leave the view alone
    INVALID = "invalid"  # there was a result, and it was not used
    IN_EFFECT = "in_effect"
    UNDONE = "undone"  # by name, or because it was built on one that was
    ROLLED_BACK = "rolled_back"


@dataclass(frozen=True, slots=True)
class Record:
    """One compaction.

    Attributes:
        id: Its id.
        fate: What became of it.
        started_at: When it began.
        ended_at: When it ended, None if it has not.
        reason: Why it failed, was left or not used; empty otherwise.
        compacted: Its result, where there is one.
    """

    id: str
    fate: Fate
    started_at: float
    ended_at: float | None = None
    reason: str = ""
    compacted: Compacted | None = None


def history(events: Iterable[Event], now: float) -> tuple[Record, ...]:
    """All compactions, in the order they began.

    Args:
        events: A log from its beginning.
        now: Tells those under way from those whose time is over; on the clock of the events.

    Raises:
        BadEvent, StaleLog, CompactionRunning: If no log can read like that.
    """
    timeline = Timeline()
    records: dict[str, Record] = {}
    for event in events:
        timeline.add(event)
        match event:
            case CompactionStarted():
                over = event.at + event.limit_seconds <= now
                records[event.id] = Record(event.id, Fate.ABANDONED if over else Fate.RUNNING, event.at)
            case CompactionFailed():
                fate = Fate.LEFT if event.left else Fate.FAILED
                records[event.id] = replace(
                    records[event.id], fate=fate, ended_at=event.at, reason=event.reason
                )
            case Compacted():
                records[event.id] = _result(records[event.id], event)
            case Forked():
                running = [one for one in records.values() if one.fate is Fate.RUNNING]
                records |= {one.id: replace(one, fate=Fate.ABANDONED) for one in running}
            case Undone() | RolledBack():
                gone = Fate.UNDONE if isinstance(event, Undone) else Fate.ROLLED_BACK
                effective = {compacted.id for compacted in timeline.state.compactions()}
                records = {id: _moved(record, id in effective, gone) for id, record in records.items()}
    return tuple(records.values())


def _result(record: Record, event: Compacted) -> Record:
    fate = Fate.INVALID if event.invalid else Fate.IN_EFFECT
    return replace(record, fate=fate, ended_at=event.at, reason=event.invalid, compacted=event)


def _moved(record: Record, effective: bool, gone: Fate) -> Record:
    """The record after the session went to another state; a rollback can bring back what was undone."""
    if record.compacted is None or record.fate is Fate.INVALID:
        return record
    if effective:
        return replace(record, fate=Fate.IN_EFFECT)
    return replace(record, fate=gone) if record.fate is Fate.IN_EFFECT else record
