"""A converted transcript must be what a provider would have accepted, or nothing is proved by it."""

import json
from typing import Any

import pytest

from elision.compaction.conversation import Format
from elision.training.audits.convert import NOT_RECORDED, Request, convert
from elision.training.audits.spelling import SPELLINGS

FORMATS = [format for format in Format if format is not Format.TEXT]
SEEDS = [str(seed) for seed in range(12)]  # enough for every spelling and shape to be drawn


def call(key: str, name: str = "bash", arguments: str = '{"command": "ls </tmp>"}') -> dict[str, Any]:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


def agent(text: str | None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def result(key: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "content": text, "name": "bash"}


TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is wrong? é \u2028 😀"},
    agent("I look."),
    agent("Twice.", call("c1"), call("c2", "read.file", '{"path": "a/b"}')),
    result("c1", "a\n<b> & c/d\n"),
    result("c2", ""),
    agent(None, call("c3")),
    result("c3", "lone \ud800 surrogate"),
    {"role": "user", "content": "And?"},
    agent("Nothing."),
]


def written(format: Format, seed: str = "0", talk: list[dict[str, Any]] = TALK) -> Request:
    return convert(talk, format, seed=seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("format", FORMATS)
def test_a_body_is_json_can_be_encoded_and_is_the_same_each_time(format: Format, seed: str) -> None:
    body = written(format, seed).body()

    assert json.loads(body.encode())
    assert body == written(format, seed).body()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("format", FORMATS)
def test_a_shorter_request_is_the_beginning_of_a_longer_one(format: Format, seed: str) -> None:
    request = written(format, seed)
    whole = request.beginning(request.body())

    for end in request.ends:
        assert json.loads(request.body(end))
        assert whole.startswith(request.beginning(request.body(end)))


@pytest.mark.parametrize(
    ("format", "ends"),
    [
        (Format.OPENAI_CHAT, (1, 2, 6, 8, 9)),
        (Format.OPENAI_RESPONSES, (1, 7, 9, 10)),
        (Format.ANTHROPIC, (1, 4, 6, 7)),
        (Format.GEMINI, (1, 3, 5, 6)),
    ],
)
def test_a_request_ends_where_no_call_waits_and_the_model_is_to_speak(format: Format, ends: tuple[int, ...]) -> None:
    assert written(format).ends == ends


def test_anthropic_has_all_results_of_a_turn_in_the_message_after_it() -> None:
    body = json.loads(written(Format.ANTHROPIC).body())
    uses, answers = body["messages"][2], body["messages"][3]

    assert [block["type"] for block in uses["content"]] == ["text", "tool_use", "tool_use"]
    assert uses["content"][1]["input"] == {"command": "ls </tmp>"}
    assert answers["role"] == "user"
    assert [block["tool_use_id"] for block in answers["content"]] == ["c1", "c2"]
    assert answers["content"][1]["content"] == ""
    assert {tool["name"] for tool in body["tools"]} == {"bash", "read_file"}


def test_gemini_answers_all_calls_of_a_turn_in_one_content_and_merges_what_the_model_says_in_a_row() -> None:
    contents = json.loads(written(Format.GEMINI).body())["contents"]

    assert [content["role"] for content in contents] == ["user", "model", "user", "model", "user", "user", "model"]
    assert [next(iter(part)) for part in contents[1]["parts"]] == ["text", "text", "functionCall", "functionCall"]
    assert [part["functionResponse"]["response"] for part in contents[2]["parts"]] == [
        {"output": "a\n<b> & c/d\n"},
        {"output": ""},
    ]


def test_responses_has_calls_and_results_as_items() -> None:
    body = json.loads(written(Format.OPENAI_RESPONSES).body())
    items = [item.get("type", "message") for item in body["input"]]

    assert body["instructions"] == "Be brief."
    assert items[2:7] == ["message", "function_call", "function_call", "function_call_output", "function_call_output"]
    assert body["input"][3]["arguments"] == '{"command": "ls </tmp>"}'


@pytest.mark.parametrize("format", [Format.ANTHROPIC, Format.GEMINI])
def test_the_user_speaks_first_where_that_is_the_rule(format: Format) -> None:
    request = written(format, talk=[agent("Hello."), {"role": "user", "content": "Hi."}])
    body = json.loads(request.body())

    assert (body.get("messages") or body["contents"])[0]["role"] == "user"
    assert request.repairs == {"first turn": 1}


def test_what_is_illegal_is_repaired_with_the_least_change_and_counted() -> None:
    talk = [
        {"role": "user", "content": "Go."},
        result("c0", "whose?"),
        agent(None, call("c1")),
        agent("  "),
        agent(None, call("c2", "a.b")),
    ]

    request = written(Format.OPENAI_CHAT, talk=talk)

    assert request.repairs == {
        "result without call": 1,
        "call without result": 2,
        "empty message": 1,
        "tool name": 1,
    }
    messages = json.loads(request.body())["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert NOT_RECORDED in json.dumps(messages[2])


def test_arguments_that_are_no_object_stand_in_one_where_the_format_wants_it() -> None:
    talk = [{"role": "user", "content": "Go."}, agent(None, call("c1", arguments="not json")), result("c1", "x")]

    body = json.loads(written(Format.ANTHROPIC, talk=talk).body())

    assert body["messages"][1]["content"][0]["input"] == {"arguments": "not json"}


def test_given_tools_are_kept_and_not_changed() -> None:
    tool = {"type": "function", "function": {"name": "bash", "description": "d", "parameters": {"type": "object"}}}

    body = json.loads(convert(TALK, Format.OPENAI_CHAT, tools=[tool], seed="0").body())

    assert tool in body["tools"]
    assert tool["function"] == {"name": "bash", "description": "d", "parameters": {"type": "object"}}


def test_every_spelling_reads_back_as_the_same_value_and_no_two_look_alike() -> None:
    value = {"a": ["</x> & é/😀\u2028\ud800", 1.0, None], "b": {}}
    texts = [spelling.write(value) for spelling in SPELLINGS]

    assert [json.loads(text) for text in texts] == [value] * len(texts)
    assert len(set(texts)) == len(texts)
