"""What is told of a session's compactions."""

from session_logs import PlainLogs, appended, said

from elision.compaction.sessions.history import Fate, history
from elision.compaction.sessions.types import (
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Event,
    Kept,
    RolledBack,
    Undone,
)


def logged(*events: Event) -> PlainLogs:
    logs = PlainLogs()
    logs.append("t", "s", events)
    return logs


def fates(logs: PlainLogs, now: float = 0.0, session: str = "s") -> dict[str, Fate]:
    return {record.id: record.fate for record in history(logs.read("t", session), now)}


def test_every_way_to_end_is_told() -> None:
    logs = logged(appended("a", "b"), CompactionStarted("c1", 1, 5), CompactionFailed("c1", "timeout", at=2))
    logs.append("t", "s", [CompactionStarted("c2", 1, 5), CompactionFailed("c2", "does not pay", True)])
    logs.append(
        "t", "s", [CompactionStarted("c3", 1, 5), Compacted("c3", 1, (Kept("m0"),), invalid="larger")]
    )
    logs.append("t", "s", [CompactionStarted("c4", 1, 5), CompactionStarted("c5", 1, 5, at=5)])
    logs.append("t", "s", [Compacted("c5", 1, (said("sum", "m0", "m1"),), at=7)])
    logs.append("t", "s", [CompactionStarted("c6", 10, 5, at=10)])

    found = {record.id: record for record in history(logs.read("t", "s"), now=12)}

    assert {id: record.fate for id, record in found.items()} == {
        "c1": Fate.FAILED,
        "c2": Fate.LEFT,
        "c3": Fate.INVALID,
        "c4": Fate.ABANDONED,
        "c5": Fate.IN_EFFECT,
        "c6": Fate.RUNNING,
    }
    assert (found["c1"].reason, found["c1"].started_at, found["c1"].ended_at) == ("timeout", 0, 2)
    assert found["c3"].reason == "larger"
    assert found["c5"].compacted is not None and found["c5"].ended_at == 7
    assert fates(logs, now=15)["c6"] is Fate.ABANDONED


def test_what_was_undone_or_rolled_back_is_told_and_comes_back() -> None:
    logs = logged(
        appended("a", "b"), CompactionStarted("c", 1), Compacted("c", 1, (said("1", "m0"), Kept("m1")))
    )
    logs.append("t", "s", [CompactionStarted("d", 3), Compacted("d", 3, (said("2", "c/0", "m1"),))])

    logs.append("t", "s", [RolledBack(3)])
    assert fates(logs) == {"c": Fate.IN_EFFECT, "d": Fate.ROLLED_BACK}
    logs.append("t", "s", [Undone("c")])
    assert fates(logs) == {"c": Fate.UNDONE, "d": Fate.ROLLED_BACK}
    logs.append("t", "s", [RolledBack(5)])
    assert fates(logs) == {"c": Fate.IN_EFFECT, "d": Fate.IN_EFFECT}


def test_what_runs_in_the_parent_does_not_run_in_a_fork() -> None:
    logs = logged(appended("a"), CompactionStarted("c", 1))
    logs.fork("t", "s", "child", 1.0)

    assert fates(logs) == {"c": Fate.RUNNING}
    assert fates(logs, session="child") == {"c": Fate.ABANDONED}
