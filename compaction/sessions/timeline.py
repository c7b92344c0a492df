"""The log of a session played: what every event does to the view, and whether it may follow.

A rollback moves to an earlier state, and undoing a compaction tells again, without it, what followed.
Playing a log takes time linear in its length.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from elision.compaction.conversation import Format
from elision.compaction.sessions.admission import admitted, digest, inspect, named_items
from elision.compaction.sessions.errors import BadEvent, CompactionRunning, StaleLog
from elision.compaction.sessions.states import State, applied, written
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Configured,
    Edited,
    Entry,
    Event,
    Forked,
    Inserted,
    RolledBack,
    Shown,
    Undone,
)


class Timeline:
    """A log while it is played; events are added one by one.

    Attributes:
        state: The session now.
        position: How many messages it ever had.
        format: The wire format, None before it is said.
        running: Compactions that were started and have not ended, by id.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.state = State()
        self.position = 0
        self.format: Format | None = None
        self.running: dict[str, CompactionStarted] = {}
        self._states = [self.state]  # after each event, by its number
        self._compactions: set[str] = set()  # ids that were used
        self._digests: dict[str, set[str]] | None = {}  # None until somebody asks again
        for event in events:
            self.add(event)

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return len(self._states) - 1

    def copy(self) -> "Timeline":
        """Another of the same events, to which others can be added."""
        made = Timeline()
        made.state, made.position, made.format = self.state, self.position, self.format
        made.running, made._states = dict(self.running), list(self._states)
        made._compactions = set(self._compactions)
        digests = self._digests
        made._digests = None if digests is None else {id: set(found) for id, found in digests.items()}
        return made

    def admit(self, event: Event) -> Event | None:
        """Add an event that is new, numbered, its messages and items with ids; None if it says nothing new.

        Raises:
            BadEvent, StaleLog, CompactionRunning: As `add` does, and if it makes no sense by itself.
        """
        inspect(event)
        if isinstance(event, Appended):
            event = replace(event, messages=admitted(event.messages, self.digests, self.position))
            if not event.messages:
                return None
        elif isinstance(event, Compacted):
            event = named_items(event)
        event = replace(event, seq=self.seq + 1)
        self.add(event)
        return event

    def add(self, event: Event) -> None:
        """Play the next event of a log; if it raises, nothing has changed.

        Raises:
            BadEvent: If it contradicts the log.
            StaleLog: If the view changed since the base of a compaction, other than by messages appended.
            CompactionRunning: If another compaction was under way when one was started.
        """
        if event.seq != self.seq + 1:
            raise BadEvent(f"event {event.seq} cannot follow event {self.seq}")
        self._states.append(self._after(event))
        self.state = self._states[-1]

    def digests(self, id: str) -> Collection[str]:
        """Digests of all that a message of the session stands for: as it came, as it was edited; none if free."""
        if self._digests is None:
            found: dict[str, set[str]] = {}
            for one in self._spellings():
                found.setdefault(one.id, set()).add(digest(one.raw))
            self._digests = found
        return self._digests.get(id, ())

    def known(self) -> Iterator[tuple[str, str]]:
        """All ids with their digests."""
        return ((id, found) for id in {one.id for one in self._spellings()} for found in self.digests(id))

    def at(self, seq: int) -> State:
        """The session after an event.

        Raises:
            BadEvent: If there is no such event.
        """
        if not 0 <= seq <= self.seq:
            raise BadEvent(f"the log has no event {seq}, its last is {self.seq}")
        return self._states[seq]

    def _after(self, event: Event) -> State:
        match event:
            case Configured():
                return self._configured(event)
            case Appended():
                return self._appended(event)
            case CompactionStarted():
                self._start(event)
            case Compacted():
                return self._compacted(event)
            case CompactionFailed():
                self._end(event.id)
            case RolledBack():
                return self._earlier(event.to)
            case Undone():
                return self._without(event.id)
            case Forked():
                self.running.clear()
        return self.state

    def _configured(self, event: Configured) -> State:
        if self.format not in (None, event.format) and self.position:
            raise BadEvent(f"the messages are {self.format}, they cannot become {event.format}")
        self.format = event.format
        return State(self.state, event, event)

    def _appended(self, event: Appended) -> State:
        state = self.state
        for entry in event.messages:
            if self.digests(entry.id):
                raise BadEvent(f"message {entry.id!r} is there already")
            state = state.then(entry)
        if len({entry.id for entry in event.messages}) < len(event.messages):
            raise BadEvent("two messages have one id")
        for entry in event.messages:
            self._know(entry.id, entry.raw)
        self.position += len(event.messages)
        return state

    def _start(self, event: CompactionStarted) -> None:
        if event.id in self._compactions:
            raise BadEvent(f"there was a compaction {event.id!r} before")
        self._since(event.base)
        for other in self.running.values():
            if other.at + other.limit_seconds > event.at:
                raise CompactionRunning(other.id, other.at + other.limit_seconds)
        self._compactions.add(event.id)
        self.running[event.id] = event

    def _end(self, id: str) -> None:
        if id not in self.running:
            raise BadEvent(f"compaction {id!r} is not under way")
        del self.running[id]

    def _compacted(self, event: Compacted) -> State:
        started = self.running.get(event.id)
        if started and started.base != event.base:
            raise BadEvent(f"compaction {event.id!r} was started on event {started.base}, not {event.base}")
        if event.invalid:
            self._end(event.id)
            return self.state
        since = self._since(event.base)
        view = applied(event, self.at(event.base).shown())
        taken = next(
            (item.id for item in written(event) if isinstance(item, Inserted) and self.digests(item.id)),
            None,
        )
        if taken is not None:
            raise BadEvent(f"the inserted id {taken!r} is taken")
        self._end(event.id)
        for item in written(event):
            self._know(item.id, item.raw)
        later = tuple(Shown(entry.id, entry.raw) for entry in since)
        return State(self.state, event, self.state.configured, view + later)

    def _since(self, base: int) -> list[Entry]:
        """The messages appended since an event.

        Raises:
            StaleLog: If the view changed otherwise.
        """
        until, found = self.at(base), []
        for state in self.state.back():
            if state is until or isinstance(state.did, Compacted):
                break
            if isinstance(state.did, Entry):
                found.append(state.did)
        else:
            state = self._states[0]
        if state is not until:
            raise StaleLog(f"the view of event {base} is not the beginning of today's any more")
        return found[::-1]

    def _earlier(self, to: str | int) -> State:
        target = self._target(to)
        if target.configured and target.configured.format is not self.format:
            raise BadEvent(f"at {to!r} the format was {target.configured.format}, now it is {self.format}")
        self._digests = None
        return target

    def _target(self, to: str | int) -> State:
        if isinstance(to, int):
            return self.at(to)
        for state in self.state.back():
            if isinstance(state.did, Entry) and state.did.id == to:
                return state
        raise BadEvent(f"the session has no message {to!r}")

    def _without(self, id: str) -> State:
        later: list[Entry | Configured] = []
        for state in self.state.back():
            if isinstance(state.did, Compacted) and state.did.id == id:
                break
            if isinstance(state.did, Entry | Configured):
                later.append(state.did)
        else:
            raise BadEvent(f"compaction {id!r} is not in effect")
        assert state.before is not None
        after = state.before
        for did in reversed(later):
            after = after.then(did) if isinstance(did, Entry) else State(after, did, did)
        self._digests = None
        return after

    def _know(self, id: str, raw: str) -> None:
        if self._digests is not None:
            self._digests.setdefault(id, set()).add(digest(raw))

    def _spellings(self) -> Iterator[Entry | Edited | Inserted]:
        """Every id with each text that it has or had on the way to here."""
        yield from self.state.appended()
        for compacted in self.state.compactions():
            yield from written(compacted)
