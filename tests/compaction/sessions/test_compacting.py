"""One compaction from start to end, and everything that can come between."""

from collections.abc import Callable
from itertools import count

import pytest
from session_logs import PlainLogs, appended, said, texts

from elision.compaction.errors import StoreUnavailable
from elision.compaction.sessions.compacting import Ended, Ending, Leave, Rewrite, compact_session
from elision.compaction.sessions.history import Fate, history
from elision.compaction.sessions.types import Appended, CompactionStarted, Entry, Inserted, Kept, RolledBack
from elision.compaction.sessions.view import SessionView, view

Run = Callable[[SessionView], Rewrite | Leave]


@pytest.fixture
def logs() -> PlainLogs:
    logs = PlainLogs()
    logs.append("t", "s", [appended("a", "b")])
    return logs


def compacted(logs: PlainLogs, run: Run, at: float = 0.0, tries: int = 2) -> Ended:
    names = (f"c{n}" for n in count(len(logs.read("t", "s"))))
    new_id = names.__next__
    return compact_session(
        logs, "t", "s", run, clock=lambda: at, new_id=new_id, limit_seconds=60, tries=tries
    )


def summed(seen: SessionView) -> Rewrite:
    """All but the last message go behind a summary."""
    *old, last = seen.ids
    return Rewrite(
        (said("sum", *old), Kept(last)), "sum", policy="p@1", tokens_before=9, tokens_after=4, by="x"
    )


def reasons(logs: PlainLogs) -> list[tuple[Fate, str]]:
    return [(record.fate, record.reason) for record in history(logs.read("t", "s"), 0)]


def test_the_start_is_in_the_log_before_anything_is_asked(logs: PlainLogs) -> None:
    def run(seen: SessionView) -> Rewrite:
        assert isinstance(logs.read("t", "s")[-1], CompactionStarted)
        return summed(seen)

    ended = compacted(logs, run)

    assert (ended.ending, texts(ended.view)) == (Ending.COMPACTED, ["sum", "b"])
    assert ended.compacted and (ended.compacted.policy, ended.compacted.tokens_after) == ("p@1", 4)
    assert ended.view == view(logs.read("t", "s"))


def test_what_is_appended_meanwhile_is_there_once_and_last(logs: PlainLogs) -> None:
    def run(seen: SessionView) -> Rewrite:
        logs.append("t", "s", [appended("stop the pump")])
        return summed(seen)

    assert texts(compacted(logs, run).view) == ["sum", "b", "stop the pump"]


@pytest.mark.parametrize("error", [ValueError("no"), RuntimeError("network")])
def test_whatever_run_raises_leaves_the_view_and_is_on_record(logs: PlainLogs, error: Exception) -> None:
    def run(seen: SessionView) -> Rewrite:
        raise error

    ended = compacted(logs, run)

    assert (ended.ending, texts(ended.view)) == (Ending.FAILED, ["a", "b"])
    assert reasons(logs) == [(Fate.FAILED, f"{type(error).__name__}: {error}")]
    assert compacted(logs, summed).ending is Ending.COMPACTED  # nothing stands in the way of the next


def test_when_the_process_is_asked_to_end_the_compaction_ends_too(logs: PlainLogs) -> None:
    def run(seen: SessionView) -> Rewrite:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compacted(logs, run)

    assert reasons(logs) == [(Fate.FAILED, "KeyboardInterrupt")]


def test_a_decision_to_leave_it_is_on_record(logs: PlainLogs) -> None:
    ended = compacted(logs, lambda seen: Leave("pays after 11 turns"))

    assert (ended.ending, ended.reason) == (Ending.LEFT, "pays after 11 turns")
    assert reasons(logs) == [(Fate.LEFT, "pays after 11 turns")]


def test_items_that_make_no_sense_are_a_failure(logs: PlainLogs) -> None:
    ended = compacted(logs, lambda seen: Rewrite((Kept("b"),)))

    assert (ended.ending, texts(ended.view)) == (Ending.FAILED, ["a", "b"])
    assert "no message 'b'" in ended.reason


def test_a_result_that_is_not_valid_is_not_used(logs: PlainLogs) -> None:
    ended = compacted(logs, lambda seen: Rewrite((Inserted("{}", seen.ids),), invalid="inflated"))

    assert (ended.ending, ended.reason, texts(ended.view)) == (Ending.INVALID, "inflated", ["a", "b"])


def test_a_view_that_changed_otherwise_is_compacted_anew(logs: PlainLogs) -> None:
    seen_by_run: list[tuple[str, ...]] = []

    def run(seen: SessionView) -> Rewrite:
        seen_by_run.append(seen.ids)
        if len(seen_by_run) == 1:
            logs.append("t", "s", [RolledBack("m0"), appended("c")])
        return summed(seen)

    ended = compacted(logs, run)

    assert seen_by_run == [("m0", "m1"), ("m0", "m2")]
    assert (ended.ending, texts(ended.view)) == (Ending.COMPACTED, ["sum", "c"])


def test_a_view_that_never_rests_is_left_as_it_is(logs: PlainLogs) -> None:
    def run(seen: SessionView) -> Rewrite:
        logs.append("t", "s", [RolledBack("m0"), appended("c")])
        return summed(seen)

    ended = compacted(logs, run, tries=3)

    assert (ended.ending, texts(ended.view)) == (Ending.STALE, ["a", "c"])
    assert [fate for fate, _ in reasons(logs)] == [Fate.FAILED] * 3


def test_while_one_is_under_way_no_other_begins_until_its_time_is_over(logs: PlainLogs) -> None:
    logs.append("t", "s", [CompactionStarted("dead", 1, 60, at=0)])

    assert compacted(logs, summed, at=59).ending is Ending.RUNNING
    assert compacted(logs, summed, at=60).ending is Ending.COMPACTED


@pytest.mark.parametrize(("works", "at_start"), [(0, True), (1, False)])
def test_a_log_that_cannot_be_written_leaves_the_view(logs: PlainLogs, works: int, at_start: bool) -> None:
    before = view(logs.read("t", "s"))
    logs.broken = works

    if at_start:
        with pytest.raises(StoreUnavailable):
            compacted(logs, summed)
    else:
        ended = compacted(logs, summed)
        assert (ended.ending, ended.reason, ended.view) == (Ending.FAILED, "broken", before)


def test_a_large_session_is_compacted(logs: PlainLogs) -> None:
    logs.append("t", "s", [Appended(tuple(Entry("", f'{{"content": "{"x" * 1000}"}}') for _ in range(1000)))])

    assert len(compacted(logs, summed).view.items) == 2
