"""What a compaction of a session does to its view, how it is taken back, and what its log says of it."""

import asyncio
import hashlib
import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from messages import assistant, told
from scripted_writer import Script, script
from session_service import NOTES, SHORT_TAIL, Session, quiet, service, talk, tools

from elision.compaction.conversation import Format
from elision.compaction.counting import count
from elision.compaction.formats.read import read
from elision.compaction.sessions.compacting import Ending
from elision.compaction.sessions.types import CompactionStarted
from elision.compaction.summary.types import Failure, SummaryFailed
from elision.compaction.tokens import counter, for_model
from elision.serving.compacting.session_jobs import SessionOutcome
from elision.serving.compacting.session_schemas import (
    AppendEvents,
    CompactSession,
    SessionCompacted,
    SessionHistory,
)
from elision.serving.service import Service
from elision.serving.stores.events import SqliteLogs

if TYPE_CHECKING:
    from tests.serving.conftest import WordScorer

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
LONG = talk(14)


@pytest.mark.parametrize("wire", WIRES)
def test_a_compaction_makes_the_view_shorter_and_undoing_it_gives_every_byte_back(
    session: Session, writer: Script, wire: Format
) -> None:
    session.tell(LONG, wire)
    before = session.view()
    answer = session.compact()
    compacted = answer.json()

    assert SessionCompacted.model_validate(compacted, extra="forbid")
    assert compacted["ending"] == "compacted" and compacted["tokens_after"] < compacted["tokens_before"] / 2
    assert compacted["body"] == json.loads(session.view()) and len(writer.calls) > 0
    assert compacted["compaction"] in session.get("view").json()["compactions"]
    assert session.post("undo").status_code == 200 and session.view() == before
    assert session.fates() == ["undone"]


def test_history_tells_what_a_compaction_covered_and_cost(session: Session) -> None:
    session.tell(LONG)
    done = session.compact().json()
    told_of = session.get("history")
    (record,) = told_of.json()["compactions"]

    assert SessionHistory.model_validate(told_of.json(), extra="forbid")
    assert record["fate"] == "in_effect" and record["trigger"] == "request" and record["by"] == "fake/writer"
    assert record["tokens_after"] == done["tokens_after"] and record["cost"] == done["cost"] > 0
    assert record["covered"] == [f"m{n}" for n in range(1, len(record["covered"]) + 1)]
    assert any(pin["text"].startswith("Never touch prod.yaml") for pin in record["pins"])


def test_rollback_restores_the_bytes_before_and_the_summary_that_stood(session: Session) -> None:
    session.tell(LONG)
    session.compact()
    summarised, seq = session.view(), session.get("view").json()["seq"]
    session.post("events", messages=talk(28, 14))
    session.compact()
    assert session.view() != summarised

    assert session.post("rollback", to=seq).json()["seq"] == seq + 4
    assert session.view() == summarised and session.fates() == ["in_effect", "rolled_back"]


def test_rollback_goes_to_a_message_as_well(session: Session) -> None:
    session.tell(tools(1)[:2])
    before = session.view()
    session.tell(tools(1))
    session.post("rollback", to="m1")

    assert session.view() == before
    assert session.post("rollback", to="m9").json()["code"] == "bad_event"


def test_what_is_appended_while_a_compaction_runs_is_kept(scorer: "WordScorer") -> None:
    story = [*LONG, assistant("one more")]
    mine: list[Session] = []

    def writes(_: Any) -> str:
        assert len(mine[0].tell(story).json()["appended"]) <= 1  # the writer may be asked more than once
        return NOTES

    with service(scorer, script(writes)) as client:
        mine.append(Session(client))
        mine[0].tell(LONG)
        done = mine[0].compact().json()

        assert done["ending"] == "compacted" and done["ids"][-1] == f"m{len(story) - 1}"
        assert done["body"]["messages"][-1]["content"] == "one more"


def test_of_a_rollback_under_a_compaction_nothing_stale_is_used(scorer: "WordScorer") -> None:
    mine: list[Session] = []

    asked: list[Any] = []

    def goes_back(call: Any) -> str:
        asked.append(call)
        mine[0].post("rollback", to="m5")
        return "words that would be asked for again" if len(asked) == 1 else NOTES

    with service(scorer, script(goes_back)) as client:
        mine.append(Session(client))
        mine[0].tell(LONG)
        done = mine[0].compact().json()

        # The first try is given up as soon as it is of no use; the second looks at what is there now.
        assert len(asked) == 2
        assert mine[0].fates() == ["failed", "in_effect"]
        assert done["ids"][-1] == "m5"


def test_requests_to_compact_that_come_together_pay_for_one_summary(
    scorer: "WordScorer", writer: Script
) -> None:
    asked = CompactSession.model_validate(SHORT_TAIL)

    async def together() -> list[SessionOutcome]:
        service = Service(quiet(), scorer, [writer])
        try:
            sessions = service.sessions
            sessions.append("t", "s", AppendEvents(), "body", told(LONG, Format.OPENAI_CHAT))
            return await asyncio.gather(*(sessions.compact("t", "s", asked) for _ in range(3)))
        finally:
            service.close()

    outcomes = asyncio.run(together())

    assert [outcome.joined for outcome in outcomes] == [False, True, True]
    assert len({outcome.compaction for outcome in outcomes}) == 1
    assert {outcome.ending for outcome in outcomes} == {Ending.COMPACTED}


