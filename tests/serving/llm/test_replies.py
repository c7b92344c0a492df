"""Whatever bytes come, reading them ends in a reply or in a name for what they are."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.summary.types import Failure, Finish, SummaryReply
from elision.serving.llm.failing import Failed, asked_wait, from_status
from elision.serving.llm.replies import Reader, read_anthropic, read_openai, well_formed

READERS = pytest.mark.parametrize("read", [read_openai, read_anthropic])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "type", "text", "usage", "error", "code", "finish_reason"]
                + ["stop_reason", "prompt_tokens", "input_tokens", "tool_calls", "refusal"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@pytest.mark.law
@READERS
@given(body=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_reply_or_named(read: Reader, body: bytes) -> None:
    outcome = read(body)

    assert isinstance(outcome, SummaryReply | Failed)
    if isinstance(outcome, SummaryReply):
        outcome.text.encode("utf-8")
        assert outcome.input_tokens >= 0 and outcome.output_tokens >= 0


@pytest.mark.law
@given(
    status=st.integers(100, 999), body=st.binary(), headers=st.dictionaries(st.just("retry-after"), st.text())
)
def test_any_refusal_is_named_and_any_wait_is_finite(
    status: int, body: bytes, headers: dict[str, str]
) -> None:
    failed = from_status(status, headers, body, now=0.0)

    assert len(failed.detail) < 400 and failed.detail.isprintable()
    assert failed.retry_after is None or 0 <= failed.retry_after <= 86_400


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, 86_400.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "Thu, 01 Jan 1970 00:01:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 0.0),
    ],
)
def test_a_wait_is_read_from_numbers_and_dates(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, now=60.0) == seconds


def choice(message: Any, finish: Any = "stop") -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}]}).encode()


@pytest.mark.parametrize(
    ("message", "finish", "text", "ends"),
    [
        ({"content": "a"}, "stop", "a", Finish.STOP),
        ({"content": "a"}, "eos", "a", Finish.STOP),
        ({"content": "a"}, None, "a", Finish.OTHER),
        ({"content": "a"}, 5, "a", Finish.OTHER),
        ({"content": "a"}, "MAX_TOKENS", "a", Finish.LENGTH),
        ({"content": "a", "refusal": "no"}, "stop", "a", Finish.REFUSAL),
        ({"content": None, "refusal": "no"}, "stop", "no", Finish.REFUSAL),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            "stop",
            "ab",
            Finish.STOP,
        ),
        ({"content": "", "tool_calls": [{}]}, "stop", "", Finish.TOOL_CALL),
        ({"content": "a", "tool_calls": []}, "stop", "a", Finish.STOP),
        ({"content": None, "reasoning_content": "hm"}, "length", "", Finish.LENGTH),
        ({}, "function_call", "", Finish.TOOL_CALL),
    ],
)
def test_a_completion_is_read_as_servers_vary_it(message: Any, finish: Any, text: str, ends: Finish) -> None:
    assert read_openai(choice(message, finish)) == SummaryReply(text, ends)


@pytest.mark.parametrize(
    ("content", "reason", "text", "ends"),
    [
        ([], "end_turn", "", Finish.STOP),
        (
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}],
            "end_turn",
            "a",
            Finish.STOP,
        ),
        ([{"type": "text", "text": "a"}], "model_context_window_exceeded", "a", Finish.LENGTH),
        ([{"type": "text", "text": "a"}], "pause_turn", "a", Finish.OTHER),
        ([{"type": "text", "text": "a"}], "stop_sequence", "a", Finish.STOP),
        ([{"type": "text", "text": "a"}], "refusal", "a", Finish.REFUSAL),
        ([{"type": "tool_use"}], "tool_use", "", Finish.TOOL_CALL),
    ],
)
def test_a_message_is_read_without_its_thinking(content: Any, reason: str, text: str, ends: Finish) -> None:
    assert read_anthropic(json.dumps({"content": content, "stop_reason": reason}).encode()) == SummaryReply(
        text, ends
    )


def test_what_was_read_from_a_cache_counts_as_input() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": None,
        "output_tokens": 3,
    }

    reply = read_anthropic(json.dumps({"content": [], "stop_reason": "end_turn", "usage": usage}).encode())

    assert reply == SummaryReply("", Finish.STOP, 15, 3)


def test_a_provider_that_breaks_off_behind_a_gateway_is_unavailable() -> None:
    broken = read_openai(choice({"content": "half"}, "error"))

    assert isinstance(broken, Failed) and broken.failure is Failure.UNAVAILABLE


def test_pairs_of_surrogates_become_one_letter_and_halves_are_replaced() -> None:
    assert (
        well_formed("\ud83d\ude42 \ud83d x \ude42")
        == "🙂 \N{REPLACEMENT CHARACTER} x \N{REPLACEMENT CHARACTER}"
    )
