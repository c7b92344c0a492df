"""How large a request is: by rule, by tokeniser, and by what the provider counted."""

import json

import numpy as np
import pytest
from conversations import FORMATS, body_of, read_json, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, call, calls, result, system, told, user
from remembering import COUNTER

from elision.compaction.compact.estimators import ruler
from elision.compaction.compact.measure import (
    Usage,
    Window,
    estimate,
    history,
    items,
    measured,
    read_usage,
    share,
)
from elision.compaction.conversation import Conversation, Format, Role
from elision.compaction.counting import count
from elision.compaction.errors import BadBudget
from elision.compaction.formats.read import read
from elision.compaction.policies.timing import Measure

STORY = [
    system("Be brief."),
    user("fix it"),
    calls(("c1", "bash", {"command": "ls"}), ("c2", "read", {"path": "a.py"}), text="I look."),
    result("c1", "a.py b.py"),
    result("c2", "x = 1"),
    assistant("Done."),
    user("and now?"),
]
PICTURES: dict[Format, Json] = {
    Format.OPENAI_CHAT: {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64," + "A" * 40_000},
    },
    Format.OPENAI_RESPONSES: {
        "type": "input_image",
        "image_url": "data:image/png;base64," + "A" * 40_000,
    },
    Format.ANTHROPIC: {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "A" * 40_000},
    },
    Format.GEMINI: {"inlineData": {"mimeType": "image/png", "data": "A" * 40_000}},
}
RULES = ["chars4", "bytes4", "script_weighted"]


def chat(story: list[Json]) -> Conversation:
    return read(told(story, Format.OPENAI_CHAT))


def by(estimator: str, text: str) -> int:
    return ruler(Measure.model_validate({"estimator": estimator}), COUNTER).count(text)


@pytest.mark.parametrize(
    ("text", "chars4", "bytes4", "script_weighted"),
    [
        ("", 0, 0, 0),
        ("abcd", 1, 1, 1),
        ("abcde", 2, 2, 2),
        ("数据库连", 1, 3, 6),
        ("naïve", 2, 2, 3),
        ("🚀", 1, 1, 2),
        ("\ud800", 1, 1, 2),
    ],
)
def test_each_rule_counts_as_its_agent_does(
    text: str, chars4: int, bytes4: int, script_weighted: int
) -> None:
    assert [by(rule, text) for rule in RULES] == [chars4, bytes4, script_weighted]


def test_a_long_text_is_a_quarter_of_its_characters_for_gemini() -> None:
    assert (
        by("script_weighted", "数" * 100_000) == 150_000
        and by("script_weighted", "数" * 1_000_000) == 250_000
    )


@pytest.mark.law
@pytest.mark.parametrize("rule", RULES)
@given(text=st.text(alphabet=st.characters(exclude_categories=[])))
def test_a_rule_prices_a_text_as_the_sum_of_its_characters(rule: str, text: str) -> None:
    counter = ruler(Measure.model_validate({"estimator": rule}), COUNTER)
    prefix = counter.prefix(text)

    assert prefix.shape == (len(text) + 1,) and prefix[0] == 0 and prefix[-1] == counter.count(text)
    assert bool(np.all(np.diff(prefix) >= 0)) and not counter.exact


def test_a_tokeniser_counts_tools_and_system_as_well() -> None:
    tools = [{"type": "function", "function": {"name": "bash", "description": "runs a command " * 50}}]
    conversation = read(
        told(
            STORY, Format.ANTHROPIC, tools=[{"name": "bash", "description": "runs " * 50, "input_schema": {}}]
        )
    )
    counted = count(conversation, COUNTER)

    assert estimate(conversation, Measure(), COUNTER) == counted.total + counted.tools > 50
    assert estimate(read(told(STORY, Format.OPENAI_CHAT, tools=tools)), Measure(), COUNTER) > 100


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("rule", [*RULES, "tokenizer"])
def test_a_picture_costs_what_the_policy_says(format: Format, rule: str) -> None:
    picture = PICTURES[format]
    body = {Format.OPENAI_RESPONSES: "input", Format.GEMINI: "contents"}.get(format, "messages")
    parts = "parts" if format is Format.GEMINI else "content"
    conversation = read(json.dumps({body: [{"role": "user", parts: [picture]}]}), format)
    measure = Measure.model_validate({"estimator": rule, "image_tokens": 3000, "per_message": 5})

    assert estimate(conversation, measure, COUNTER) == 3005


def test_a_document_may_cost_more_than_a_picture() -> None:
    pdf = {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "A" * 400},
    }
    inside = {"type": "tool_result", "tool_use_id": "t", "content": [pdf]}
    conversation = read(json.dumps({"system": "s", "messages": [{"role": "user", "content": [pdf, inside]}]}))
    measure = Measure(per_message=0, image_tokens=100, document_tokens=25_800)

    assert estimate(conversation, measure, COUNTER) == 2 * 25_800 + 1


