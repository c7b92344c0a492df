"""A store in a file: what several processes make of it, and what can be wrong with it."""

import multiprocessing
import os
import resource
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from elision.compaction.errors import StoreUnavailable
from elision.compaction.store import handle_of
from elision.compaction.types import Compressed
from elision.serving.stores import database
from elision.serving.stores.sqlite import MemoryStores, SqliteStores
from elision.serving.stores.types import Limits

Decided = Callable[..., Compressed]
LIMITS = Limits(1e6, 10**7)
FORK = multiprocessing.get_context("fork")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def remember(path: Path, mine: Compressed) -> str:
    """What a process of its own gets to see, from the making of the file on."""
    stores = SqliteStores(path, LIMITS)
    found = stores.scope("t", str(os.getpid())).remember("k", "original", mine)
    stores.close()
    return found.text


def test_processes_that_start_together_agree_on_one_decision(path: Path, decided: Decided) -> None:
    with FORK.Pool(4) as pool:
        found = pool.starmap(remember, [(path, decided(str(n))) for n in range(12)])

    assert len(set(found)) == 1
    assert [entry.name for entry in path.parent.iterdir()] == ["store.sqlite"]


def test_it_outlives_its_process_and_only_its_owner_can_read_it(path: Path, decided: Decided) -> None:
    remember(path, decided("1"))
    stores = SqliteStores(path, LIMITS)

    assert stores.scope("t", "s").decision("k") == decided("1")
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    stores.close()


def in_child(work: Callable[[], object]) -> object:
    """The result of some work in a forked process."""
    ours, theirs = FORK.Pipe(duplex=False)
    child = FORK.Process(target=lambda: theirs.send(work()))
    child.start()
    theirs.close()
    child.join()
    return ours.recv()


def test_a_forked_worker_reads_and_writes_beside_its_parent(path: Path, decided: Decided) -> None:
    stores = SqliteStores(path, LIMITS)
    stores.scope("t", "s").remember("k", "original", decided("1"))

    assert in_child(lambda: stores.scope("t", "s").remember("k", "original", decided("2")).text) == "1"
    assert in_child(lambda: stores.scope("t", "s").remember("l", "other", decided("3")).text) == "3"

    assert stores.scope("t", "s").original(handle_of("other")) == "other"
    stores.close()


def test_a_fork_of_memory_begins_empty(decided: Decided) -> None:
    stores = MemoryStores(LIMITS)
    stores.scope("t", "s").remember("k", "original", decided("1"))

    assert in_child(lambda: stores.scope("t", "s").decision("k")) is None
    assert stores.scope("t", "s").decision("k")


def test_what_was_deleted_is_nowhere_in_the_file(path: Path, decided: Decided) -> None:
    stores = SqliteStores(path, LIMITS)
    stores.scope("t", "s").remember("k", "text", decided("1"))
    kept = sqlite3.connect(path).execute("SELECT body FROM decisions").fetchone()[0]

    stores.delete(older_than_seconds=0)

    assert not [file for file in path.parent.iterdir() if kept in file.read_bytes()]
    stores.close()


def test_a_store_that_another_process_holds_is_unavailable(
    path: Path, decided: Decided, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    stores = SqliteStores(path, LIMITS)
    store = stores.scope("t", "s")
    store.remember("k", "text", decided("1"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreUnavailable, match=f"store {path}: database is locked"):
        store.remember("l", "text", decided("1"))
    with pytest.raises(StoreUnavailable, match="locked"):
        stores.ready()
    assert store.decision("k")  # reading goes on
    assert stores.scope("t", "another").decision("k")  # though it cannot be written that it did

    holder.execute("ROLLBACK")
    holder.close()
    stores.ready()
    stores.close()


def test_a_failed_write_is_said_and_what_is_there_stays(path: Path, decided: Decided) -> None:
    stores = SqliteStores(path, LIMITS)
    stores.scope("t", "s").remember("k", "text", decided("1"))

    def fill() -> tuple[str, bool]:
        soft = path.with_name(path.name + "-wal").stat().st_size + 20_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))
        try:
            stores.scope("t", "s").remember("l", os.urandom(50_000).hex(), decided("2"))
        except StoreUnavailable as error:
            return str(error), stores.scope("t", "s").decision("k") is not None
        return "nothing", False

    assert in_child(fill) == (f"store {path}: disk I/O error", True)
    assert stores.scope("t", "s").decision("k")
    stores.close()


def test_a_file_of_something_else_is_left_alone(path: Path) -> None:
    path.write_bytes(b"these are notes, not a database\n" * 100)
    before = path.read_bytes()

    with pytest.raises(StoreUnavailable, match=f"store {path}: file is not a database"):
        SqliteStores(path, LIMITS)

    assert path.read_bytes() == before


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE notes (text)")
    other.close()

    with pytest.raises(StoreUnavailable, match="it is not an Elision store"):
        SqliteStores(path, LIMITS)


def test_another_schema_version_is_named(path: Path) -> None:
    SqliteStores(path, LIMITS).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()

    with pytest.raises(StoreUnavailable, match="schema version 99, this Elision reads 2"):
        SqliteStores(path, LIMITS)


def test_a_damaged_file_is_unavailable_not_a_traceback(path: Path, decided: Decided) -> None:
    stores = SqliteStores(path, LIMITS)
    for n in range(50):
        stores.scope("t", "s").remember(str(n), os.urandom(500).hex(), decided("1"))
    stores.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))

    with pytest.raises(StoreUnavailable, match=f"store {path}: "):
        SqliteStores(path, LIMITS).scope("t", "s").decision("1")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "such" / "store.sqlite"

    with pytest.raises(StoreUnavailable, match=f"store {missing}: No such file or directory"):
        SqliteStores(missing, LIMITS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(StoreUnavailable, match="Permission denied"):
        SqliteStores(tmp_path / "store.sqlite", LIMITS)


def test_a_folder_in_its_place_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="unable to open database file"):
        SqliteStores(tmp_path, LIMITS)
