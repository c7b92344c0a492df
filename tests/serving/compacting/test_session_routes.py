"""`/v1/sessions/...`: what is sent stays, what is compacted can be taken back, and nobody sees another's."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from messages import Json, assistant, told, user
from scripted_writer import Script
from session_service import Session, service, talk, tools

from elision.compaction.conversation import Format
from elision.serving.compacting.session_schemas import (
    Appended,
    SessionEvents,
    SessionViewed,
)

if TYPE_CHECKING:
    from tests.serving.conftest import WordScorer

WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]
LONG = talk(14)


@pytest.mark.parametrize("wire", WIRES)
def test_the_view_of_a_session_is_what_was_sent_byte_for_byte(session: Session, wire: Format) -> None:
    body = told(tools(2), wire, temperature=1.0)
    sent = session.send(body)

    assert sent.status_code == 200 and Appended.model_validate(sent.json(), extra="forbid")
    assert session.view() == body
    assert SessionViewed.model_validate(session.get("view").json(), extra="forbid")


@pytest.mark.parametrize("wire", WIRES)
def test_of_a_history_that_is_sent_again_only_the_rest_is_appended(session: Session, wire: Format) -> None:
    first = session.send(told(tools(1)[:-1], wire)).json()
    again = session.send(told(tools(1)[:-1], wire)).json()
    longer = told([*tools(2), user("thanks")], wire)
    third = session.send(longer)

    assert again["appended"] == [] and again["seq"] == first["seq"]
    assert (
        session.view() == longer
        and len(first["ids"]) + len(third.json()["appended"]) == third.json()["messages"]
    )


def test_a_history_that_went_another_way_is_refused_at_the_message_that_differs(session: Session) -> None:
    session.tell(tools(1))
    refused = session.tell([tools(1)[0], assistant("no"), user("why?")])

    assert refused.status_code == 409 and refused.json()["code"] == "history_differs"
    assert refused.json()["message"] == 1 and session.get("view").json()["messages"] == 4


def test_messages_are_appended_as_they_are_and_known_by_their_ids(session: Session) -> None:
    messages = [user("a"), user("a")]
    session.post("events", messages=messages, ids=["x", "y"])
    again = session.post("events", messages=[*messages, user("b")], ids=["x", "y", "z"])
    other = session.post("events", messages=[user("c")], ids=["x"])
    nameless = session.post("events", messages=[user("b")])

    assert again.json()["appended"] == ["z"]
    assert (other.status_code, other.json()["code"]) == (409, "doubled_id")
    assert nameless.json()["appended"] == ["m3"]


def test_without_ids_of_the_caller_s_messages_whose_wire_repeats_an_id_are_all_there(session: Session) -> None:
    reference = {"type": "item_reference", "id": "msg_1"}
    session.tell([user("a")], Format.OPENAI_RESPONSES)
    for _ in range(2):
        told = session.post("events", messages=[reference, reference, {**user("b"), "id": "msg_1"}], format="openai_responses")
        assert told.status_code == 200 and len(told.json()["appended"]) == 3

    assert session.get("view").json()["messages"] == 7


def test_the_head_around_the_messages_is_the_last_that_was_sent(session: Session) -> None:
    session.tell([user("a")], model="one")
    session.post("events", messages=[assistant("b")])
    session.tell([user("a"), assistant("b"), user("c")], model="two")
    view = session.get("view").json()

    assert view["body"]["model"] == "two" and len(view["body"]["messages"]) == 3


def test_a_caller_goes_on_from_any_view_that_it_was_given(session: Session) -> None:
    session.tell(LONG)
    session.compact()
    story = json.loads(session.view())["messages"]
    adopted = session.tell([*story, assistant("a")])
    never = session.tell([*LONG, assistant("a"), user("b")])
    session.post("events", messages=talk(28, 14))
    session.compact()
    behind = session.tell([*story, assistant("a"), user("b"), *talk(28, 14), user("c")])

    assert (
        len(adopted.json()["appended"])
        == len(never.json()["appended"])
        == len(behind.json()["appended"])
        == 1
    )
    assert json.loads(session.view())["messages"][-1]["content"] == "c"


def test_a_cache_mark_that_moved_on_is_no_difference(session: Session) -> None:
    def marked(text: str) -> Json:
        return {
            "role": "user",
            "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}],
        }

    session.tell([marked("a")], Format.ANTHROPIC)
    sent = session.tell([user("a"), assistant("b"), marked("c")], Format.ANTHROPIC)

    assert sent.json()["appended"] == ["m1", "m2"]


def test_what_others_did_meanwhile_is_said_to_who_wants_to_know(session: Session) -> None:
    seq = session.tell(tools(1)).json()["seq"]
    session.post("rollback", to="m1")
    late = session.post("events", messages=[user("x")], expected_seq=seq)
    undone = session.post("undo", compaction="c")

    assert (late.status_code, late.json()["code"]) == (409, "stale_log")
    assert (undone.status_code, undone.json()["code"]) == (422, "bad_event")


def test_a_mistake_in_what_is_asked_never_reaches_the_log(session: Session) -> None:
    seq = session.tell(LONG).json()["seq"]
    codes = [
        session.compact(policy="nobody").json()["code"],
        session.compact(body={}).json()["code"],
        session.compact(session_id="x").json()["code"],
        session.compact(set=["trigger.ratio=7"]).json()["code"],
    ]

    assert codes == ["bad_policy", "invalid_fields", "invalid_fields", "bad_policy"]
    assert session.get("view").json()["seq"] == seq


def test_a_fork_goes_its_own_way_and_outlives_its_parent(client: httpx.Client, session: Session) -> None:
    session.tell(LONG)
    handle = session.compact().json()["handle"]
    before, child = session.view(), Session(client, "child")
    forked = session.post("fork", session="child")
    session.post("events", messages=[user("only here")])

    assert forked.json()["session"] == "child" and child.view() == before
    assert session.post("fork", session="child").json()["code"] == "session_exists"
    assert client.delete(session.at, headers=session.headers).json()["originals"] == 0
    assert session.get("view").status_code == 404
    assert client.get(f"/v1/expand/{handle}", headers=session.headers).status_code == 200
    assert child.view() == before and child.post("undo").status_code == 200
    assert client.delete(child.at, headers=session.headers).json()["originals"] > 0
    assert client.get(f"/v1/expand/{handle}", headers=session.headers).status_code == 404


def test_a_fork_may_begin_in_the_middle(client: httpx.Client, session: Session) -> None:
    first = session.tell(tools(1)[:1]).json()
    before = session.view()
    session.tell(tools(1))
    session.post("fork", session="then", seq=first["seq"])

    assert Session(client, "then").view() == before
    assert session.post("fork", session="never", seq=99).status_code == 422


def test_two_keys_never_see_each_other(client: httpx.Client, session: Session) -> None:
    other = Session(client, key="other")
    session.tell(LONG)

    for asked in (
        other.get("view"),
        other.get("history"),
        other.get("events"),
        other.compact(),
        other.post("undo"),
    ):
        assert (asked.status_code, asked.json()["code"]) == (404, "unknown_session")
    other.tell([user("mine")])
    assert client.get("/v1/sessions", headers=other.headers).json()[0]["messages"] == 1
    assert client.delete(other.at, headers=other.headers).status_code == 200
    assert session.get("view").json()["messages"] == len(LONG)


def test_a_name_may_be_any_text_that_can_be_seen_and_is_not_too_long(client: httpx.Client) -> None:
    for name in ("%E4%BC%9A%E8%AF%9D%20%F0%9F%9A%80", "100%25", "a%3Fb%23c", "x" * 200):
        session = Session(client, name)
        assert session.tell([user(name)]).status_code == 200
        assert json.loads(session.view())["messages"] == [user(name)]


@pytest.mark.parametrize("name", ["x" * 201, "a%2Fb", "%20a", "a%20", "a%00", "a%09b", "%E2%80%AEa", "%C2%85"])
def test_what_is_no_name_is_refused_by_every_route(client: httpx.Client, name: str) -> None:
    odd = Session(client, name)
    answers = [odd.tell([user("a")]), odd.get("view"), odd.post("undo"), client.delete(odd.at)]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(422, "invalid_fields")}


def test_a_fork_needs_a_name_as_well(session: Session) -> None:
    session.tell([user("a")])

    assert session.post("fork", session="a/b").json()["errors"][0]["pointer"] == "#/session"


@pytest.mark.parametrize("id", ["", " ", "a\n", "\u0000", "x" * 201])
def test_an_id_is_a_text_that_can_be_seen(session: Session, id: str) -> None:
    refused = session.post("events", messages=[user("a")], ids=[id])

    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/ids/0")


@pytest.mark.parametrize("to", [-1, 1.5, True, None, [], {}, 2**60])
def test_a_place_that_is_none_is_said_without_our_own_words(session: Session, to: Any) -> None:
    session.tell(tools(1))
    refused = session.post("rollback", to=to)

    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"pointer": "#/to", "detail": "must be the id of a message or the number of an event"}
    ]


@pytest.mark.parametrize("headers", [{}, {"content-type": "application/json"}])
def test_where_nothing_has_to_be_said_no_body_is_needed(
    client: httpx.Client, session: Session, headers: dict[str, str]
) -> None:
    session.tell(LONG)
    before = session.view()
    session.compact()
    headers = headers | {"authorization": session.headers["authorization"]}
    undone = client.post(f"{session.at}/undo", headers=headers)

    assert undone.status_code == 200 and session.view() == before
    assert client.post(f"{session.at}/compact", headers=headers).status_code == 200
    assert client.post(f"{session.at}/rollback", headers=headers).json()["errors"][0]["pointer"] == "#/to"


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_provider_would_refuse_of_a_history_is_said_and_kept(session: Session, wire: Format) -> None:
    """The log has what happened; a call whose result is still to come is no problem."""
    session.tell(tools(1)[:-1], wire)
    whole = session.get("view").json()["problems"]
    session.client.delete(session.at, headers=session.headers)
    broken = [message for message in tools(1) if not message.get("tool_calls")]
    session.tell(broken, wire)
    problems = session.get("view").json()["problems"]

    assert whole == [] and "known_results" in [one["rule"] for one in problems]


def test_the_log_is_told_event_by_event(session: Session) -> None:
    session.tell(tools(1))
    told_of = session.get("events").json()
    session.post("events", messages=[user("more")])

    assert SessionEvents.model_validate(told_of, extra="forbid")
    assert [event["kind"] for event in told_of["events"]] == ["configured", "appended"]
    assert [event["seq"] for event in session.get("events", after=2).json()["events"]] == [3]
    assert session.get("events", after="x").json()["code"] == "invalid_fields"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"body": {"messages": [user("a")]}, "messages": []}, "invalid_fields"),
        ({}, "invalid_fields"),
        ({"messages": {"a": 1}}, "invalid_fields"),
        ({"messages": [user("a")], "ids": []}, "invalid_fields"),
        ({"body": [user("a")], "ids": ["a"]}, "invalid_fields"),
        ({"body": {"a": 1}}, "unknown_format"),
        ({"messages": [7], "format": "openai_chat"}, "bad_conversation"),
        ({"body": [user("a")], "format": "text"}, "invalid_fields"),
    ],
)
def test_what_is_no_history_begins_no_session(session: Session, fields: dict[str, Any], code: str) -> None:
    refused = session.post("events", **fields)

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert session.get("view").status_code == 404


def test_messages_cannot_change_their_wire_format(session: Session) -> None:
    session.tell(tools(1), Format.ANTHROPIC)

    assert session.send(told([*tools(1)], Format.GEMINI), format="gemini").status_code in (409, 422)


def test_a_service_that_keeps_nothing_has_no_sessions(scorer: "WordScorer") -> None:
    with service(scorer, store="none") as client:
        refused = Session(client).tell([user("a")])

        assert (refused.status_code, refused.json()["code"]) == (409, "sessions_not_kept")


def test_a_restart_keeps_everything(scorer: "WordScorer", writer: Script, tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite")
    with service(scorer, writer, store=store) as client:
        session = Session(client)
        session.tell(LONG)
        before = session.view()
        handle = session.compact().json()["handle"]
        after, seq = session.view(), session.get("view").json()["seq"]
    with service(scorer, writer, store=store) as client:
        session = Session(client)

        assert session.view() == after and session.get("view").json()["seq"] == seq
        assert client.get(f"/v1/expand/{handle}", headers=session.headers).json()["text"] == before
        assert session.post("undo").status_code == 200 and session.view() == before
