"""One tenant's and session's view of the database: the `Store` that compaction is handed."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from elision.compaction.errors import StoreUnavailable
from elision.compaction.store import handle_of
from elision.compaction.types import Compressed
from elision.serving.stores.codec import pack, pack_text, unpack, unpack_text
from elision.serving.stores.database import Database
from elision.serving.stores.types import Limits

ROW_BYTES = 256  # what a row takes beside its body: names, hashes, indexes

# `body` is a decision's or an original's; `mine` says whether this session is among its users.
_ENTRY = """
SELECT {body} AS body, o.id, o.used_at, EXISTS (
    SELECT 1 FROM uses WHERE original = o.id AND session = :session
) AS mine
"""
_DECISION = (
    _ENTRY.format(body="d.body")
    + """
FROM decisions d JOIN originals o ON o.id = d.original
WHERE d.tenant = :tenant AND d.{column} = :value AND o.used_at > :expired LIMIT 1
"""
)
_BY_KEY, _BY_OUTPUT = _DECISION.format(column="key"), _DECISION.format(column="output")
_BY_HANDLE = (
    _ENTRY.format(body="o.body")
    + "FROM originals o WHERE o.tenant = :tenant AND o.handle = :value AND o.used_at > :expired"
)
_PUT_ORIGINAL = """
INSERT INTO originals (tenant, handle, body, bytes, used_at) VALUES (:tenant, :handle, :text, :text_bytes, :now)
ON CONFLICT DO UPDATE SET used_at = max(used_at, :now)
"""
_PUT_DECISION = """
INSERT OR IGNORE INTO decisions (tenant, key, original, output, body, bytes)
SELECT :tenant, :key, id, :output, :decision, :decision_bytes FROM originals WHERE tenant = :tenant AND handle = :handle
"""
_PUT_USE = """
INSERT OR IGNORE INTO uses SELECT id, :session FROM originals WHERE tenant = :tenant AND handle = :handle
"""
_OLDEST = "DELETE FROM originals WHERE id = (SELECT id FROM originals ORDER BY used_at, id LIMIT 1)"


@dataclass(frozen=True, slots=True)
class Scope:
    """A `Store`. Reading an entry keeps it: the time of its last use is written, but not at every read.

    Names may be any strings; what is kept of them is a hash. What is used counts as used for as long as the
    session lives.
    """

    database: Database
    limits: Limits
    now: Callable[[], float]
    tenant: str
    session: str
    lives: float = 0.0

    def decision(self, key: str) -> Compressed | None:
        entry = self._entry(_BY_KEY, handle_of(key))
        if entry is None:
            return None
        with self.database.named():
            return unpack(entry)

    def original(self, handle: str) -> str | None:
        if not handle.isascii():  # SQLite takes no lone surrogate
            return None
        entry = self._entry(_BY_HANDLE, handle, uses=False)  # who looks does not own
        if entry is None:
            return None
        with self.database.named():
            return unpack_text(entry)

    def wrote(self, text: str) -> bool:
        return self._entry(_BY_OUTPUT, handle_of(text)) is not None

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        text, decision = pack_text(original), pack(compressed)
        if len(text) + len(decision) + 2 * ROW_BYTES > self.limits.max_bytes:
            return compressed  # it would push all others out and itself as well
        row = {
            "tenant": self.tenant,
            "session": self.session,
            "key": handle_of(key),
            "handle": handle_of(original),
            "text": text,
            "text_bytes": len(text) + ROW_BYTES,
            "output": handle_of(compressed.text) if compressed.receipt.changed else None,
            "decision": decision,
            "decision_bytes": len(decision) + ROW_BYTES,
            "now": self.now() + self.lives,
        }
        with self.database.writing() as connection:
            connection.execute("DELETE FROM originals WHERE used_at <= ?", (self._expired(),))
            for statement in (_PUT_ORIGINAL, _PUT_DECISION, _PUT_USE):
                connection.execute(statement, row)
            first = "SELECT body FROM decisions WHERE tenant = :tenant AND key = :key"
            (standing,) = connection.execute(first, row).fetchone()
            self._evict(connection)
        with self.database.named():
            return compressed if standing == decision else unpack(standing)

    def _entry(self, question: str, value: str, uses: bool = True) -> bytes | None:
        asked = {
            "tenant": self.tenant,
            "session": self.session,
            "value": value,
            "expired": self._expired(),
        }
        with self.database.reading() as connection:
            row = connection.execute(question, asked).fetchone()
        if row is None:
            return None
        body, entry, used_at, mine = row
        stale = self.now() - used_at >= min(60.0, self.limits.ttl_seconds / 10)
        if stale or (uses and not mine):
            self._touch(entry, uses)
        return bytes(body)

    def _touch(self, entry: int, uses: bool) -> None:
        # What was asked for is here; that its time cannot be written, as on a full disk, must not hide it.
        with suppress(StoreUnavailable), self.database.writing() as connection:
            until = self.now() + (self.lives if uses else 0.0)
            connection.execute("UPDATE originals SET used_at = max(used_at, ?) WHERE id = ?", (until, entry))
            if uses:
                known = "INSERT OR IGNORE INTO uses SELECT id, ? FROM originals WHERE id = ?"
                connection.execute(known, (self.session, entry))

    def _evict(self, connection: sqlite3.Connection) -> None:
        while connection.execute("SELECT bytes FROM total").fetchone()[0] > self.limits.max_bytes:
            connection.execute(_OLDEST)

    def _expired(self) -> float:
        return self.now() - self.limits.ttl_seconds
