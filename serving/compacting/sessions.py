"""The sessions of a service: their logs, and the one compaction that each may have under way.

What touches a log blocks, and is called from threads. A second request to compact a session waits for the
first; if it asks for the same it gets the same answer, so that a summary is paid for once.
"""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from elision.compaction.compact.types import CompactedHistory
from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import Problem, validate
from elision.compaction.errors import StoreUnavailable
from elision.compaction.formats.read import read
from elision.compaction.sessions.bodies import joined, split
from elision.compaction.sessions.cache_marks import within_marks
from elision.compaction.sessions.compacting import LIMIT_SECONDS
from elision.compaction.sessions.errors import BadEvent, DoubledId, StaleLog, UnknownSession
from elision.compaction.sessions.log import EventLogs, SessionInfo
from elision.compaction.sessions.resent import resent
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Appended, Configured, Entry, Event, RolledBack, Undone
from elision.compaction.sessions.view import SessionView, view_of
from elision.compaction.store import NoStore
from elision.serving.compacting.jobs import Job, job_of
from elision.serving.compacting.session_jobs import TRIES, SessionOutcome, SessionWork, played_session
from elision.serving.compacting.session_schemas import AppendEvents, CompactSession, Fork, RollBack, Undo
from elision.serving.compacting.session_tokens import SessionTokens
from elision.serving.errors import FieldError, InvalidFields, NotReady, SessionsNotKept
from elision.serving.stores import open_logs

if TYPE_CHECKING:
    from elision.serving.service import Service

_HELD = 100_000  # sessions
_RACES = 5  # how often a history that was sent whole is looked at anew because others wrote meanwhile


