"""The logs of sessions in a SQLite database: in a file that processes share, or in memory.

A log is a row of figures and a row for each event, whose body is packed JSON. Whether messages may be
appended is told from the figures and an index of ids. All other events are rare, and for them the log is
played: the rules stand in one place, `Timeline`. Every append is one transaction under the lock of
writing. What was read lately is kept decoded.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from elision.compaction.errors import StoreUnavailable
from elision.compaction.sessions.admission import admitted, digest, expected, inspect, reckoned
from elision.compaction.sessions.errors import BadEvent, SessionExists, UnknownSession
from elision.compaction.sessions.log import EventLogs, SessionInfo
from elision.compaction.sessions.spelling import KINDS, from_json, kind_of, to_json
from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Appended, Compacted, Configured, Event, Forked
from elision.compaction.store import handle_of
from elision.serving.stores.codec import pack_text, unpack_text
from elision.serving.stores.database import Database
from elision.serving.stores.recent import ReadLog, RecentLogs

__all__ = ["EventLogs", "MemoryLogs", "SqliteLogs"]

_FIND = "SELECT id, created_at, seq, position FROM logs WHERE tenant = ? AND session = ?"
_BEGIN = """
INSERT INTO logs (tenant, session, name, seq, position, bytes, created_at, used_at)
VALUES (?, ?, ?, 0, 0, 0, ?, ?)
"""
_PUT = "INSERT INTO events (log, seq, kind, body) VALUES (?, ?, ?, ?)"
_KNOW = "INSERT OR IGNORE INTO known (log, id, digest) VALUES (?, ?, ?)"
_FIGURES = "UPDATE logs SET seq = ?, position = ?, bytes = bytes + ? WHERE id = ?"
_EVENTS = "SELECT body FROM events WHERE log = ? AND seq > ? AND seq <= ? ORDER BY seq"
_DELETE = """
DELETE FROM logs
WHERE (:tenant IS NULL OR tenant = :tenant) AND (:session IS NULL OR session = :session)
AND (:before IS NULL OR used_at <= :before)
"""
_HELD = "SELECT coalesce(sum(bytes), 0) FROM logs"
_OLDEST = "DELETE FROM logs WHERE id = (SELECT id FROM logs WHERE id <> ? ORDER BY used_at, id LIMIT 1)"
_LARGE = (Appended, Compacted, Configured)  # others take nearly nothing, and undo or end what took more
_LAST = 2**62


@dataclass(slots=True)
class _Log:
    """A log in the transaction that writes to it."""

    connection: sqlite3.Connection
    id: int
    began: float
    seq: int
    position: int
    written: list[Event] = field(default_factory=list)  # in this transaction

    def digests(self, id: str) -> Collection[str]:
        asked = "SELECT digest FROM known WHERE log = ? AND id = ?"
        return {found for (found,) in self.connection.execute(asked, (self.id, handle_of(id)))}

    def kinds_since(self, seq: int) -> set[type[Event]]:
        asked = "SELECT DISTINCT kind FROM events WHERE log = ? AND seq > ?"
        return {KINDS[kind] for (kind,) in self.connection.execute(asked, (self.id, seq))}

    def know(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.connection.executemany(_KNOW, [(self.id, handle_of(id), found) for id, found in pairs])

    def put(self, events: Sequence[Event], position: int) -> None:
        bodies = [pack_text(json.dumps(to_json(event), ensure_ascii=False)) for event in events]
        rows = [(self.id, one.seq, kind_of(one), body) for one, body in zip(events, bodies, strict=True)]
        self.connection.executemany(_PUT, rows)
        self.written += events
        self.seq, self.position = self.seq + len(events), position
        self.connection.execute(_FIGURES, (self.seq, position, sum(map(len, bodies)), self.id))


class SqliteLogs:
    """`EventLogs` in a file, which may be that of the stores; of no path, in memory.

    Args:
        path: The file.
        ttl_seconds: A session that nobody used for so long is gone.
        now: Seconds since 1970.
        max_bytes: What all logs may take, compressed; None for any number. Above it those in memory that
            were unused for longest go, and a file takes no more messages.

    Raises:
        StoreUnavailable: If there is no such folder, or the file is not a store of this version.
    """

    def __init__(
        self,
        path: Path | None,
        ttl_seconds: float,
        now: Callable[[], float] = time.time,
        max_bytes: int | None = None,
    ) -> None:
        self._database, self._ttl, self._now = Database(path, durable=True), ttl_seconds, now
        self._evicts, self._max_bytes = path is None, max_bytes
        self._recent = RecentLogs()  # under the lock of the database

    def append(
        self, tenant: str, session: str, events: Sequence[Event], expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        for event in events:
            inspect(event)
        with self._database.writing() as connection:
            self._expire(connection)
            log = self._log(connection, tenant, session) or self._begin(connection, tenant, session)
            reckoned(expected_seq, log.seq)
            since = set() if expected_seq is None else log.kinds_since(expected_seq)
            written: list[Event] = []
            for event in events:
                expected(event, since)
                new = self._appended(log, event) if isinstance(event, Appended) else self._played(log, event)
                written += [] if new is None else [new]
            connection.execute("UPDATE logs SET used_at = ? WHERE id = ?", (self._now(), log.id))
            if not log.seq:
                connection.execute("DELETE FROM logs WHERE id = ?", (log.id,))
            self._bound(log)
        return tuple(written)

    def read(self, tenant: str, session: str, after: int = 0) -> tuple[Event, ...]:
        found = self._read(tenant, session)
        return found.events[after:] if found else ()

    def played(self, tenant: str, session: str) -> Timeline:
        found = self._read(tenant, session)
        if found is None:
            return Timeline()
        self._keep(found := found.played())
        assert found.timeline is not None
        return found.timeline

    def fork(
        self, tenant: str, parent: str, child: str, at: float, seq: int | None = None
    ) -> tuple[Event, ...]:
        with self._database.writing() as connection:
            self._expire(connection)
            source = self._log(connection, tenant, parent)
            if source is None:
                raise UnknownSession(f"no session {parent!r}")
            if self._log(connection, tenant, child):
                raise SessionExists(f"session {child!r} is there already")
            last = source.seq if seq is None else seq
            if not 0 < last <= source.seq:
                raise BadEvent(f"session {parent!r} has no event {last}, its last is {source.seq}")
            copied = self._caught_up(source).events[:last]
            timeline = Timeline(copied)
            forked = timeline.admit(Forked(parent, last, at=at))
            assert forked is not None
            log = self._begin(connection, tenant, child)
            log.put([*copied, forked], timeline.position)
            log.know(timeline.known())
            self._bound(log)
        return (*copied, forked)

    def sessions(self, tenant: str) -> tuple[SessionInfo, ...]:
        asked = """
            SELECT name, seq, position, bytes, created_at, used_at FROM logs
            WHERE tenant = ? AND used_at > ? ORDER BY used_at DESC, id DESC
        """
        with self._database.reading() as connection:
            rows = connection.execute(asked, (handle_of(tenant), self._now() - self._ttl)).fetchall()
        return tuple(SessionInfo(bytes(name).decode("utf-8", "surrogatepass"), *rest) for name, *rest in rows)

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        asked = {
            "tenant": None if tenant is None else handle_of(tenant),
            "session": None if session is None else handle_of(session),
            "before": None if older_than_seconds is None else self._now() - older_than_seconds,
        }
        with self._database.writing() as connection:
            deleted = connection.execute(_DELETE, asked).rowcount
            self._recent.clear()
        self._database.shrink_log()
        return deleted

    def ready(self) -> None:
        with self._database.writing():
            pass

    def close(self) -> None:
        self._database.close()

    def _log(self, connection: sqlite3.Connection, tenant: str, session: str) -> _Log | None:
        row = connection.execute(_FIND, (handle_of(tenant), handle_of(session))).fetchone()
        return _Log(connection, *row) if row else None

    def _begin(self, connection: sqlite3.Connection, tenant: str, session: str) -> _Log:
        name, now = session.encode("utf-8", "surrogatepass"), self._now()
        row = (handle_of(tenant), handle_of(session), name, now, now)
        id = connection.execute(_BEGIN, row).lastrowid
        assert id is not None
        return _Log(connection, id, now, 0, 0)

    def _read(self, tenant: str, session: str) -> ReadLog | None:
        asked = "SELECT id, created_at, used_at FROM logs WHERE tenant = ? AND session = ? AND used_at > ?"
        key = (handle_of(tenant), handle_of(session), self._now() - self._ttl)
        with self._database.reading() as connection:
            row = connection.execute(asked, key).fetchone()
            if row is None:
                return None
            known = self._recent.get(row[0], row[1])
            bodies = _bodies(connection, row[0], len(known.events), _LAST)
        if bodies:
            with self._database.named():
                known = _then(known, bodies)
            self._keep(known)
        if self._now() - row[2] >= min(60.0, self._ttl / 10):
            # What was asked for is here; that its time cannot be written must not hide it.
            with suppress(StoreUnavailable), self._database.writing() as connection:
                connection.execute("UPDATE logs SET used_at = ? WHERE id = ?", (self._now(), row[0]))
        return known

    def _keep(self, read: ReadLog) -> None:
        with self._database.reading():
            self._recent.put(read)

    def _caught_up(self, log: _Log) -> ReadLog:
        """A log as it was before the transaction."""
        known = self._recent.get(log.id, log.began)
        before = log.seq - len(log.written)
        known = _then(known, _bodies(log.connection, log.id, len(known.events), before)).played()
        self._recent.put(known)
        return known

    def _appended(self, log: _Log, event: Appended) -> Event | None:
        new = admitted(event.messages, log.digests, log.position)
        if not new:
            return None
        event = replace(event, messages=new, seq=log.seq + 1)
        log.put([event], log.position + len(new))
        log.know((entry.id, digest(entry.raw)) for entry in new)
        return event

    def _played(self, log: _Log, event: Event) -> Event | None:
        before = self._caught_up(log).timeline
        assert before is not None
        timeline = before.copy()
        for past in log.written:
            timeline.add(past)
        state = timeline.state
        new = timeline.admit(event)
        if new is None:
            return None
        log.put([new], timeline.position)
        if timeline.state is not state:  # ids may be other ones now
            log.connection.execute("DELETE FROM known WHERE log = ?", (log.id,))
            log.know(timeline.known())
        return new

    def _expire(self, connection: sqlite3.Connection) -> None:
        if connection.execute("DELETE FROM logs WHERE used_at <= ?", (self._now() - self._ttl,)).rowcount:
            self._recent.clear()

    def _bound(self, log: _Log) -> None:
        """Keep to the limit: in memory the sessions unused for longest go, a file takes no more.

        Raises:
            StoreUnavailable: If the log alone, or a file, would be over it.
        """
        if self._max_bytes is None or not any(isinstance(event, _LARGE) for event in log.written):
            return
        while (held := log.connection.execute(_HELD).fetchone()[0]) > self._max_bytes:
            if not (self._evicts and log.connection.execute(_OLDEST, (log.id,)).rowcount):
                raise StoreUnavailable(
                    f"sessions would take {held} bytes, the limit is {self._max_bytes}: delete some"
                )
            self._recent.clear()


class MemoryLogs(SqliteLogs):
    """The same in memory: it ends with the process."""

    def __init__(
        self, ttl_seconds: float, now: Callable[[], float] = time.time, max_bytes: int | None = None
    ) -> None:
        super().__init__(None, ttl_seconds, now, max_bytes)


def _bodies(connection: sqlite3.Connection, log: int, after: int, last: int) -> list[bytes]:
    return [body for (body,) in connection.execute(_EVENTS, (log, after, last))]


def _then(known: ReadLog, bodies: Iterable[bytes]) -> ReadLog:
    texts = [unpack_text(body) for body in bodies]
    return known.then([_unpacked(text) for text in texts], sum(map(len, texts)))


def _unpacked(text: str) -> Event:
    try:
        return from_json(json.loads(text))
    except (ValueError, BadEvent) as error:
        raise StoreUnavailable(f"a stored event is damaged: {error}") from None
