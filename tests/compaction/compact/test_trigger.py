"""When there is something to do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, told, user

from elision.compaction.compact.measure import Window
from elision.compaction.compact.trigger import FORCED, Cause, Reason, full_at, triggered, triggers_at
from elision.compaction.conversation import Conversation, Format
from elision.compaction.errors import BadPolicy
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load, names
from elision.compaction.policies.schema import CompactionPolicy

WINDOW = Window(10_000)


def policy(percent: float = 100, **trigger: Any) -> CompactionPolicy:
    return CompactionPolicy.model_validate(
        {"name": "x", "version": "1", "title": "x", "trigger": trigger, "measure": {"percent": percent}}
    )


def chat(story: list[Json]) -> Conversation:
    return read(told(story, Format.OPENAI_CHAT))


SHORT = chat([user("hello")])


@pytest.mark.parametrize(
    ("trigger", "at"),
    [
        ({}, None),
        ({"ratio": 0.8}, 8_000),
        ({"remaining": 1_000}, 9_000),
        ({"remaining": 20_000}, 0),
        ({"absolute": 5_000}, 5_000),
        ({"absolute": 10_000}, 10_000),
        ({"absolute_share": 0.5, "absolute_min": 6_000}, 6_000),
        ({"absolute_share": 0.5, "absolute_max": 4_000}, 4_000),
        ({"absolute_share": 0.1, "absolute_min": 50_000}, 10_000),
        ({"ratio": 0.8, "remaining": 1_000}, 8_000),
        ({"ratio": 0.8, "remaining": 1_000, "combine": "last"}, 9_000),
        ({"ratio": 0.8, "remaining": 1_000, "dual_at": 10_000}, 8_000),
        ({"ratio": 0.8, "remaining": 1_000, "dual_at": 9_999}, 9_000),
        ({"ratio": 0.8, "remaining": 1_000, "dual_at": 9_999, "absolute": 500}, 500),
        ({"reserve_output": True}, 10_000),
        ({"reserve_output": True, "assumed_output": 2_000}, 8_000),
        ({"reserve_output": True, "assumed_output": 32_000}, 7_500),
        ({"ratio": 0.8, "messages": 5}, 8_000),
        ({"messages": 5}, None),
        ({"always": True}, None),
    ],
)
def test_points_become_one_number(trigger: dict[str, Any], at: int | None) -> None:
    assert triggers_at(policy(**trigger), WINDOW) == at


def test_the_window_is_the_models_input_limit_where_it_has_one() -> None:
    assert triggers_at(policy(ratio=0.5), Window(10_000, input_limit=6_000)) == 3_000


@pytest.mark.parametrize(("tokens", "at"), [(128_000, 102_400), (200_000, 160_000), (1_000_000, 980_000)])
def test_a_share_of_small_windows_and_a_reserve_in_large_ones(tokens: int, at: int) -> None:
    assert triggers_at(policy(ratio=0.8, remaining=20_000, dual_at=200_000), Window(tokens)) == at


def test_an_output_that_is_known_is_the_one_that_is_reserved() -> None:
    one = policy(reserve_output=True, assumed_output=2_000, reserve_cap=1_000)

    assert triggers_at(one, Window(10_000, max_output=500)) == 9_500
    assert triggers_at(one, Window(10_000, max_output=500, input_limit=6_000)) == 5_500
    assert triggers_at(one, Window(10_000, input_limit=6_000)) == 5_000


def test_nothing_waits_for_more_than_may_be_filled() -> None:
    assert triggers_at(policy(95, ratio=1.0), WINDOW) == 9_500


def test_a_limit_over_the_window_is_told_with_both_numbers() -> None:
    with pytest.raises(BadPolicy, match="trigger.absolute is 350000, the window takes 272000 tokens"):
        triggers_at(policy(absolute=350_000), Window(272_000))


@pytest.mark.parametrize(("over", "tokens"), [(False, 8_000), (True, 8_001)])
def test_a_point_is_where_it_acts_or_what_it_still_allows(over: bool, tokens: int) -> None:
    one = policy(ratio=0.8, over=over)

    assert triggered(one, WINDOW, SHORT, tokens) is Reason.TOKENS
    assert triggered(one, WINDOW, SHORT, tokens - 1) is Reason.NONE and not Reason.NONE


def test_a_full_window_is_a_reason_of_its_own() -> None:
    one = policy(95, ratio=0.8)

    assert triggered(one, WINDOW, SHORT, 9_500) is Reason.WINDOW and Reason.WINDOW in FORCED
    assert triggered(policy(messages=500), WINDOW, SHORT, 10_000) is Reason.WINDOW


def test_a_history_alone_does_not_fill_a_window() -> None:
    assert triggered(policy(absolute=5_000, scope="history"), WINDOW, SHORT, 20_000) is Reason.TOKENS


def test_events_are_counted_beside_tokens() -> None:
    one = policy(messages=3, ratio=0.8)

    assert triggered(one, WINDOW, chat([user("a"), assistant("b"), user("c")]), 10) is Reason.NONE
    assert (
        triggered(one, WINDOW, chat([user("a"), assistant("b"), user("c"), assistant("d")]), 10)
        is Reason.MESSAGES
    )


def test_what_is_always_done_has_that_reason() -> None:
    assert triggered(policy(always=True), WINDOW, SHORT, 1) is Reason.ALWAYS


def test_a_person_who_asks_is_a_reason_at_any_size() -> None:
    assert triggered(policy(), WINDOW, SHORT, 1, Cause.REQUEST) is Reason.REQUEST


@pytest.mark.parametrize(("acts", "reason"), [(True, Reason.OVERFLOW), (False, Reason.NONE)])
def test_an_overflow_is_a_reason_if_the_policy_acts_on_it(acts: bool, reason: Reason) -> None:
    assert triggered(policy(ratio=0.8, overflow=acts), WINDOW, SHORT, 10, Cause.OVERFLOW) is reason


def test_a_switch_to_a_smaller_model_is_checked_against_its_window() -> None:
    one = policy(ratio=0.8)

    assert triggered(one, WINDOW, SHORT, 20_000, Cause.MODEL_SWITCH) is Reason.MODEL_SWITCH
    assert triggered(one, WINDOW, SHORT, 8_500, Cause.MODEL_SWITCH) is Reason.TOKENS
    assert triggered(one, WINDOW, SHORT, 100, Cause.MODEL_SWITCH) is Reason.NONE
    assert (
        triggered(policy(ratio=0.8, model_switch=False), WINDOW, SHORT, 20_000, Cause.MODEL_SWITCH)
        is Reason.WINDOW
    )


@pytest.mark.law
@given(
    st.sampled_from(names()),
    st.integers(1, 3_000_000),
    st.integers(0, 200_000),
    st.none() | st.integers(1, 3_000_000),
    st.sampled_from(Cause),
)
def test_no_shipped_policy_waits_for_more_than_the_window(
    name: str, tokens: int, output: int, limit: int | None, cause: Cause
) -> None:
    one, window = load(name), Window(tokens, output, limit)
    point = triggers_at(one, window)

    assert (
        point is None or one.trigger.scope == "history" or 0 <= point <= full_at(one, window) <= window.input
    )
    assert triggered(one, window, SHORT, 4_000_000, cause)