@dataclass(frozen=True)
class Seen:
    """A session, to be answered for.

    Attributes:
        session: Its name.
        view: What an agent reads of it.
        tokens: Of system and messages.
        appended: Ids of messages that were just appended.
    """

    session: str
    view: SessionView
    tokens: int
    appended: tuple[str, ...] = ()

    @cached_property
    def body(self) -> str:
        """The view as a request."""
        return within_marks(self.view.body(), self.view.format)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What a provider would refuse of it; reads all of it."""
        return tuple(validate(read(self.body, self.view.format)))


@dataclass(frozen=True, slots=True)
class _Running:
    """A compaction under way, and what was asked for."""

    asked: CompactSession
    task: "asyncio.Task[SessionOutcome]"


class Sessions:
    """The sessions of a service."""

    def __init__(
        self,
        service: "Service",
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._service, self._clock, self._new_id = service, clock, new_id
        self._logs = open_logs(service.settings)
        self._tokens = SessionTokens(service.settings.encoding)
        self._running: dict[tuple[str, str], _Running] = {}
        self._held: dict[tuple[str, str], float] = {}  # when their originals were last kept for longer

    @property
    def logs(self) -> EventLogs:
        """Where they are.

        Raises:
            SessionsNotKept: If nothing is to be kept.
        """
        if self._logs is None:
            raise SessionsNotKept("this service keeps nothing, so it has no sessions: ELISION_STORE is none")
        return self._logs

    def append(self, tenant: str, session: str, asked: AppendEvents, member: str, raw: str) -> Seen:
        """Append to a session, and begin it if there is none.

        Args:
            member: ``body`` or ``messages``.
            raw: That member as it is spelled.

        Raises:
            HistoryDiffers: If a body goes on from no state of the session.
            BadEvent, DoubledId, StaleLog: As the log does.
            UnknownFormat, BadConversation: If it is no history.
        """
        for race in range(1, _RACES + 1):
            timeline = self.logs.played(tenant, session)
            events = self._events(timeline, asked, member, raw)
            expected = asked.expected_seq
            if expected is None and member == "body":
                expected = timeline.seq
            try:
                looks = not events and asked.expected_seq is None
                written = () if looks else self.logs.append(tenant, session, events, expected)
            except (DoubledId, StaleLog):
                if race == _RACES or member == "messages" or asked.expected_seq is not None:
                    raise
                continue
            new = [entry.id for event in written if isinstance(event, Appended) for entry in event.messages]
            return replace(self.seen(tenant, session), appended=tuple(new))
        raise AssertionError("unreachable")

    def seen(self, tenant: str, session: str) -> Seen:
        """A session as it stands.

        Raises:
            UnknownSession: If there is none of this name.
        """
        found = view_of(played_session(self.logs, tenant, session))
        self._hold(tenant, session)
        return Seen(session, found, self._tokens.of(found))

    def roll_back(self, tenant: str, session: str, asked: RollBack) -> Seen:
        """Make the view what it was; raises as the log does, and if there is no such session."""
        played_session(self.logs, tenant, session)
        self.logs.append(tenant, session, [RolledBack(asked.to, at=self._clock())], asked.expected_seq)
        return self.seen(tenant, session)

    def undo(self, tenant: str, session: str, asked: Undo) -> Seen:
        """Take a compaction back; raises as the log does, and if there is none."""
        found = view_of(played_session(self.logs, tenant, session))
        if asked.compaction is None and not found.compactions:
            raise BadEvent("no compaction is in effect")
        id = found.compactions[-1].id if asked.compaction is None else asked.compaction
        # The last one was the last at that point.
        known = found.seq if asked.compaction is None else None
        expected = known if asked.expected_seq is None else asked.expected_seq
        self.logs.append(tenant, session, [Undone(id, at=self._clock())], expected)
        return self.seen(tenant, session)

    def fork(self, tenant: str, session: str, asked: Fork) -> Seen:
        """Begin another session with the beginning of one; it outlives that one, originals included.

        Raises:
            UnknownSession, SessionExists, BadEvent: As the log does.
        """
        self.logs.fork(tenant, session, asked.session, self._clock(), asked.seq)
        self._service.stores.share(tenant, session, asked.session)
        self._hold(tenant, asked.session, anew=True)
        return self.seen(tenant, asked.session)

    def events(self, tenant: str, session: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a session after this one; raises if there is no such session."""
        played_session(self.logs, tenant, session)
        return self.logs.read(tenant, session, after)

    def listed(self, tenant: str) -> tuple[SessionInfo, ...]:
        """All sessions of a tenant."""
        return self.logs.sessions(tenant)

    def delete(self, tenant: str, session: str) -> int:
        """Delete a session; says how many originals that no other session uses went with it.

        Raises:
            UnknownSession: If there is none of this name.
        """
        deleted = self.logs.delete(session, tenant=tenant)
        originals = self._service.stores.delete(session, tenant=tenant)
        if not deleted:
            raise UnknownSession(f"no session {session!r}")
        return originals

    async def compact(self, tenant: str, session: str, asked: CompactSession) -> SessionOutcome:
        """Compact a session, after the compaction that is under way; one that was asked for the same serves both.

        Raises as `SessionWork.run` does.
        """
        key = (tenant, session)
        while (running := self._running.get(key)) is not None:
            task = running.task
            await asyncio.wait([task])
            if running.asked == asked and not task.cancelled() and task.exception() is None:
                return replace(task.result(), joined=True)
        task = asyncio.ensure_future(self._compact(tenant, session, asked))
        self._running[key] = _Running(asked, task)
        task.add_done_callback(lambda _: self._running.pop(key, None))
        # Who hangs up must not take the others' answer away.
        return await asyncio.shield(task)

    async def replay(self, tenant: str, session: str, asked: CompactSession) -> tuple[Job, CompactedHistory]:
        """What a policy would have made of the messages as they came; nothing of it is kept."""
        came = await asyncio.to_thread(self._as_it_came, tenant, session)
        compactions = self._service.compactions
        means = replace(await compactions.means(asked.model or came.model, tenant, session), store=NoStore())
        job = await asyncio.to_thread(job_of, came, asked, means)
        return job, await compactions.run(job)

    def close(self) -> None:
        """Let go of the logs; afterwards nothing may be called."""
        if self._logs is not None:
            self._logs.close()

    async def _compact(self, tenant: str, session: str, asked: CompactSession) -> SessionOutcome:
        compactions = self._service.compactions
        model = asked.model or await asyncio.to_thread(self._model, tenant, session)
        work = SessionWork(
            logs=self.logs,
            tenant=tenant,
            session=session,
            asked=asked,
            means=await compactions.means(model, tenant, session, self._service.settings.session_ttl_seconds),
            timed=compactions.timed,
            new_id=self._new_id,
            limit_seconds=max(LIMIT_SECONDS, 2 * self._service.settings.summary_seconds),
        )
        async with self._in_use(tenant, session):
            try:
                return await compactions.threaded(work.run, TRIES)
            except NotReady:
                if await asyncio.to_thread(work.abandon):
                    raise
                raise NotReady("the compaction took too long, and ended just now: look at the view") from None

    @asynccontextmanager
    async def _in_use(self, tenant: str, session: str) -> AsyncIterator[None]:
        """Let a session not expire while it is worked on."""

        async def read() -> None:
            while True:
                await asyncio.sleep(min(60.0, self._service.settings.session_ttl_seconds / 10))
                with suppress(StoreUnavailable):
                    await asyncio.to_thread(self.logs.read, tenant, session)

        task = asyncio.ensure_future(read())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.to_thread(self._hold, tenant, session, anew=True)

    def _hold(self, tenant: str, session: str, anew: bool = False) -> None:
        """Keep the originals of a session for as long as it lives; not at every look at it."""
        settings, now = self._service.settings, self._clock()
        if anew or now - self._held.get((tenant, session), 0.0) >= min(60.0, settings.store_ttl_seconds / 10):
            if len(self._held) >= _HELD:
                self._held.clear()
            self._held[tenant, session] = now
            # What was asked for is here; that a time cannot be written must not hide it.
            with suppress(StoreUnavailable):
                self._service.stores.hold(tenant, session, settings.session_ttl_seconds)

    def _model(self, tenant: str, session: str) -> str:
        """The model that a session's requests name; empty if they name none."""
        configured = played_session(self.logs, tenant, session).state.configured
        return read(configured.head, configured.format).model if configured else ""

    def _as_it_came(self, tenant: str, session: str) -> Conversation:
        """The whole history before any compaction."""
        state = played_session(self.logs, tenant, session).state
        raw = joined(state.configured, [entry.raw for entry in state.appended()])
        return read(raw, state.configured.format if state.configured else None)

    def _events(self, timeline: Timeline, asked: AppendEvents, member: str, raw: str) -> list[Event]:
        """What has to be written for a session to have what was sent."""
        format = Format(asked.format) if asked.format else timeline.format
        if member == "messages" and not raw.startswith("["):
            raise InvalidFields([FieldError("#/messages", "must be an array")])
        if member == "body" and asked.ids is not None:
            raise InvalidFields([FieldError("#/ids", "are of messages, not of a body")])
        if member == "body":
            found = resent(timeline, raw, format)
            configured, messages, new = found.configured, found.messages, found.new
        else:
            configured, sent = split(raw, format)
            new = _as_they_are(timeline, sent) if asked.ids is None else _with_ids(sent, asked.ids)
            messages = len(sent)
        now = self._clock()
        events: list[Event] = []
        if _is_other(timeline.state.configured, configured, messages):
            events.append(replace(configured, at=now))
        if new:
            events.append(Appended(new, at=now))
        return events


def _as_they_are(timeline: Timeline, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries, those without their id whose wire gave it to another one already."""
    used = set[str]()
    kept: list[Entry] = []
    for entry in entries:
        kept.append(replace(entry, id="") if entry.id in used or timeline.digests(entry.id) else entry)
        used.add(entry.id)
    return tuple(kept)


def _with_ids(entries: tuple[Entry, ...], ids: list[str]) -> tuple[Entry, ...]:
    if len(ids) != len(entries):
        raise InvalidFields([FieldError("#/ids", f"{len(ids)} ids for {len(entries)} messages")])
    return tuple(replace(entry, id=id) for entry, id in zip(entries, ids, strict=True))


def _is_other(now: Configured | None, sent: Configured, messages: int) -> bool:
    """Whether the request around the messages is another than before; a bare list says nothing of it."""
    if now is None:
        return True
    if sent.head == "[]":
        return False
    # How the list is spelled cannot be told from one message.
    return (sent.format, sent.head) != (now.format, now.head) or (now.glue != sent.glue and messages > 1)
