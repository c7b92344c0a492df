"""Stores in a SQLite database: in a file that processes share, or in memory.

An entry is an original with all that was decided about it; it goes as a whole. It belongs to one
tenant, whose name is part of every question, and to the sessions that used it. Of a session that has a log
it counts as used for as long as the log lives: the time of its use lies ahead.
"""

import time
from collections.abc import Callable
from pathlib import Path

from elision.compaction.store import Store, handle_of
from elision.serving.stores.database import Database
from elision.serving.stores.scope import Scope
from elision.serving.stores.types import Limits, Stats

# Without a session all that the other conditions name, with one only what no other session used.
_DELETE = """
DELETE FROM originals
WHERE (:tenant IS NULL OR tenant = :tenant) AND (:before IS NULL OR used_at <= :before)
AND (:session IS NULL OR (
    id IN (SELECT original FROM uses WHERE session = :session)
    AND NOT EXISTS (SELECT 1 FROM uses WHERE original = id AND session <> :session)
))
"""
_LEAVE = """
DELETE FROM uses WHERE session = :session AND original IN (
    SELECT id FROM originals
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:before IS NULL OR used_at <= :before)
)
"""
_SHARE = """
INSERT OR IGNORE INTO uses
SELECT original, :other FROM uses JOIN originals ON id = original WHERE session = :session AND tenant = :tenant
"""
_HOLD = """
UPDATE originals SET used_at = max(used_at, :until)
WHERE tenant = :tenant AND id IN (SELECT original FROM uses WHERE session = :session)
"""
_STATS = """
SELECT count(*), (SELECT count(*) FROM decisions), (SELECT bytes FROM total), min(min(used_at), ?) FROM originals
"""


class SqliteStores:
    """A file that several processes may use at once; of no path, a database in memory.

    Raises:
        StoreUnavailable: If there is no such folder, or the file is not a store of this version.
    """

    def __init__(self, path: Path | None, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._database, self._limits, self._now = Database(path), limits, now

    def scope(self, tenant: str, session: str, lives: float = 0.0) -> Store:
        return Scope(self._database, self._limits, self._now, handle_of(tenant), handle_of(session), lives)

    def hold(self, tenant: str, session: str, lives: float) -> None:
        names = {"tenant": handle_of(tenant), "session": handle_of(session), "until": self._now() + lives}
        with self._database.writing() as connection:
            connection.execute(_HOLD, names)

    def delete(
        self, session: str | None = None, older_than_seconds: float | None = None, tenant: str | None = None
    ) -> int:
        before = None if older_than_seconds is None else self._now() - older_than_seconds
        asked = {"session": _hashed(session), "before": before, "tenant": _hashed(tenant)}
        with self._database.writing() as connection:
            deleted = connection.execute(_DELETE, asked).rowcount
            connection.execute(_LEAVE, asked)
        self._database.shrink_log()
        return deleted

    def share(self, tenant: str, session: str, other: str) -> None:
        names = {"tenant": handle_of(tenant), "session": handle_of(session), "other": handle_of(other)}
        with self._database.writing() as connection:
            connection.execute(_SHARE, names)

    def stats(self) -> Stats:
        with self._database.reading() as connection:
            return Stats(*connection.execute(_STATS, (self._now(),)).fetchone())

    def ready(self) -> None:
        with self._database.writing():
            pass

    def close(self) -> None:
        self._database.close()


class MemoryStores(SqliteStores):
    """The same in memory: it ends with the process, and a forked process begins with an empty one."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.time) -> None:
        super().__init__(None, limits, now)


def _hashed(name: str | None) -> str | None:
    return None if name is None else handle_of(name)
