"""What a session is at one point, and what a compaction makes of it.

The states of a session form a tree. Each knows the one before it and the one thing that was done there,
so an append costs nothing but itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from elision.compaction.sessions.errors import BadEvent
from elision.compaction.sessions.types import Compacted, Configured, Edited, Entry, Inserted, Shown


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a session is at one point.

    Attributes:
        before: The state before, None of the empty session.
        did: What was done there.
        configured: The head that holds.
        compacted: The view of a compaction, as it was when it was used; else empty.
    """

    before: "State | None" = field(default=None, repr=False)
    did: Entry | Configured | Compacted | None = None
    configured: Configured | None = None
    compacted: tuple[Shown, ...] = ()

    def back(self) -> "Iterator[State]":
        """This state and those before it, without that of the empty session."""
        state = self
        while state.before is not None:
            yield state
            state = state.before

    def appended(self) -> tuple[Entry, ...]:
        """All messages, as they came."""
        return tuple(reversed([state.did for state in self.back() if isinstance(state.did, Entry)]))

    def compactions(self) -> tuple[Compacted, ...]:
        """Those in effect, oldest first."""
        return tuple(reversed([state.did for state in self.back() if isinstance(state.did, Compacted)]))

    def shown(self) -> tuple[Shown, ...]:
        """The view."""
        since: list[Shown] = []
        view: tuple[Shown, ...] = ()
        for state in self.back():
            if isinstance(state.did, Compacted):
                view = state.compacted
                break
            if isinstance(state.did, Entry):
                since.append(Shown(state.did.id, state.did.raw))
        return (*view, *reversed(since))

    def then(self, entry: Entry) -> "State":
        return State(self, entry, self.configured)


def applied(compacted: Compacted, view: tuple[Shown, ...]) -> tuple[Shown, ...]:
    """What a compaction makes of the view of its base.

    Raises:
        BadEvent: If its items are not a rewriting of that view: unknown, doubled or out of order, or none.
    """
    places = {shown.id: place for place, shown in enumerate(view)}
    made: list[Shown] = []
    inserted: set[str] = set()
    last = -1
    for item in compacted.items:
        if isinstance(item, Inserted):
            unknown = next((id for id in item.covers if id not in places), None)
            if unknown is not None:
                raise BadEvent(f"the view has no message {unknown!r} to be covered")
            if item.id in places or item.id in inserted:
                raise BadEvent(f"the inserted id {item.id!r} is taken")
            inserted.add(item.id)
            made.append(Shown(item.id, item.raw, compacted.id, item.covers))
            continue
        place = places.get(item.id, -1)
        if place <= last:
            raise BadEvent(f"the view has no message {item.id!r}, or not in this place")
        last = place
        was = view[place]
        made.append(replace(was, raw=item.raw, by=compacted.id) if isinstance(item, Edited) else was)
    if view and not made:
        raise BadEvent("a compaction must leave something")
    return tuple(made)


def written(compacted: Compacted) -> list[Edited | Inserted]:
    """The items that a compaction wrote."""
    return [item for item in compacted.items if isinstance(item, Edited | Inserted)]
