"""What must hold of an event by itself, and what becomes of messages that a log takes in.

A client that does not know whether its messages arrived sends them again. So a message is known by its
id, and one that is there with the same bytes is passed over.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import count

from elision.compaction.conversation import Format
from elision.compaction.errors import BadConversation, NotJson
from elision.compaction.raw_json import parse
from elision.compaction.sessions.bodies import list_span
from elision.compaction.sessions.errors import BadEvent, DoubledId, StaleLog
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    Configured,
    Entry,
    Event,
    Inserted,
    Kept,
    RolledBack,
    Undone,
)
from elision.compaction.store import handle_of

# By kind of event, which others may not have come since the point its writer knew.
_UNEXPECTED: dict[type[Event], tuple[type[Event], ...]] = {
    Appended: (RolledBack,),  # an answer to what was rolled back
    RolledBack: (Appended, Compacted, RolledBack, Undone),
    Undone: (Compacted, RolledBack, Undone),
}


def inspect(event: Event) -> None:
    """Return if the event makes sense by itself; linear in its size.

    Raises:
        BadEvent: If it does not: a message is no JSON object, a head has no list to fill.
    """
    match event:
        case Appended(messages=messages):
            for entry in messages:
                _must_be_object(entry.raw, f"message {entry.id!r}")
        case Compacted(items=items):
            for item in items:
                if not isinstance(item, Kept):
                    _must_be_object(item.raw, f"item {item.id!r} of compaction {event.id}")
        case Configured():
            _must_hold_list(event)


def admitted(
    entries: Iterable[Entry], digests: Callable[[str], Collection[str]], position: int
) -> tuple[Entry, ...]:
    """The messages that are new, each with an id.

    Args:
        digests: For an id, the digests of what it stands for now, see `digest`; none if it is free.
        position: How many messages the session ever had.

    Raises:
        DoubledId: If an id is taken by other bytes, here or in the session.
    """
    new: dict[str, Entry] = {}
    for entry in entries:
        if not entry.id:
            names = (f"m{n}" for n in count(position + len(new)))
            entry = replace(entry, id=next(name for name in names if name not in new and not digests(name)))
        elif known := {digest(new[entry.id].raw)} if entry.id in new else digests(entry.id):
            if digest(entry.raw) not in known:
                raise DoubledId(entry.id)
            continue
        new[entry.id] = entry
    return tuple(new.values())


def named_items(compacted: Compacted) -> Compacted:
    """The compaction with an id for every item."""
    items = [
        replace(item, id=f"{compacted.id}/{n}") if isinstance(item, Inserted) and not item.id else item
        for n, item in enumerate(compacted.items)
    ]
    return replace(compacted, items=tuple(items))


def digest(raw: str) -> str:
    """What tells whether two messages have the same bytes."""
    return handle_of(raw)


def reckoned(expected_seq: int | None, last: int) -> None:
    """Return if a log can have been seen by a writer that knew of event ``expected_seq``.

    Raises:
        StaleLog: If its last event is an earlier one: it is another log than the writer knew.
    """
    if expected_seq is not None and expected_seq > last:
        raise StaleLog(f"event {expected_seq} was expected, the log's last is {last}")


def expected(event: Event, since: Iterable[type[Event]]) -> None:
    """Return if the event may follow events that its writer did not know of.

    Compactions need none of this: they carry their base.

    Raises:
        StaleLog: If it may not.
    """
    unexpected = set(_UNEXPECTED.get(type(event), ())) & set(since)
    if unexpected:
        names = ", ".join(sorted(kind.__name__ for kind in unexpected))
        raise StaleLog(
            f"{type(event).__name__} was meant for an earlier state of the log; since then: {names}"
        )


def _must_be_object(raw: str, what: str) -> None:
    try:
        node = parse(raw)
    except NotJson as error:
        raise BadEvent(f"{what} is {error}") from None
    if not isinstance(node.value, dict):
        raise BadEvent(f"{what} is no JSON object")


def _must_hold_list(configured: Configured) -> None:
    if configured.format is Format.TEXT:
        raise BadEvent("a text has no messages")
    try:
        inside = list_span(configured.head, configured.format).of(configured.head)[1:-1]
    except (NotJson, BadConversation) as error:
        raise BadEvent(f"head: {error}") from None
    if inside.strip():
        raise BadEvent("head: its list of messages is not empty")
