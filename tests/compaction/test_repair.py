"""A repair mends what is broken with the fewest edits, and touches nothing that is not."""

import json
from typing import Any

import pytest
from conversations import FORMATS, LISTS, body_of, listed, read_json, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, call, calls, result, user

from elision.compaction.conversation import Conversation, Format
from elision.compaction.cuts import validate
from elision.compaction.formats.read import read
from elision.compaction.repair import repaired

CHAT, RESPONSES, ANTHROPIC, GEMINI = Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI
IDLE = {"type": "reasoning", "id": "rs_9", "summary": []}
COMPACTED = {"type": "compaction", "id": "cmp_9", "encrypted_content": "b3A="}
# A user message may go with the result in it, and then two messages of the model meet in Gemini.
_NOT_COVERED = {"roles"}


def mended(format: Format, messages: list[Json]) -> tuple[list[Json], list[str]]:
    """The messages after the repair, and what was done."""
    raw, done = repaired(read_json({LISTS[format]: messages}, format))
    found: list[Json] = json.loads(raw)[LISTS[format]]
    return found, done


def uncovered(conversation: Conversation) -> set[str]:
    return {problem.rule for problem in validate(conversation)} - _NOT_COVERED


@st.composite
def broken_bodies(draw: st.DrawFn, format: Format) -> str:
    """A valid body of which some messages and blocks went, came twice, or were joined by what is refused."""
    body = body_of(draw(stories()), format, draw(st.booleans()))
    for _ in range(draw(st.integers(1, 4))):
        messages = listed(body, format)
        if not messages:
            break
        at = draw(st.integers(0, len(messages) - 1))
        inner = messages[at].get("content", messages[at].get("parts"))
        if isinstance(inner, list) and inner and draw(st.booleans()):
            messages, at = inner, draw(st.integers(0, len(inner) - 1))
        _break(draw, messages, at, format)
    return json.dumps(body, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))


def _break(draw: st.DrawFn, messages: list[Json], at: int, format: Format) -> None:
    is_result = {"tool_call_id", "tool_use_id", "output", "functionResponse"} & messages[at].keys()
    match draw(st.sampled_from(["drop", "double", "empty", "half"])):
        case "drop":
            del messages[at]
        case "double" if is_result:
            messages.insert(at, messages[at])
        case "empty" if messages[at].get("type") == "text":
            messages.insert(at, {"type": "text", "text": ""})
        case "empty" if format is RESPONSES:
            messages.insert(at, draw(st.sampled_from([IDLE, COMPACTED])))
        case "half" if messages[at].get("text"):
            messages[at]["text"] = "\ud83d…"


@pytest.mark.parametrize("format", FORMATS)
@given(story=stories(), thoughts=st.booleans())
def test_a_valid_body_comes_back_as_it_is(format: Format, story: list[Json], thoughts: bool) -> None:
    conversation = read_json(body_of(story, format, thoughts), format)

    assert repaired(conversation) == (conversation.raw, [])


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_after_a_repair_nothing_of_its_kinds_is_left_to_repair(format: Format, data: st.DataObject) -> None:
    conversation = read(data.draw(broken_bodies(format)), format)

    raw, _ = repaired(conversation)

    again = read(raw, format)
    assert uncovered(again) == set()
    assert repaired(again) == (raw, [])


def test_a_call_left_behind_gets_a_result_that_says_so_in_chat() -> None:
    left = calls(("a", "read", {}), ("b", "read", {}))
    messages, done = mended(CHAT, [user("go"), left, result("b", "ok"), user("so?")])

    assert [message.get("tool_call_id") for message in messages] == [None, None, "a", "b", None]
    assert "interrupted" in messages[2]["content"]
    assert done == ["Answered call 'a' of message 1, which had no result."]


def test_a_call_left_behind_is_answered_before_the_users_words_in_anthropic() -> None:
    body = body_of([user("go"), call("c1", "bash", {}), user("still there?")], ANTHROPIC)
    messages, _ = mended(ANTHROPIC, body["messages"])

    answer, said = messages[2]["content"]
    assert (answer["type"], answer["tool_use_id"], answer["is_error"]) == ("tool_result", "c1", True)
    assert said == {"type": "text", "text": "still there?"}


def test_a_call_left_behind_joins_the_other_responses_in_gemini() -> None:
    story = [user("go"), calls(("a", "read", {}), ("b", "read", {})), result("b", "ok"), user("so?")]
    messages, _ = mended(GEMINI, body_of(story, GEMINI)["contents"])

    assert [part["functionResponse"]["id"] for part in messages[2]["parts"]] == ["a", "b"]
    assert len(messages) == 4


def test_a_call_left_behind_gets_an_output_of_its_type_in_responses() -> None:
    left = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "x"}
    messages, _ = mended(RESPONSES, [left, user("so?")])

    assert (messages[1]["type"], messages[1]["call_id"]) == ("custom_tool_call_output", "c1")


