"""What is said of a session as JSON."""

from dataclasses import asdict
from typing import Any

from elision.compaction.counting import count
from elision.compaction.sessions.compacting import Ending
from elision.compaction.sessions.history import Record, history
from elision.compaction.sessions.log import SessionInfo
from elision.compaction.sessions.spelling import to_json
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Edited, Event, Inserted
from elision.serving.compacting.reports import outcome_json, pin_json
from elision.serving.compacting.session_jobs import SessionOutcome
from elision.serving.compacting.sessions import Seen
from elision.serving.message_receipts import problems_json

Json = dict[str, Any]


def state_json(seen: Seen) -> Json:
    """Where a session stands; reads all of its view."""
    return _place_json(seen) | {"problems": problems_json(seen.problems)}


def _place_json(seen: Seen) -> Json:
    view = seen.view
    return {
        "session": seen.session,
        "seq": view.seq,
        "format": view.format,
        "messages": len(view.items),
        "ids": list(view.ids),
        "tokens": seen.tokens,
        "compactions": [compacted.id for compacted in view.compactions],
    }


def appended_json(seen: Seen) -> Json:
    """What was appended, and where the session stands."""
    return {"appended": list(seen.appended)} | _place_json(seen)


def compacted_json(session: str, outcome: SessionOutcome, keeps: bool) -> Json:
    """What came of a compaction, without the body: as of any history, and of which session."""
    told = _failed(outcome) if outcome.done is None else outcome_json(outcome.done, outcome.job, keeps)
    if outcome.done is not None and outcome.done.changed and outcome.ending is not Ending.COMPACTED:
        told |= _unused(outcome, outcome.done.before)
    return told | {
        "session": session,
        "seq": outcome.view.seq,
        "ids": list(outcome.view.ids),
        "compaction": outcome.compaction or None,
        "ending": outcome.ending,
        "joined": outcome.joined,
    }


def history_json(session: str, events: tuple[Event, ...], now: float) -> Json:
    """All compactions of a session."""
    return {
        "session": session,
        "events": len(events),
        "messages": Timeline(events).position,
        "compactions": [_record(record) for record in history(events, now)],
    }


def events_json(session: str, events: tuple[Event, ...]) -> Json:
    """Events as the log has them."""
    return {"session": session, "events": [to_json(event) for event in events]}


def line_json(info: SessionInfo) -> Json:
    """A session in a list of them."""
    return asdict(info)


def _record(record: Record) -> Json:
    result = record.compacted
    items = result.items if result else ()
    covered = dict.fromkeys(id for item in items if isinstance(item, Inserted) for id in item.covers)
    return {
        "id": record.id,
        "fate": record.fate,
        "reason": record.reason,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "policy": result.policy if result else "",
        "trigger": result.trigger if result else "",
        "by": result.by if result else "",
        "tokens_before": result.tokens_before if result else 0,
        "tokens_after": result.tokens_after if result else 0,
        "cost": result.cost if result else 0.0,
        "covered": list(covered),
        "edited": [item.id for item in items if isinstance(item, Edited)],
        "inserted": [item.id for item in items if isinstance(item, Inserted)],
        "summary": result.summary if result else "",
        "pins": [pin_json(pin) for pin in result.pins] if result else [],
    }


def _unused(outcome: SessionOutcome, tokens: int) -> Json:
    """What stands instead, where a result was made and the log would not have it."""
    return {
        "changed": False,
        "decision": "leave",
        "reason": outcome.ending,
        "detail": outcome.reason,
        "tokens_after": tokens,
        "tokens_saved": 0,
        "target_met": False,
        "handle": None,
    }


def _failed(outcome: SessionOutcome) -> Json:
    """What stands where nothing was made, because of a mistake of ours."""
    job = outcome.job
    tokens = count(job.conversation, job.means.counter).total
    nothing: Json = {
        "summary": "",
        "summary_by": "",
        "cut": [],
        "attempts": [],
        "cost": 0.0,
        "restored_pins": [],
    }
    more: Json = {"dropped_pins": 0, "bound_thinking": [], "plan": None}
    policy = f"{job.policy.name}@{job.policy.version}"
    named: Json = {"format": job.conversation.format, "policy": policy, "tokens_before": tokens}
    return named | _unused(outcome, tokens) | nothing | more
