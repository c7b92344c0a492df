"""The contract of Headroom's clients, as LiteLLM's guardrail uses it."""

import json
from typing import Any

import httpx
import pytest
from messages import call, result, told, user

from elision.compaction.conversation import Format


@pytest.fixture
def messages(log_text: str) -> list[dict[str, Any]]:
    story = [user("find the fault"), call("c1", "bash", {"command": "make"}), result("c1", log_text)]
    return list(json.loads(told(story, Format.OPENAI_CHAT))["messages"])


def test_messages_come_back_as_many_in_order_and_with_their_roles(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    answer = client.post("/v1/compress", json={"messages": messages, "model": "gpt-5", "config": {"mode": "ccr"}}).json()

    assert [m["role"] for m in answer["messages"]] == [m["role"] for m in messages]
    assert answer["tokens_saved"] == answer["tokens_before"] - answer["tokens_after"] > 0
    assert answer["compression_ratio"] == round(answer["tokens_after"] / answer["tokens_before"], 4)
    assert answer["transforms_applied"] and answer["messages"][:2] == messages[:2]


def test_a_hash_stands_in_the_text_and_brings_the_original_back(client: httpx.Client, messages: list[dict[str, Any]], log_text: str) -> None:
    answer = client.post("/v1/compress", json={"messages": messages, "config": {"mode": "ccr"}}).json()
    (digest,) = answer["ccr_hashes"]

    assert digest in answer["messages"][2]["content"]
    assert client.get(f"/v1/retrieve/{digest.upper()}").json()["original_content"] == log_text


def test_without_ccr_no_hash_is_promised(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    answer = client.post("/v1/compress", json={"input": messages}).json()

    assert answer["ccr_hashes"] == [] and "original:" not in answer["messages"][2]["content"]


def test_results_without_their_calls_are_shortened_too(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    """LiteLLM holds every assistant message back."""
    answer = client.post("/v1/compress", json={"messages": [messages[0], messages[2]]}).json()

    assert answer["tokens_after"] < answer["tokens_before"] and answer["messages"][1]["tool_call_id"] == "c1"


def test_the_bypass_header_gives_every_byte_back(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    body = json.dumps({"messages": messages}, indent=1)
    response = client.post("/v1/compress", content=body, headers={"content-type": "application/json", "x-headroom-bypass": "true"})

    assert response.json()["messages"] == messages and response.json()["skip_reason"] == "bypass"


def test_frozen_and_recent_messages_stay(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    for config in ({"frozen_message_count": 3}, {"protect_recent": 1}):
        assert client.post("/v1/compress", json={"messages": messages, "config": config}).json()["messages"] == messages


def test_a_token_budget_is_for_all_together(client: httpx.Client, messages: list[dict[str, Any]]) -> None:
    assert client.post("/v1/compress", json={"messages": messages, "token_budget": 150}).json()["tokens_after"] <= 150


@pytest.mark.parametrize("body", [{}, {"messages": 3}, {"messages": [], "config": {"target_ratio": 7}}, []])
def test_mistakes_have_the_shape_its_clients_read(client: httpx.Client, body: object) -> None:
    response = client.post("/v1/compress", json=body)

    assert response.status_code == 422 and set(response.json()["error"]) == {"type", "message"}


def test_a_hash_nobody_knows_is_not_found(client: httpx.Client) -> None:
    for digest in ("0" * 24, "xyz"):
        response = client.get(f"/v1/retrieve/{digest}")

        assert response.status_code == 404 and response.json()["error"]["type"] == "unknown_handle"