@pytest.mark.parametrize("other", [{"redact": True}, {"policy": "pi"}, {"total_tokens": 2500}, {"focus": "a"}])
def test_who_asks_for_something_else_waits_and_gets_that(
    scorer: "WordScorer", writer: Script, other: dict[str, Any]
) -> None:
    asks = [CompactSession.model_validate(SHORT_TAIL | more) for more in ({}, other, {}, other)]

    async def together() -> list[SessionOutcome]:
        service = Service(quiet(), scorer, [writer])
        try:
            sessions = service.sessions
            sessions.append("t", "s", AppendEvents(), "body", told(LONG, Format.OPENAI_CHAT))
            return await asyncio.gather(*(sessions.compact("t", "s", asked) for asked in asks))
        finally:
            service.close()

    outcomes = asyncio.run(together())

    assert [outcome.joined for outcome in outcomes] == [False, False, True, True]
    assert outcomes[1].job.means.redact is bool(other.get("redact"))
    assert outcomes[3].compaction == outcomes[1].compaction != outcomes[0].compaction


def test_a_session_does_not_expire_while_it_is_compacted(scorer: "WordScorer") -> None:
    def slow(_: Any) -> str:
        time.sleep(1.5)
        return NOTES

    with service(scorer, script(slow), session_ttl_seconds=0.7) as client:
        session = Session(client)
        session.tell(LONG)
        done = session.compact()

        assert done.status_code == 200 and done.json()["ending"] == "compacted"


def test_what_a_live_session_names_can_be_had_while_it_lives(scorer: "WordScorer", writer: Script) -> None:
    with service(scorer, writer, store_ttl_seconds=0.5) as client:
        session = Session(client)
        session.tell(LONG)
        handle = session.compact().json()["handle"]
        time.sleep(1.0)

        assert client.get(f"/v1/expand/{handle}", headers=session.headers).status_code == 200
        assert client.delete(session.at, headers=session.headers).json()["originals"] > 0
        assert client.get(f"/v1/expand/{handle}", headers=session.headers).status_code == 404


@pytest.mark.parametrize("wire", WIRES)
def test_tokens_counted_message_by_message_are_those_of_the_whole(session: Session, wire: Format) -> None:
    session.tell(tools(4), wire)
    for more in (tools(4), [*tools(4), *talk(4)[1:]]):
        tokens = session.tell(more, wire).json()["tokens"]
        body = read(session.view(), wire)
        reader = for_model(body.model) if body.model else counter()

        assert tokens == count(body, reader).total


def test_where_another_process_compacts_the_answer_is_to_come_again(
    scorer: "WordScorer", writer: Script, tmp_path: Path
) -> None:
    store = tmp_path / "store.sqlite"
    with service(scorer, writer, store=str(store)) as client, closing(SqliteLogs(store, 1e6)) as elsewhere:
        session = Session(client)
        seq = session.tell(LONG).json()["seq"]
        tenant = hashlib.sha256(b"mine").hexdigest()
        elsewhere.append(tenant, "s", [CompactionStarted("theirs", seq, at=time.time())])
        refused = session.compact()

        assert (refused.status_code, refused.json()["code"]) == (409, "compaction_running")
        assert refused.headers["retry-after"] == "1" and "theirs" in refused.json()["detail"]


@pytest.mark.parametrize("broken", [SummaryFailed(Failure.AUTH, "401"), KeyError("ours")])
def test_without_the_writer_a_summary_by_rule_stands_and_history_says_whose_it_is(
    scorer: "WordScorer", broken: Exception
) -> None:
    with service(scorer, script(broken)) as client:
        session = Session(client)
        session.tell(LONG)
        done = session.compact().json()

        assert done["changed"] and done["summary_by"] == "extractive"
        assert session.get("history").json()["compactions"][0]["by"] == "extractive"


def test_what_cannot_be_met_is_an_error_and_leaves_the_view_with_the_reason_on_record(
    session: Session,
) -> None:
    session.tell(LONG)
    before = session.view()
    refused = session.compact(total_tokens=60)

    assert (refused.status_code, refused.json()["code"]) == (422, "budget_too_small")
    assert session.view() == before and session.fates() == ["failed"]
    assert "BudgetTooSmall" in session.get("history").json()["compactions"][0]["reason"]


def test_a_check_that_finds_nothing_to_do_leaves_no_trace(session: Session) -> None:
    seq = session.tell(tools(1)).json()["seq"]
    done = session.compact(cause="check").json()

    assert not done["changed"] and done["compaction"] is None and done["ending"] == "left"
    assert done["detail"] and session.get("view").json()["seq"] == seq


def test_replay_says_the_same_every_time_and_writes_nothing(session: Session) -> None:
    session.tell(LONG)
    session.compact()
    seq = session.get("view").json()["seq"]
    asked = {"policy": "jetbrains-masking", "context_window": 3000}
    answers = [session.post("replay", **asked) for _ in range(2)]
    other = session.post(
        "replay", context_window=3000, set=["select.tail_min=300", "select.tail_max=400"]
    ).json()

    assert answers[0].content == answers[1].content and answers[0].status_code == 200
    assert answers[0].json()["plan"]["policy"].startswith("jetbrains-masking")
    assert other["tokens_before"] > 3000 and other["handle"] is None  # the messages as they came
    assert session.get("view").json()["seq"] == seq


def test_the_third_compaction_knows_the_first_messages(session: Session, writer: Script) -> None:
    story = LONG
    for end in (28, 42):
        session.tell(story)
        session.compact()
        story = [*story, *talk(end, end - 14)]
    session.tell(story)
    writer.calls.clear()
    session.compact(set=["select.tail_min=300", "select.tail_max=400", "summary.rebuild_every=2"])

    assert session.fates() == ["in_effect"] * 3
    assert "Never touch prod.yaml" in session.view()
