"""Logs of sessions in SQLite: the same as the small ones of the core, for many writers, and durable."""

import json
import multiprocessing
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from session_logs import HEAD, SessionLife, appended, said, texts

from elision.compaction.errors import StoreUnavailable
from elision.compaction.sessions.compacting import Ending, Rewrite, compact_session
from elision.compaction.sessions.errors import (
    BadEvent,
    CompactionRunning,
    DoubledId,
    SessionExists,
    StaleLog,
    UnknownSession,
)
from elision.compaction.sessions.log import EventLogs
from elision.compaction.sessions.types import (
    Appended,
    Compacted,
    CompactionStarted,
    Entry,
    Kept,
    RolledBack,
    Undone,
)
from elision.compaction.sessions.view import SessionView, behind, originals, view
from elision.serving.stores import database
from elision.serving.stores.events import MemoryLogs, SqliteLogs
from elision.serving.stores.sqlite import SqliteStores
from elision.serving.stores.types import Limits

if TYPE_CHECKING:
    from tests.serving.stores.conftest import Clock

DAY = 86_400.0
FORK = multiprocessing.get_context("fork")
Open = Callable[[], SqliteLogs]


class StoredLife(SessionLife):
    """The life of a session in SQLite."""

    def open(self) -> EventLogs:
        return MemoryLogs(DAY)


TestStoredLife = pytest.mark.law(StoredLife.TestCase)
TestStoredLife.settings = settings(deadline=None, stateful_step_count=25)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture(params=["memory", "sqlite"])
def logs(request: pytest.FixtureRequest, path: Path, clock: "Clock") -> Iterator[SqliteLogs]:
    logs = SqliteLogs(path, DAY, clock) if request.param == "sqlite" else MemoryLogs(DAY, clock)
    yield logs
    logs.close()


def test_what_was_appended_is_read_as_it_was_written(logs: SqliteLogs) -> None:
    raw = '{ "content": "na\\u00efve 🚀 \ud800 \\ud83d", "n": 1.0e0 }'

    written = logs.append("t", "s", [HEAD, Appended((Entry("", raw),), at=7.5)])

    assert [event.seq for event in written] == [1, 2]
    assert logs.read("t", "s") == written
    assert logs.read("t", "s", after=1) == written[1:]
    assert view(written).messages == (raw,)


def test_a_session_that_was_never_begun_has_no_events(logs: SqliteLogs) -> None:
    assert logs.read("t", "s") == ()
    assert logs.sessions("t") == ()
    with pytest.raises(BadEvent, match="no message"):
        logs.append("t", "s", [RolledBack("m0")])
    assert logs.append("t", "s", []) == ()
    assert logs.sessions("t") == ()


