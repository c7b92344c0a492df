"""What was read of a log is not read again, and is never taken for another log."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from session_logs import appended, texts

from elision.compaction.errors import StoreUnavailable
from elision.compaction.sessions.errors import BadEvent, StaleLog
from elision.compaction.sessions.types import Appended, Entry, RolledBack, Undone
from elision.compaction.sessions.view import view, view_of
from elision.serving.stores.events import MemoryLogs, SqliteLogs
from elision.serving.stores.recent import ReadLog, RecentLogs

if TYPE_CHECKING:
    from tests.serving.stores.conftest import Clock

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def logs(path: Path, clock: "Clock") -> Iterator[SqliteLogs]:
    with closing(SqliteLogs(path, DAY, clock)) as logs:
        yield logs


def test_the_logs_asked_for_last_are_kept_up_to_a_number_of_bytes_and_the_last_however_large() -> None:
    recent = RecentLogs(most_bytes=100)
    for row in (1, 2):
        recent.put(ReadLog(row, 0.0, size=50))
    recent.get(1, 0.0)
    recent.put(ReadLog(3, 0.0, size=50))
    recent.put(ReadLog(4, 0.0, size=101))

    assert [recent.get(row, 0.0).size for row in (1, 2, 3, 4)] == [0, 0, 0, 101]
    recent.put(ReadLog(5, 0.0, size=100))
    assert recent.get(5, 0.0).size == 100 and recent.get(5, 1.0).size == 0


def test_what_another_process_appends_and_takes_back_is_seen(path: Path, logs: SqliteLogs, clock: "Clock") -> None:
    with closing(SqliteLogs(path, DAY, clock)) as other:
        for n in range(3):
            logs.append("t", "s", [appended(f"a{n}")])
            other.append("t", "s", [appended(f"b{n}")])
            assert view_of(logs.played("t", "s")) == view(other.read("t", "s"))
        other.append("t", "s", [RolledBack("m1")])

        assert texts(view_of(logs.played("t", "s"))) == ["a0", "b0"]


def test_of_a_transaction_that_was_undone_nothing_is_kept(logs: SqliteLogs) -> None:
    logs.append("t", "s", [appended("a")])
    with pytest.raises(BadEvent):
        logs.append("t", "s", [appended("b"), RolledBack("m0"), Undone("none")])
    logs.append("t", "s", [appended("c")])

    assert texts(view_of(logs.played("t", "s"))) == ["a", "c"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_session_begun_again_has_nothing_of_the_one_before(
    path: Path, logs: SqliteLogs, clock: "Clock", elsewhere: bool
) -> None:
    with closing(SqliteLogs(path, DAY, clock)) as other:
        logs.append("t", "s", [appended("a")])
        logs.played("t", "s")
        (other if elsewhere else logs).delete("s")
        clock.at += elsewhere  # two processes cannot do this in one tick
        other.append("t", "s", [appended("b"), appended("c")])

        assert texts(view_of(logs.played("t", "s"))) == ["b", "c"]


@pytest.mark.parametrize("beyond", [1, 2, 999])
def test_a_writer_that_knew_of_more_knew_another_log(logs: SqliteLogs, beyond: int) -> None:
    with pytest.raises(StaleLog, match="last is 0"):
        logs.append("t", "s", [appended("a")], expected_seq=beyond)
    logs.append("t", "s", [appended("a")])
    with pytest.raises(StaleLog, match="last is 1"):
        logs.append("t", "s", [RolledBack("m0")], expected_seq=1 + beyond)

    assert logs.append("t", "s", [appended("b")], expected_seq=1)


def large(n: int) -> Appended:
    """Some ten kilobytes that cannot be packed."""
    noise = random.Random(n).randbytes(8000).hex()
    return Appended((Entry("", f'{{"role": "user", "content": "{noise}"}}'),))


def test_in_memory_the_sessions_unused_for_longest_make_room(clock: "Clock") -> None:
    with closing(MemoryLogs(DAY, clock, max_bytes=30_000)) as logs:
        for n in range(5):
            clock.at += 1
            logs.append("t", f"s{n}", [large(n)])
        held = logs.sessions("t")

        assert [info.name for info in held] == ["s4", "s3", "s2"]
        assert sum(info.bytes for info in held) <= 30_000
        for n in (5, 6):
            logs.append("t", "s4", [large(n)])
        assert [info.name for info in logs.sessions("t")] == ["s4"]
        with pytest.raises(StoreUnavailable, match="limit is 30000"):
            logs.append("t", "s4", [large(7)])
        assert len(logs.read("t", "s4")) == 3


def test_a_full_file_takes_no_messages_and_can_be_looked_at_and_gone_back_in(path: Path, clock: "Clock") -> None:
    with closing(SqliteLogs(path, DAY, clock, max_bytes=20_000)) as logs:
        logs.append("t", "s", [large(1), large(2)])
        for session in ("s", "other"):
            with pytest.raises(StoreUnavailable, match="delete some"):
                logs.append("t", session, [large(3)])
        with pytest.raises(StoreUnavailable):
            logs.fork("t", "s", "copy", 0.0)

        assert [info.name for info in logs.sessions("t")] == ["s"]
        assert logs.append("t", "s", [RolledBack("m0")]) and logs.delete("s") == 1
        assert logs.append("t", "other", [large(3)])