def test_what_came_after_the_providers_count_is_estimated() -> None:
    conversation = chat(STORY)
    later = read(told(STORY[6:], Format.OPENAI_CHAT))

    assert measured(conversation, Measure(), COUNTER, Usage(5000, 6)) == 5000 + estimate(
        later, Measure(), COUNTER
    )
    assert measured(conversation, Measure(), COUNTER, Usage(5000, 7)) == 5000


def test_what_the_last_answer_cost_is_not_what_the_next_request_costs() -> None:
    conversation = chat(STORY)

    assert measured(conversation, Measure(), COUNTER, Usage(300, 7, output=4000)) == 300


@pytest.mark.parametrize("usage", [None, Usage(5000, 8), Usage(0, 3), Usage(5000, -1)])
def test_a_count_that_cannot_be_of_this_request_is_left_out(usage: Usage | None) -> None:
    conversation = chat(STORY)

    assert measured(conversation, Measure(), COUNTER, usage) == estimate(conversation, Measure(), COUNTER)


def test_a_policy_may_trust_no_count_of_the_provider() -> None:
    conversation = chat(STORY)

    assert measured(conversation, Measure(anchor=False), COUNTER, Usage(5000, 6)) < 100


@pytest.mark.parametrize("format", FORMATS)
def test_history_is_what_the_last_turn_found(format: Format) -> None:
    conversation = read(told(STORY, format, tools=[]), format)
    found = history(conversation)

    assert (
        not found.system
        and not found.tools
        and {message.role for message in found.messages} <= {Role.USER, Role.ASSISTANT, Role.TOOL}
    )
    assert (
        items(found) == 7
        and found.messages[0].role is Role.USER
        and found.messages[-1].role is Role.ASSISTANT
    )
    assert measured(conversation, Measure(), COUNTER, Usage(9999, 1), "history") == estimate(
        found, Measure(), COUNTER
    )


def test_a_history_without_a_user_is_all_of_it() -> None:
    assert (
        len(history(chat([assistant("a"), assistant("b")])).messages) == 2 and not history(chat([])).messages
    )


@pytest.mark.law
@given(stories(), st.sampled_from(FORMATS), st.booleans())
def test_events_are_as_many_on_every_wire(story: list[Json], format: Format, thoughts: bool) -> None:
    assert items(read_json(body_of(story, format, thoughts), format)) == items(chat(story))


@pytest.mark.law
@given(stories(), st.sampled_from(FORMATS), st.sampled_from([*RULES, "tokenizer"]))
def test_a_longer_history_never_counts_less(story: list[Json], format: Format, rule: str) -> None:
    measure = Measure.model_validate({"estimator": rule})
    sizes = [
        estimate(read(told(story[:n], format), format), measure, COUNTER) for n in range(1, len(story) + 1)
    ]

    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("usage", "input", "output"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}, 10, 2),
        ({"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 8}}, 10, 2),
        (
            {
                "input_tokens": 10,
                "cache_creation_input_tokens": 5,
                "cache_read_input_tokens": 100,
                "output_tokens": 2,
            },
            115,
            2,
        ),
        ({"input_tokens": 10, "cache_read_input_tokens": None}, 10, 0),
        ({"promptTokenCount": 10, "cachedContentTokenCount": 8, "candidatesTokenCount": 2}, 10, 2),
    ],
)
def test_usage_is_read_from_every_wire(usage: dict[str, object], input: int, output: int) -> None:
    assert read_usage(usage, 3) == Usage(input, 3, output)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": "10"}, {"input_tokens": True}, {"prompt_tokens": -1}])
def test_usage_that_says_nothing_is_none(usage: dict[str, object]) -> None:
    assert read_usage(usage, 3) is None


@pytest.mark.parametrize("wrong", [(0,), (-5,), (1000, -1), (1000, 0, 0)])
def test_a_window_that_is_none_is_told(wrong: tuple[int, ...]) -> None:
    with pytest.raises(BadBudget, match=str(min(wrong))):
        Window(*wrong)


def test_a_window_leaves_room_for_the_output() -> None:
    assert Window(200_000, 32_000).usable == 168_000 and Window(200_000, 32_000, 150_000).usable == 150_000
    assert Window(4_000, 8_000).usable == 0 and Window(200_000, 0, 300_000).input == 200_000


def test_shares_do_not_lose_a_token_to_rounding() -> None:
    assert share(100, 0.29) == 29 and share(1_000_000, 0.57) == 570_000 and share(101, 0.5) == 50


def test_call_and_result_are_two_events() -> None:
    assert items(chat([user("go"), call("c", "bash", {}), result("c", "ok")])) == 3
