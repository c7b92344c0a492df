"""One SQLite database for all threads: its creation, its one connection, its errors.

It holds two kinds of thing: what can be had again, decisions and their originals, and what cannot, the
logs of sessions. Whoever keeps the latter asks for a durable connection.

A file is created whole under another name and then linked to its own, so that of two processes that
start together none sees it half made. All threads share a connection under a lock; what is done under
it takes microseconds. A forked process opens its own.
"""

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from elision.compaction.errors import StoreUnavailable

VERSION = 2
_APPLICATION = int.from_bytes(b"ELIS")  # marks the file as ours, see `file(1)`
BUSY_SECONDS = 5.0

# An original goes together with what was decided about it. `total` is kept by triggers: a sum over
# all rows at every write would cost more than the write.
_SCHEMA = f"""
CREATE TABLE originals (
    id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, handle TEXT NOT NULL,
    body BLOB NOT NULL, bytes INTEGER NOT NULL, used_at REAL NOT NULL,
    UNIQUE (tenant, handle)
);
CREATE INDEX by_use ON originals (used_at);
CREATE TABLE decisions (
    tenant TEXT NOT NULL, key TEXT NOT NULL,
    original INTEGER NOT NULL REFERENCES originals ON DELETE CASCADE,
    output TEXT, body BLOB NOT NULL, bytes INTEGER NOT NULL,
    UNIQUE (tenant, key)
);
CREATE INDEX by_original ON decisions (original);
CREATE INDEX by_output ON decisions (tenant, output) WHERE output IS NOT NULL;
CREATE TABLE uses (
    original INTEGER NOT NULL REFERENCES originals ON DELETE CASCADE, session TEXT NOT NULL,
    PRIMARY KEY (session, original)
) WITHOUT ROWID;
CREATE INDEX uses_by_original ON uses (original);
CREATE TABLE total (bytes INTEGER NOT NULL);
INSERT INTO total VALUES (0);
CREATE TRIGGER original_in AFTER INSERT ON originals BEGIN UPDATE total SET bytes = bytes + new.bytes; END;
CREATE TRIGGER original_out AFTER DELETE ON originals BEGIN UPDATE total SET bytes = bytes - old.bytes; END;
CREATE TRIGGER decision_in AFTER INSERT ON decisions BEGIN UPDATE total SET bytes = bytes + new.bytes; END;
CREATE TRIGGER decision_out AFTER DELETE ON decisions BEGIN UPDATE total SET bytes = bytes - old.bytes; END;
PRAGMA application_id = {_APPLICATION};
"""

# Since version 2. A session's name is there to be listed; it is found by its hash. `known` has each id of
# a session's present with the digests of what it reads or read, so that an append need not play the log.
_LOGS = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS logs (
    id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, session TEXT NOT NULL, name BLOB NOT NULL,
    seq INTEGER NOT NULL, position INTEGER NOT NULL, bytes INTEGER NOT NULL,
    created_at REAL NOT NULL, used_at REAL NOT NULL,
    UNIQUE (tenant, session)
);
CREATE INDEX IF NOT EXISTS logs_by_use ON logs (used_at);
CREATE TABLE IF NOT EXISTS events (
    log INTEGER NOT NULL REFERENCES logs ON DELETE CASCADE, seq INTEGER NOT NULL, kind TEXT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (log, seq)
);
CREATE TABLE IF NOT EXISTS known (
    log INTEGER NOT NULL REFERENCES logs ON DELETE CASCADE, id TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (log, id, digest)
) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
COMMIT;
"""


class Database:
    """A database in a file, or in memory if there is no path.

    Args:
        durable: Whether what was written must outlive the machine's power, not only the process.
    """

    def __init__(self, path: Path | None = None, durable: bool = False) -> None:
        self.name = str(path) if path else "in memory"
        self._path, self._durable = path, durable
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = os.getpid()
        self._inherited: list[sqlite3.Connection | None] = []
        with self.reading():  # now, while there is someone to read what is wrong
            pass

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone.

        Raises:
            StoreUnavailable: If the database cannot be opened, or whatever is done fails.
        """
        self._after_fork()
        with self._lock, self.named():
            if self._connection is None:
                self._connection = self._open()
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection in a transaction that alone may write; undone if anything is raised.

        Raises:
            StoreUnavailable: As for `reading`, and if another process writes for too long.
        """
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def shrink_log(self) -> None:
        """Write the log into the database and empty it, so that nothing deleted is left there either."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def named(self) -> Iterator[None]:
        """Say of every failure which database it was."""
        try:
            yield
        except OSError as error:
            raise StoreUnavailable(f"store {self.name}: {error.strerror or error}") from None
        except (sqlite3.Error, StoreUnavailable) as error:
            raise StoreUnavailable(f"store {self.name}: {error}") from None

    def close(self) -> None:
        """Close the connection; the next use would open another."""
        self._after_fork()
        with self._lock, self.named():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _after_fork(self) -> None:
        if os.getpid() != self._process:
            # SQLite forbids a child to use its parent's connection, or even to close it.
            self._inherited.append(self._connection)
            self._lock, self._connection, self._process = threading.RLock(), None, os.getpid()

    def _open(self) -> sqlite3.Connection:
        if self._path is None:
            return _connect(":memory:", _SCHEMA + _LOGS)
        if not self._path.exists():
            _create(self._path)
        connection = _connect(str(self._path))
        try:
            self._check(connection)
            if self._durable:
                connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise StoreUnavailable("it is not an Elision store")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 1:
            # Whoever else does so at the same time waits, and changes nothing.
            connection.executescript(_LOGS)
        elif version != VERSION:
            raise StoreUnavailable(f"it has schema version {version}, this Elision reads {VERSION}")


def _connect(name: str, script: str = "") -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what was deleted can be read nowhere
        connection.execute("PRAGMA synchronous = NORMAL")  # a lost last write costs time, nothing else
        connection.executescript(script)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Make an empty database, readable by its owner only, unless another process was faster."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    os.close(descriptor)
    try:
        with closing(_connect(temporary, f"PRAGMA journal_mode = WAL; {_SCHEMA}{_LOGS}")):
            pass
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)
