"""One compaction of a session, where something of ours breaks."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest
from messages import told
from session_service import SHORT_TAIL, talk

from elision.compaction.conversation import Format
from elision.compaction.errors import StoreUnavailable
from elision.compaction.sessions.bodies import split
from elision.compaction.sessions.compacting import Ending
from elision.compaction.sessions.errors import StaleLog, UnknownSession
from elision.compaction.sessions.history import history
from elision.compaction.sessions.types import Appended, Compacted, Event
from elision.compaction.sessions.view import view
from elision.compaction.store import NoStore
from elision.compaction.tokens import counter
from elision.compaction.types import Compressed
from elision.serving.compacting.service import means_of
from elision.serving.compacting.session_jobs import SessionWork
from elision.serving.compacting.session_reports import compacted_json
from elision.serving.compacting.session_schemas import CompactSession, SessionCompacted
from elision.serving.stores.events import MemoryLogs

if TYPE_CHECKING:
    from elision.serving.compacting.jobs import Job


class BrokenStore(NoStore):
    """A store with a mistake in it."""

    def remember(self, key: str, original: str, compressed: Compressed) -> Compressed:
        raise KeyError("ours")


class FullLogs(MemoryLogs):
    """Logs that take no result of a compaction."""

    def append(
        self, tenant: str, session: str, events: Sequence[Event], expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        if any(isinstance(event, Compacted) for event in events):
            raise StoreUnavailable("the disk is full")
        return super().append(tenant, session, events, expected_seq)


def work(logs: MemoryLogs, store: NoStore) -> SessionWork:
    configured, entries = split(told(talk(14), Format.OPENAI_CHAT))
    logs.append("t", "s", [configured, Appended(entries)])

    def timed(job: "Job") -> "Job":
        return job

    means = means_of(counter(), store)
    asked = CompactSession.model_validate(SHORT_TAIL)
    return SessionWork(logs, "t", "s", asked, means, timed, lambda: f"c{time.monotonic_ns()}", 600.0)


def test_a_mistake_of_ours_leaves_the_view_and_says_so() -> None:
    logs = MemoryLogs(1e6)
    job = work(logs, BrokenStore())
    before = view(logs.read("t", "s"))
    outcome = job.run()
    answer = compacted_json("s", outcome, True)

    assert outcome.ending is Ending.FAILED and outcome.view == before == view(logs.read("t", "s"))
    assert SessionCompacted.model_validate(answer | {"body": {}}, extra="forbid")
    assert not answer["changed"] and answer["reason"] == "failed" and "KeyError" in answer["detail"]


def test_a_result_that_cannot_be_written_is_not_used() -> None:
    logs = FullLogs(1e6)
    job = work(logs, NoStore())
    before = view(logs.read("t", "s"))
    outcome = job.run()
    answer = compacted_json("s", outcome, True)

    assert outcome.view == before and outcome.done is not None and outcome.done.changed
    assert SessionCompacted.model_validate(answer | {"body": {}}, extra="forbid")
    assert answer["detail"] == "the disk is full" and answer["tokens_saved"] == 0


class LateLogs(MemoryLogs):
    """Logs that are told something right before they take a result."""

    before: Callable[[], object]

    def append(
        self, tenant: str, session: str, events: Sequence[Event], expected_seq: int | None = None
    ) -> tuple[Event, ...]:
        if any(isinstance(event, Compacted) for event in events):
            self.before()
        return super().append(tenant, session, events, expected_seq)


@pytest.mark.parametrize("early", [True, False], ids=["before the summary", "before the result"])
def test_a_compaction_that_nobody_waits_for_any_more_changes_nothing(early: bool) -> None:
    logs = LateLogs(1e6)
    job = work(logs, NoStore())
    before, said = view(logs.read("t", "s")), list[bool]()

    def timed(one: "Job") -> "Job":
        if early:
            said.append(job.abandon())
        return one

    job.timed, logs.before = timed, lambda: said.append(job.abandon())
    outcome = job.run()
    (record,) = history(logs.read("t", "s"), 0)

    assert said == [True] and outcome.ending is Ending.FAILED
    assert outcome.view == before == view(logs.read("t", "s"))
    assert (record.fate, record.reason) == ("failed", "the compaction took too long; history is unchanged")


def test_a_session_that_is_found_deleted_by_a_writer_is_not_begun_again() -> None:
    logs = MemoryLogs(1e6)
    job = work(logs, NoStore())

    def timed(one: "Job") -> "Job":
        logs.delete("s")
        raise StaleLog("the view changed")

    job.timed = timed
    with pytest.raises(UnknownSession):
        job.run()
    assert not logs.sessions("t")


def test_one_that_has_ended_cannot_be_abandoned() -> None:
    logs = MemoryLogs(1e6)
    job = work(logs, NoStore())

    assert job.run().ending is Ending.COMPACTED and not job.abandon()
    assert view(logs.read("t", "s")).compactions


@pytest.mark.parametrize("early", [True, False], ids=["before the summary", "before the result"])
def test_a_session_that_is_deleted_meanwhile_is_not_there(early: bool) -> None:
    logs = LateLogs(1e6)
    job = work(logs, NoStore())

    def timed(one: "Job") -> "Job":
        if early:
            logs.delete("s")
        return one

    job.timed, logs.before = timed, lambda: logs.delete("s")
    with pytest.raises(UnknownSession):
        job.run()
    assert logs.read("t", "s") == () and not logs.sessions("t")
