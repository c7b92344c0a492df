"""Between the log of a session and a compaction: what the one knows for the other, and what comes back."""

from collections.abc import Iterable, Mapping, Sequence

from elision.compaction.compact import compose
from elision.compaction.compact.gate import TOO_LITTLE, Past, Recent
from elision.compaction.compact.trigger import Reason
from elision.compaction.compact.types import CompactedHistory, Originals
from elision.compaction.formats.read import read
from elision.compaction.prices.verdict import Decision
from elision.compaction.sessions.bodies import joined
from elision.compaction.sessions.compacting import Leave, Rewrite
from elision.compaction.sessions.history import Fate, Record
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Compacted, Edited, Inserted, Item, Kept, Shown
from elision.compaction.sessions.view import SessionView
from elision.compaction.summary.types import Failure

_REASONS = {reason.value: reason for reason in Reason}
_VAIN = frozenset({Fate.FAILED, Fate.ABANDONED, Fate.INVALID})


def originals_of(timeline: Timeline) -> Originals:
    """The messages of a session as they came, and which of them stand behind each message of its view.

    Raises:
        UnknownFormat, BadConversation, NotJson: If they are in no wire format.
    """
    state = timeline.state
    entries = state.appended()
    body = joined(state.configured, [entry.raw for entry in entries])
    conversation = read(body, state.configured.format if state.configured else None)
    places = {entry.id: (place,) for place, entry in enumerate(entries)}
    return Originals(conversation, tuple(behind_each(state.shown(), state.compactions(), places)))


def behind_each(
    view: Sequence[Shown], compactions: Iterable[Compacted], places: Mapping[str, tuple[int, ...]]
) -> Iterable[tuple[int, ...]]:
    """For each message of a view the places of the originals that it is or stands for, in order.

    Args:
        view: The messages.
        compactions: Those in effect, oldest first.
        places: Of each original its own, by its id.
    """
    found = dict(places)
    for compacted in compactions:
        for item in compacted.items:
            if isinstance(item, Inserted):
                found[item.id] = tuple(sorted({at for id in item.covers for at in found.get(id, ())}))
    return (found.get(shown.id, ()) for shown in view)


def recent_of(records: Iterable[Record]) -> Recent:
    """The compactions of a session as a gate counts them.

    One that was decided against was not tried, and one that was taken back is forgotten with its view.
    """
    return Recent(tuple(_past(one) for one in records if one.fate in _VAIN or one.fate is Fate.IN_EFFECT))


def passes_of(compactions: Iterable[Compacted]) -> int:
    """How many of these, which are in effect, brought an earlier summary up to date."""
    return max(0, sum(bool(compacted.summary) for compacted in compactions) - 1)


def rewrite_of(done: CompactedHistory, view: SessionView) -> Rewrite | Leave:
    """What a log is told of a compaction of a view.

    What was to be done and was not is on record with its reason and its cost, and changes nothing.
    """
    if done.plan.decision is Decision.LEAVE:
        return Leave(f"{done.reason}: {done.detail}")
    return Rewrite(
        items=tuple(_item(piece, view) for piece in done.pieces) if done.changed else (),
        summary=done.summary,
        pins=done.plan.pins,
        policy=done.plan.policy,
        tokens_before=done.before,
        tokens_after=done.after,
        cost=done.cost,
        trigger=done.plan.reason,
        by=done.by,
        invalid="" if done.changed else f"{done.reason}: {done.detail}",
    )


def _item(piece: compose.Piece, view: SessionView) -> Item:
    if isinstance(piece, compose.Inserted):
        return Inserted(piece.raw, tuple(view.ids[index] for index in piece.covers))
    was = view.items[piece.index]
    return Kept(was.id) if piece.raw in ("", was.raw) else Edited(was.id, piece.raw)


def _past(record: Record) -> Past:
    failed = record.fate in _VAIN
    at = record.started_at if record.ended_at is None else record.ended_at
    result = record.compacted
    if result is None:
        return Past(0, 0, failed, at=at)
    return Past(
        before=result.tokens_before,
        after=result.tokens_before if failed else result.tokens_after,
        failed=failed,
        inflated=failed and record.reason.startswith(Failure.INFLATED),
        weak=failed and record.reason.startswith(TOO_LITTLE),
        reason=_REASONS.get(result.trigger, Reason.TOKENS),
        at=at,
    )
