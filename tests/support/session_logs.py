"""Logs of sessions for tests: a small real `EventLogs`, and a life of a session at random.

The life is a state machine of hypothesis. It knows what every view was, and so what it must be again.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from elision.compaction.conversation import Format
from elision.compaction.errors import StoreUnavailable
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.sessions.admission import expected, reckoned
from elision.compaction.sessions.errors import (
    BadEvent,
    CompactionRunning,
    DoubledId,
    SessionExists,
    StaleLog,
    UnknownSession,
)
from elision.compaction.sessions.log import EventLogs, SessionInfo
from elision.compaction.sessions.spelling import from_json, to_json
from elision.compaction.sessions.timeline import Timeline
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
    Item,
    Kept,
    RolledBack,
    Undone,
)
from elision.compaction.sessions.view import SessionView, behind, originals, view

HEAD = Configured(Format.OPENAI_CHAT, '{"model": "m", "messages": [], "temperature": 1e0}')
RAWS = [
    '{"role":"user","content":"fix it"}',
    '{ "role": "assistant", "content": "naïve 🚀\\ud83d" }',
    '{"content": "\\u00e9", "role": "user", "n": 1.0}',
    '{"role": "user", "content": "修好它"}',
]
_ERRORS = (BadEvent, StaleLog, CompactionRunning)


class PlainLogs:
    """`EventLogs` in a dict, for one thread; can be told to be unavailable.

    Attributes:
        broken: Number of appends that still work, None for all.
    """

    def __init__(self) -> None:
        self.logs: dict[tuple[str, str], list[Event]] = {}
        self.broken: int | None = None

    def append(
        self, tenant: str, session: str, events: Sequence[Event], expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        if self.broken is not None:
            if self.broken == 0:
                raise StoreUnavailable("broken")
            self.broken -= 1
        log = self.logs.get((tenant, session), [])
        timeline = Timeline(log)
        reckoned(expected_seq, len(log))
        since = set() if expected_seq is None else {type(event) for event in log[expected_seq:]}
        new = []
        for event in events:
            expected(event, since)
            new.append(timeline.admit(event))
        written = tuple(event for event in new if event is not None)
        if written:
            self.logs[tenant, session] = [*log, *written]
        return written

    def read(self, tenant: str, session: str, after: int = 0) -> tuple[Event, ...]:
        return tuple(self.logs.get((tenant, session), [])[after:])

    def played(self, tenant: str, session: str) -> Timeline:
        return Timeline(self.read(tenant, session))

    def fork(
        self, tenant: str, parent: str, child: str, at: float, seq: int | None = None
    ) -> tuple[Event, ...]:
        if (tenant, parent) not in self.logs:
            raise UnknownSession(parent)
        if (tenant, child) in self.logs:
            raise SessionExists(child)
        source = self.logs[tenant, parent]
        last = len(source) if seq is None else seq
        if not 0 < last <= len(source):
            raise BadEvent(str(seq))
        forked = Timeline(source[:last]).admit(Forked(parent, last, at=at))
        assert forked
        self.logs[tenant, child] = [*source[:last], forked]
        return tuple(self.logs[tenant, child])

    def sessions(self, tenant: str) -> tuple[SessionInfo, ...]:
        raise NotImplementedError

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        raise NotImplementedError

    def ready(self) -> None:
        return None

    def close(self) -> None:
        return None


def appended(*texts: str) -> Appended:
    """Messages of the user, without ids."""
    return Appended(tuple(Entry("", f'{{"role": "user", "content": "{text}"}}') for text in texts))


def texts(seen: SessionView) -> list[str]:
    """What the messages of a view say, as far as they were written by `appended` or `said`."""
    return [raw.split('"content": "')[-1].removesuffix('"}') for raw in seen.messages]


def said(text: str, *covers: str) -> Inserted:
    """A summary."""
    return Inserted(f'{{"role": "user", "content": "{text}"}}', covers)


class SessionLife(RuleBasedStateMachine):
    """Everything that can happen to a session, in any order.

    Attributes:
        views: The view after each event, from that of no event on.
    """

    def __init__(self) -> None:
        super().__init__()
        self.logs: EventLogs = self.open()
        self.session = "s0"
        self.events: list[Event] = []
        self.views = [view([])]
        self.ids = count()
        self.clock = 0.0

    def open(self) -> EventLogs:
        return PlainLogs()

    def write(self, event: Event, **how: Any) -> bool:
        """Whether it was written; one that may not be raises and changes nothing."""
        self.clock += 1
        try:
            written = self.logs.append("t", self.session, [event], **how)
        except _ERRORS:
            assert list(self.logs.read("t", self.session)) == self.events
            return False
        self.events += written
        self.views += [view(self.events)] * len(written)
        return bool(written)

    @property
    def now(self) -> SessionView:
        return self.views[-1]

    @rule(raws=st.lists(st.sampled_from(RAWS), min_size=1, max_size=3), named=st.booleans())
    def append(self, raws: list[str], named: bool) -> None:
        before = self.now
        entries = tuple(Entry(f"u{next(self.ids)}" if named else "", raw) for raw in raws)

        assert self.write(Appended(entries))
        assert self.now.items[: len(before.items)] == before.items
        assert self.now.messages[len(before.items) :] == tuple(raws)

    @precondition(lambda self: bool(self.now.items))
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        known = data.draw(st.sampled_from(originals(self.events) + self._shown()))

        assert not self.write(Appended((known,)))
        try:
            self.logs.append("t", self.session, [Appended((Entry(known.id, '{"other": 1}'),))])
        except DoubledId as error:
            assert error.id == known.id
        else:
            raise AssertionError("a doubled id was taken")

    @rule(model=st.sampled_from(["a", "b"]))
    def configure(self, model: str) -> None:
        head = f'{{"model": "{model}", "messages": []}}'

        assert self.write(Configured(Format.OPENAI_CHAT, head))
        assert self.now.items == self.views[-2].items and self.now.configured

    @rule(limit=st.sampled_from([0.0, 0.0, 1e9]), back=st.integers(0, 2))
    def start(self, limit: float, back: int) -> None:
        base = max(0, len(self.events) - back)
        if self.write(CompactionStarted(f"c{next(self.ids)}", base, limit, at=self.clock)):
            assert self.now == self.views[-2]

    @precondition(lambda self: bool(self.running()))
    @rule(data=st.data(), invalid=st.sampled_from(["", "", "", "larger"]))
    def compact(self, data: st.DataObject, invalid: str) -> None:
        started = data.draw(st.sampled_from(self.running()))
        base, before = self.views[started.base], self.now
        items = self._rewritten(base, data)
        pins = (HistoryPin(PinKind.GOAL, "fix it", "m0", 0),)
        event = Compacted(
            started.id, started.base, items, "short", pins, "p@1", 9, 3, 0.1, "ratio", "x", invalid
        )
        follows = before.items[: len(base.items)] == base.items
        if self.write(event):
            later = before.items[len(base.items) :]
            assert follows or invalid
            assert self.now.items[len(self.now.items) - len(later) :] == later
            assert self.now == before if invalid else len(self.now.items) == len(items) + len(later)

    @precondition(lambda self: bool(self.running()))
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        assert self.write(CompactionFailed(data.draw(st.sampled_from(self.running())).id, "timeout"))
        assert self.now == self.views[-2]

    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        seq = data.draw(st.integers(0, len(self.events)))

        assert self.write(RolledBack(seq))
        assert self.now == self.views[seq]

    @precondition(lambda self: bool(originals(self.events)))
    @rule(data=st.data())
    def roll_back_to_a_message(self, data: st.DataObject) -> None:
        there = originals(self.events)
        index = data.draw(st.integers(0, len(there) - 1))

        assert self.write(RolledBack(there[index].id))
        assert originals(self.events) == there[: index + 1]
        assert self.now.ids[-1] == there[index].id

    @precondition(lambda self: bool(self.now.compactions))
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        compactions, there = self.now.compactions, originals(self.events)
        index = data.draw(st.integers(0, len(compactions) - 1))

        assert self.write(Undone(compactions[index].id))
        assert self.now.compactions == compactions[:index]
        assert originals(self.events) == there
        known = {event.id: event for event in compactions}
        base = self.views[known[compactions[index].id].base]
        assert self.now.items[: len(base.items)] == base.items
        assert all(not shown.by for shown in self.now.items[len(base.items) :])

    @precondition(lambda self: bool(self.events))
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        seq = data.draw(st.integers(1, len(self.events)))
        child = f"fork{next(self.ids)}"
        self.events = list(self.logs.fork("t", self.session, child, self.clock, seq))
        self.session = child
        self.views = [*self.views[: seq + 1], view(self.events)]

        assert self.now == self.views[seq]

    @rule(seq=st.integers(0, 3), raw=st.sampled_from(RAWS))
    def append_after(self, seq: int, raw: str) -> None:
        """A writer is refused if what it answers was rolled back, or is not in this log."""
        rolled_back = any(isinstance(event, RolledBack) for event in self.events[seq:])
        refused = rolled_back or seq > len(self.events)

        assert self.write(Appended((Entry("", raw),)), expected_seq=seq) is not refused

    @invariant()
    def nothing_is_lost(self) -> None:
        assert behind(self.events, self.now.ids) == originals(self.events)

    def teardown(self) -> None:
        assert list(self.logs.read("t", self.session)) == self.events
        assert [event.seq for event in self.events] == list(range(1, len(self.events) + 1))
        assert [from_json(to_json(event)) for event in self.events] == self.events
        assert [view(self.events[:seq]) for seq in range(len(self.views))] == self.views
        self.logs.close()

    def running(self) -> list[CompactionStarted]:
        return list(Timeline(self.events).running.values())

    def _shown(self) -> tuple[Entry, ...]:
        return tuple(Entry(shown.id, shown.raw) for shown in self.now.items)

    def _rewritten(self, base: SessionView, data: st.DataObject) -> tuple[Item, ...]:
        """Some stay, some are edited, a run of the rest goes behind a summary; or nothing is there to be done."""
        ids = base.ids
        start = data.draw(st.integers(0, len(ids)))
        stop = data.draw(st.integers(start, len(ids)))
        items: list[Item] = [Kept(id) for id in ids[:start]]
        if start < stop:
            items.append(said("short", *ids[start:stop]))
        edit = data.draw(st.booleans())
        items += [
            Edited(id, '{"role": "tool", "content": "[…9 lines]"}') if edit else Kept(id) for id in ids[stop:]
        ]
        return tuple(items)