def test_a_call_that_no_text_can_answer_goes_and_its_reasoning_too() -> None:
    click = {"type": "computer_call", "call_id": "c1", "action": {}}
    messages, done = mended(RESPONSES, [user("go"), IDLE, click, user("so?")])

    assert messages == [user("go"), user("so?")]
    assert len(done) == 2


def test_the_only_function_of_old_chat_is_answered_by_name() -> None:
    left = {"role": "assistant", "content": None, "function_call": {"name": "bash", "arguments": "{}"}}
    messages, _ = mended(CHAT, [left, user("so?")])

    assert (messages[1]["role"], messages[1]["name"]) == ("function", "bash")


def test_an_open_call_is_not_answered_for_the_client() -> None:
    story = [user("go"), call("c1", "bash", {})]

    assert mended(CHAT, story) == (story, [])


def test_results_without_a_call_go_with_the_message_that_held_no_more() -> None:
    stray = {"type": "tool_result", "tool_use_id": "t9", "content": "x"}
    said = {"type": "text", "text": "go"}
    messages, done = mended(
        ANTHROPIC, [{"role": "user", "content": [stray, stray]}, {"role": "user", "content": [stray, said]}]
    )

    assert messages == [{"role": "user", "content": [said]}]
    assert len(done) == 2


def test_of_doubled_results_the_first_stays() -> None:
    messages, done = mended(CHAT, [call("c1", "bash", {}), result("c1", "first"), result("c1", "second")])

    assert [message["content"] for message in messages[1:]] == ["first"]
    assert done == ["Removed result 'c1' of message 2: it was there already."]


def test_what_an_opaque_compaction_item_replaces_goes() -> None:
    messages, _ = mended(RESPONSES, [user("old"), COMPACTED | {"id": "cmp_0"}, COMPACTED, user("new")])

    assert messages == [COMPACTED, user("new")]


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("", "(no output)"),
        ([{"type": "text", "text": ""}], [{"type": "text", "text": "(no output)"}]),
        ([{"type": "text", "text": ""}, {"type": "text", "text": "x"}], [{"type": "text", "text": "x"}]),
        ([{"type": "text", "text": "x"}, {"type": "text", "text": ""}], [{"type": "text", "text": "x"}]),
        ([{"type": "text", "text": ""}, {"type": "text", "text": ""}], [{"type": "text", "text": "(no output)"}]),
    ],
)  # fmt: skip
def test_empty_texts_go_and_the_only_one_says_that_it_was_empty(content: Any, left: Any) -> None:
    messages, done = mended(ANTHROPIC, [{"role": "user", "content": content}])

    assert messages == [{"role": "user", "content": left}]
    assert done


@pytest.mark.parametrize("content", [{"content": ""}, {"content": []}, {"content": None}, {}])
def test_a_silent_result_says_so(content: Json) -> None:
    made = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {}}]}
    silent = {"type": "tool_result", "tool_use_id": "t1"} | content
    messages, _ = mended(ANTHROPIC, [user("go"), made, {"role": "user", "content": [silent]}])

    assert messages[2]["content"][0]["content"] == "(no output)"


def test_a_message_of_nothing_goes() -> None:
    assert mended(CHAT, [user("go"), {"role": "assistant", "content": None}])[0] == [user("go")]


def test_half_a_pair_is_replaced_and_all_other_escapes_stay() -> None:
    raw = r'{"messages": [ {"role":"user","content":"\ud83d\ude80 \ud83d… \\ud83d \u00e9 \/"} ]}'

    assert repaired(read(raw, CHAT))[0] == raw.replace(r" \ud83d…", r" \ufffd…")


def test_what_is_not_named_stays_character_for_character() -> None:
    raw = '{ "messages" : [\n {"role":"user", "content":"\\u00e9"} ,\n {"tool_call_id":"x","role":"tool","content":""} ,\n\t{"role":"user","content":1.0e3} ]\n}'
    raw = raw.replace("1.0e3", '"b", "n":1.0e3')

    assert repaired(read(raw, CHAT))[0] == raw.replace('{"tool_call_id":"x","role":"tool","content":""} ,\n\t', "")


def test_a_body_inside_a_document_is_repaired_in_its_place() -> None:
    body = {"messages": [user("go"), result("c9", "x")]}
    raw, _ = repaired(read(json.dumps({"params": body, "messages": 1}), CHAT, "/params"))

    assert json.loads(raw) == {"params": {"messages": [user("go")]}, "messages": 1}


def test_a_bare_list_is_repaired_too() -> None:
    raw, _ = repaired(read_json([user("go"), result("c9", "x")], CHAT))

    assert json.loads(raw) == [user("go")]


def test_plain_text_is_left_alone() -> None:
    assert repaired(read(r"\ud83d", Format.TEXT)) == (r"\ud83d", [])