def test_events_are_written_all_or_none(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a")])
    before = logs.read("t", "s")

    for bad in (Undone("c"), Appended((Entry("m0", "{}"),)), Appended((Entry("", "no"),))):
        with pytest.raises(BadEvent):
            logs.append("t", "s", [appended("b"), bad])

    assert logs.read("t", "s") == before
    assert [event.seq for event in logs.append("t", "s", [appended("c")])] == [2]


def test_tenants_and_sessions_are_kept_apart(logs: SqliteLogs) -> None:
    names = [("t", "s"), ("t", "s2"), ("u", "s"), ("\ud800", "s\x00"), ("", "")]
    for n, (tenant, session) in enumerate(names):
        logs.append(tenant, session, [Appended((Entry("x", f'{{"n": {n}}}'),))])

    assert [view(logs.read(*name)).messages for name in names] == [(f'{{"n": {n}}}',) for n in range(5)]
    assert {info.name for info in logs.sessions("t")} == {"s", "s2"}
    assert [info.name for info in logs.sessions("\ud800")] == ["s\x00"]
    with pytest.raises(UnknownSession):
        logs.fork("u", "s2", "mine", 0.0)


def test_ids_are_known_again_after_every_kind_of_event(logs: SqliteLogs) -> None:
    logs.append("t", "s", [Appended((Entry("x", "{}"), Entry("y", "{}")))])
    logs.append("t", "s", [CompactionStarted("c", 1), Compacted("c", 1, (said("sum", "x"), Kept("y")))])

    inserted = view(logs.read("t", "s")).items[0]
    assert logs.append("t", "s", [Appended((Entry(inserted.id, inserted.raw), Entry("x", "{}")))]) == ()
    logs.append("t", "s", [Undone("c"), RolledBack("x")])
    written = logs.append("t", "s", [Appended((Entry("y", '{"n": 2}'), Entry("c/0", "{}")))])
    assert view(logs.read("t", "s")).ids == ("x", "y", "c/0") and written
    with pytest.raises(DoubledId):
        logs.append("t", "s", [Appended((Entry("y", "{}"),))])


def test_a_writer_that_answers_what_was_rolled_back_is_refused(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a", "b")])
    logs.append("t", "s", [appended("c")], expected_seq=1)
    logs.append("t", "s", [appended("d")], expected_seq=1)  # others may append as well
    logs.append("t", "s", [RolledBack("m0")], expected_seq=3)

    with pytest.raises(StaleLog, match="RolledBack"):
        logs.append("t", "s", [appended("late")], expected_seq=3)
    with pytest.raises(StaleLog, match="RolledBack"):
        logs.append("t", "s", [RolledBack("m0")], expected_seq=3)
    assert texts(view(logs.read("t", "s"))) == ["a"]


def test_a_fork_outlives_its_parent(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a", "b"), CompactionStarted("c", 1)])
    logs.append("t", "s", [Compacted("c", 1, (said("sum", "m0"), Kept("m1"))), appended("later")])

    forked = logs.fork("t", "s", "child", 9.0, 3)
    assert logs.delete("s", tenant="t") == 1

    assert logs.read("t", "child") == forked and logs.read("t", "s") == ()
    assert texts(view(forked)) == ["sum", "b"]
    logs.append(
        "t", "child", [Undone("c"), Appended((Entry("m0", originals(forked)[0].raw),)), appended("own")]
    )
    assert texts(view(logs.read("t", "child"))) == ["a", "b", "own"]
    with pytest.raises(SessionExists):
        logs.fork("t", "child", "child", 0.0)
    for seq in (0, 99):
        with pytest.raises(BadEvent, match=f"no event {seq}"):
            logs.fork("t", "child", "other", 0.0, seq)


def test_a_list_of_sessions_has_their_figures_the_newest_first(logs: SqliteLogs, clock: "Clock") -> None:
    began = clock.at
    logs.append("t", "old", [appended("a", "b"), appended("c")])
    clock.at += 10
    logs.append("t", "new", [appended("a")])

    new, old = logs.sessions("t")

    assert (new.name, old.name, old.events, old.messages) == ("new", "old", 2, 3)
    assert (old.created_at, new.used_at) == (began, began + 10)
    assert old.bytes > new.bytes > 0


def test_what_nobody_used_for_its_time_is_gone(logs: SqliteLogs, clock: "Clock") -> None:
    logs.append("t", "s", [appended("a")])
    logs.append("t", "other", [appended("a")])
    clock.at += DAY - 1
    assert logs.read("t", "s")  # and is used again
    clock.at += 2

    assert logs.read("t", "s") and not logs.read("t", "other")
    assert [info.name for info in logs.sessions("t")] == ["s"]
    clock.at += DAY
    logs.append("t", "s", [appended("anew")])
    assert texts(view(logs.read("t", "s"))) == ["anew"]


def test_sessions_can_be_deleted_by_name_age_and_tenant(logs: SqliteLogs, clock: "Clock") -> None:
    for tenant, session in [("t", "s"), ("u", "s"), ("u", "v")]:
        logs.append(tenant, session, [appended("a")])
        clock.at += 100

    assert logs.delete(older_than_seconds=300, session="v") == 0
    assert logs.delete(older_than_seconds=300) == 1
    assert logs.delete("s", tenant="t") == 0
    assert logs.delete(tenant="u") == 2
    assert logs.delete() == 0


def test_what_was_deleted_is_nowhere_in_the_file(path: Path) -> None:
    logs = SqliteLogs(path, DAY)
    logs.append("t", "a name to find", [appended(os.urandom(20).hex())])
    connection = sqlite3.connect(path)
    body = connection.execute("SELECT body FROM events").fetchone()[0]
    connection.close()

    logs.delete("a name to find")

    held = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert body not in held and b"a name to find" not in held
    logs.close()


def test_one_file_holds_logs_and_stores(path: Path) -> None:
    stores, logs = SqliteStores(path, Limits(DAY, 10**6)), SqliteLogs(path, DAY)
    logs.append("t", "s", [appended("a")])
    stores.delete()

    assert logs.read("t", "s")
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    stores.close()
    logs.close()


def older(path: Path) -> None:
    """Make the file one of the first version, which had no logs."""
    SqliteStores(path, Limits(DAY, 10**6)).close()
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE known; DROP TABLE events; DROP TABLE logs; PRAGMA user_version = 1")
    connection.close()


def begin(path: Path, name: str) -> int:
    logs = SqliteLogs(path, DAY)
    logs.append("t", name, [appended("a")])
    logs.close()
    return 1


def test_a_file_of_the_first_version_gets_the_tables_even_if_many_open_it(path: Path) -> None:
    older(path)
    with FORK.Pool(4) as pool:
        assert sum(pool.starmap(begin, [(path, f"s{n}") for n in range(8)])) == 8

    logs = SqliteLogs(path, DAY)
    assert len(logs.sessions("t")) == 8
    logs.close()


def test_a_durable_connection_waits_for_the_disk(path: Path) -> None:
    durable = database.Database(path, durable=True)
    with durable.reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    durable.close()


def test_a_damaged_event_is_unavailable_not_a_traceback(path: Path) -> None:
    logs = SqliteLogs(path, DAY)
    logs.append("t", "s", [appended("a")])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE events SET body = x'00ff'")
    connection.commit()
    connection.close()

    with pytest.raises(StoreUnavailable, match=f"store {path}: a stored text is damaged"):
        logs.read("t", "s")
    with pytest.raises(StoreUnavailable, match="damaged"):
        logs.append("t", "s", [RolledBack("m0")])
    logs.close()


def test_a_file_that_another_process_holds_is_unavailable_and_nothing_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    logs = SqliteLogs(path, DAY)
    logs.append("t", "s", [appended("a")])
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreUnavailable, match="locked"):
        logs.append("t", "s", [appended("b")])
    assert texts(view(logs.read("t", "s"))) == ["a"]

    holder.execute("ROLLBACK")
    holder.close()
    logs.ready()
    logs.close()


def test_threads_lose_and_double_no_message(logs: SqliteLogs) -> None:
    def write(writer: int) -> None:
        for n in range(20):
            entry = Entry(f"{writer}-{n}", json.dumps({"n": n}))
            logs.append("t", "s", [Appended((entry,))])
            logs.append("t", "s", [Appended((entry,)), appended("by position")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))

    ids = view(logs.read("t", "s")).ids
    assert len(ids) == len(set(ids)) == 160
    for writer in range(4):
        assert [id for id in ids if id.startswith(f"{writer}-")] == [f"{writer}-{n}" for n in range(20)]


def write_many(path: Path, writer: int) -> int:
    logs = SqliteLogs(path, DAY)
    for n in range(15):
        logs.append("t", "s", [Appended((Entry(f"{writer}-{n}", "{}"),)), appended("x")])
    logs.close()
    return 15


def test_processes_lose_and_double_no_message(path: Path) -> None:
    with FORK.Pool(4) as pool:
        assert sum(pool.starmap(write_many, [(path, writer) for writer in range(4)])) == 60

    logs = SqliteLogs(path, DAY)
    events = logs.read("t", "s")
    assert len(set(view(events).ids)) == len(view(events).ids) == 120
    assert [event.seq for event in events] == list(range(1, 121))
    logs.close()


def test_messages_appended_during_compactions_by_other_threads_are_all_there(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("first")])
    writing, names = threading.Event(), count()

    def write() -> None:
        for n in range(40):
            logs.append("t", "s", [Appended((Entry(f"w{n}", "{}"),))])
            writing.set()

    def run(seen: SessionView) -> Rewrite:
        writing.wait(5)
        writing.clear()
        return Rewrite((said("sum", *seen.ids),))

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(8):
        compact_session(logs, "t", "s", run, clock=lambda: 0.0, new_id=lambda: f"c{next(names)}")
        writing.set()
    writer.join()

    events = logs.read("t", "s")
    assert [entry.id for entry in originals(events)] == ["m0", *(f"w{n}" for n in range(40))]
    assert behind(events, view(events).ids) == originals(events)
    assert len(view(events).compactions) == 8


def test_of_compactions_begun_together_one_runs(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a", "b")])
    names, asked, refused = count(), count(), threading.Semaphore(0)

    def run(seen: SessionView) -> Rewrite:
        next(asked)
        assert refused.acquire(timeout=5) and refused.acquire(timeout=5)
        return Rewrite((said("sum", *seen.ids),))

    def compact(n: int) -> Ending:
        ended = compact_session(logs, "t", "s", run, clock=lambda: 0.0, new_id=lambda: f"c{next(names)}")
        if ended.ending is Ending.RUNNING:
            refused.release()
        return ended.ending

    with ThreadPoolExecutor(3) as pool:
        endings = list(pool.map(compact, range(3)))

    assert next(asked) == 1 == endings.count(Ending.COMPACTED)
    assert endings.count(Ending.RUNNING) == 2


def test_a_start_of_a_process_that_died_holds_up_the_next_only_for_its_time(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a"), CompactionStarted("dead", 1, 60, at=0)])

    with pytest.raises(CompactionRunning):
        logs.append("t", "s", [CompactionStarted("next", 1, at=59)])
    assert logs.append("t", "s", [CompactionStarted("next", 1, at=60)])
