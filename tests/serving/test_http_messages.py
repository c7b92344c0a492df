"""`POST /v1/compress/messages`, `/v1/count`, `/v1/validate` on a real server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anthropic
import httpx
import pytest
from google.genai import types as gemini
from messages import assistant, call, result, told, user
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputParam
from pydantic import TypeAdapter

from elision.compaction.conversation import Format
from elision.serving.message_schemas import CompressedMessagesReport, Counted, Validated

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Serve = Callable[..., httpx.Client]
ROUTE = "/v1/compress/messages"
WIRES = [Format.OPENAI_CHAT, Format.OPENAI_RESPONSES, Format.ANTHROPIC, Format.GEMINI]


@pytest.fixture
def story(log_text: str) -> list[dict[str, Any]]:
    return [
        user("find the fault"),
        call("c1", "bash", {"command": "make"}),
        result("c1", log_text),
        call("c2", "bash", {"command": "df"}),
        result("c2", log_text.replace("step", "stage")),
    ]


def post(client: httpx.Client, body: str, **options: Any) -> httpx.Response:
    spelled = json.dumps(options)
    content = f'{{"body":{body}{"," + spelled[1:-1] if options else ""}}}'
    return client.post(ROUTE, content=content, headers={"content-type": "application/json"})


def body_of(response: httpx.Response, body: str) -> str:
    """The body of an answer as it is spelled."""
    assert response.text.startswith('{"body":')
    return response.text.removeprefix('{"body":')[: response.text.index(',"format"') - len('{"body":')]


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_comes_back_shorter_in_its_own_wire_format(
    client: httpx.Client, story: list[dict[str, Any]], wire: Format
) -> None:
    answer = post(client, told(story, wire), keep_ratio=0.4).json()

    assert answer["format"] == wire and answer["changed"] and answer["tokens_after"] < 0.6 * answer["tokens_before"]
    assert CompressedMessagesReport.model_validate(answer, extra="forbid")


@pytest.mark.parametrize("wire", WIRES)
def test_keep_ratio_one_gives_every_byte_back(client: httpx.Client, story: list[dict[str, Any]], wire: Format) -> None:
    body = json.dumps(json.loads(told(story, wire, n=1.0)), indent=3)

    assert body_of(post(client, body, keep_ratio=1), body) == body


def test_the_sdks_take_what_comes_back(client: httpx.Client, story: list[dict[str, Any]]) -> None:
    def shorter(wire: Format, name: str) -> Any:
        return post(client, told(story, wire), keep_ratio=0.4).json()["body"][name]

    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(shorter(Format.OPENAI_CHAT, "messages"))
    TypeAdapter(ResponseInputParam).validate_python(shorter(Format.OPENAI_RESPONSES, "input"))
    TypeAdapter(list[anthropic.types.MessageParam]).validate_python(shorter(Format.ANTHROPIC, "messages"))
    TypeAdapter(list[gemini.Content]).validate_python(shorter(Format.GEMINI, "contents"))


def test_what_was_sent_keeps_its_bytes_when_the_conversation_goes_on(
    client: httpx.Client, story: list[dict[str, Any]]
) -> None:
    first = post(client, told(story[:3], Format.OPENAI_CHAT)).json()["body"]["messages"]
    later = post(client, told(story, Format.OPENAI_CHAT)).json()["body"]["messages"]

    assert later[:3] == first


def test_shadow_mode_accounts_for_everything_and_changes_nothing(client: httpx.Client, story: list[dict[str, Any]]) -> None:
    body = told(story, Format.ANTHROPIC)
    response = post(client, body, shadow=True)

    assert body_of(response, body) == body
    assert response.json()["tokens_saved"] > 0 and response.json()["reason"] == "shadow"
    assert body_of(post(client, body, keep_ratio=1), body) == body


def test_originals_come_back_by_handle_to_their_owner_alone(client: httpx.Client, story: list[dict[str, Any]], log_text: str) -> None:
    mine = {"authorization": "Bearer mine"}
    answer = client.post(ROUTE, json={"body": json.loads(told(story, Format.OPENAI_CHAT))}, headers=mine).json()
    handle = next(leaf["handle"] for leaf in answer["leaves"] if leaf["changed"])

    assert client.get(f"/v1/expand/{handle}", headers=mine).json()["text"] == log_text
    assert client.get(f"/v1/expand/{handle}", headers={"x-api-key": "other"}).status_code == 404


def test_history_mode_brings_the_whole_under_a_limit(client: httpx.Client, story: list[dict[str, Any]]) -> None:
    answer = post(client, told(story, Format.OPENAI_CHAT), mode="history", total_tokens=400).json()

    assert answer["tokens_after"] <= 400 and answer["target_met"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"mode": "history"}, "unknown_context_window", "context_window"),
        ({"mode": "history", "total_tokens": 350_000, "context_window": 272_000}, "bad_budget", "272000"),
        ({"total_tokens": 100}, "invalid_fields", "mode history"),
        ({"keep_ratio": 0}, "invalid_fields", "keep_ratio"),
        ({"tool_rules": {"bash": "sometimes"}}, "invalid_fields", "bash"),
        ({"keep_ratios": 0.3}, "invalid_fields", "keep_ratios"),
        ({"format": "gemini"}, "bad_conversation", "contents"),
        ({"keep_tags": ["a b"]}, "invalid_fields", "keep_tags"),
    ],
)
def test_a_mistake_is_said_where_it_is(
    client: httpx.Client, story: list[dict[str, Any]], options: dict[str, Any], code: str, said: str
) -> None:
    response = post(client, told(story, Format.OPENAI_CHAT), **options)

    assert response.status_code == 422
    assert response.json()["code"] == code and said in response.text


def test_what_cannot_be_reduced_is_refused_with_its_size(client: httpx.Client) -> None:
    tools = [{"type": "function", "function": {"name": "bash", "description": "runs a command " * 300}}]
    body = told([user("x")], Format.OPENAI_CHAT, tools=tools)
    response = post(client, body, mode="history", total_tokens=300, count_tools=True)

    assert response.json()["code"] == "not_reducible" and "921" in response.json()["detail"]


def test_a_body_is_pointed_into(client: httpx.Client) -> None:
    response = post(client, '{"messages":[{"role":"user","content":"x"},7]}')

    assert response.status_code == 422 and response.json()["errors"][0]["pointer"] == "#/body/messages/1"


@pytest.mark.parametrize("content", ["", "{", '{"body": tru}', "[]", '{"body":{},"body":{}}', "7"])
def test_what_is_no_envelope_is_refused(client: httpx.Client, content: str) -> None:
    response = client.post(ROUTE, content=content, headers={"content-type": "application/json"})

    assert response.status_code in (400, 422) and response.headers["content-type"] == "application/problem+json"


def test_time_over_sends_the_original_and_says_so(serve: Serve, scorer: Any, story: list[dict[str, Any]]) -> None:
    import time

    scorer.before = lambda: time.sleep(0.3)
    client = serve(scorer, deadline_seconds=0.05)
    body = told(story, Format.OPENAI_CHAT)
    late = post(client, body)
    scorer.before = lambda: None
    again = post(client, told([*story, assistant("ok")], Format.OPENAI_CHAT))

    assert body_of(late, body) == body and {leaf["reason"] for leaf in late.json()["leaves"]} == {"role", "deadline"}
    assert not again.json()["changed"]


def test_a_request_is_counted_by_its_parts(client: httpx.Client, story: list[dict[str, Any]]) -> None:
    tools = [{"type": "function", "function": {"name": "bash", "description": "runs a command " * 20}}]
    body = json.loads(told(story, Format.OPENAI_CHAT, tools=tools))
    whole, without = (client.post("/v1/count", json={"body": body, "count_tools": asked}).json() for asked in (True, False))

    assert Counted.model_validate(whole, extra="forbid")
    assert whole["tokens"] - without["tokens"] == whole["tools"] > 60
    assert whole["tokens"] == sum(whole["messages"]) + whole["tools"]


def test_a_broken_request_is_told_what_is_wrong_and_mended_when_asked(client: httpx.Client, story: list[dict[str, Any]]) -> None:
    broken = told([*story[:2], user("are you there?")], Format.OPENAI_CHAT)
    found = client.post("/v1/validate", json={"body": json.loads(broken)}).json()
    mended = post(client, broken, repair=True).json()

    assert Validated.model_validate(found, extra="forbid") and not found["valid"]
    assert mended["repairs"] and client.post("/v1/validate", json={"body": mended["body"]}).json()["valid"]


def test_the_command_line_says_the_same(
    client: httpx.Client, elision: "Callable[..., Ran]", story: list[dict[str, Any]], tmp_path: Path
) -> None:
    body = told(story, Format.ANTHROPIC)
    (tmp_path / "messages.json").write_text(body)
    ran = elision("compress", tmp_path / "messages.json", "--json", "--keep-ratio", 0.4, "--set", 'tool_rules={"df*": "never"}')

    assert ran.code == 0
    assert json.loads(ran.out) == post(client, body, keep_ratio=0.4, tool_rules={"df*": "never"}).json()


def test_the_command_line_writes_the_body_and_gives_originals_back(
    elision: "Callable[..., Ran]", story: list[dict[str, Any]], tmp_path: Path, log_text: str
) -> None:
    (tmp_path / "messages.json").write_text(told(story, Format.OPENAI_CHAT))
    plain = elision("compress", tmp_path / "messages.json")
    answer = json.loads(elision("compress", tmp_path / "messages.json", "--json").out)
    handle = next(leaf["handle"] for leaf in answer["leaves"] if leaf["changed"])

    assert json.loads(plain.out) == answer["body"]
    assert elision("expand", handle).out == log_text
    assert "ERROR" in elision("expand", handle, "--grep", "ERROR").out


def test_json_that_is_no_request_is_a_text(elision: "Callable[..., Ran]", tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text('{"messages": ["a", "b"], "n": 1}')

    assert "text" in json.loads(elision("compress", tmp_path / "data.json", "--json").out)


@pytest.mark.parametrize("option", ["mode", "=3", "mode=sideways", "total_tokens=5"])
def test_an_option_that_is_none_is_refused(elision: "Callable[..., Ran]", story: list[dict[str, Any]], tmp_path: Path, option: str) -> None:
    (tmp_path / "messages.json").write_text(told(story, Format.OPENAI_CHAT))
    ran = elision("compress", tmp_path / "messages.json", "--set", option)

    assert ran.code == 2 and ran.out == "" and "Traceback" not in ran.err
