"""What all rules together promise: valid lists are let through, and a cut never breaks one."""

import pytest
from conversations import FORMATS, LISTS, asked, body_of, listed, read_json, stories
from hypothesis import given
from hypothesis import strategies as st
from messages import Json, assistant, call, calls, result, system, user

from elision.compaction.conversation import Format
from elision.compaction.cuts import cut_points, validate
from elision.compaction.formats.read import read


def told_by(story: list[Json], format: Format = Format.OPENAI_CHAT) -> list[int]:
    return cut_points(read_json(body_of(story, format), format))


@pytest.mark.parametrize("format", FORMATS)
@given(story=stories(), thoughts=st.booleans())
def test_a_valid_list_has_no_problems(format: Format, story: list[Json], thoughts: bool) -> None:
    assert validate(read_json(body_of(story, format, thoughts), format)) == []


@pytest.mark.parametrize("format", FORMATS)
@given(story=stories(), thoughts=st.booleans())
def test_what_any_cut_keeps_is_valid_behind_a_user_message(format: Format, story: list[Json], thoughts: bool) -> None:
    body = body_of(story, format, thoughts)
    conversation = read_json(body, format)

    for position in cut_points(conversation):
        kept = [asked("What happened before.", format), *listed(body, format)[position:]]
        assert validate(read_json(body | {LISTS[format]: kept}, format)) == []


@pytest.mark.parametrize("format", FORMATS)
@given(story=stories(whole=True))
def test_every_message_of_the_user_can_be_the_first_that_is_kept(format: Format, story: list[Json]) -> None:
    conversation = read_json(body_of(story, format), format)
    spoken = [index for index, message in enumerate(conversation.messages) if message.role == "user"]

    assert {0, *spoken, len(conversation.messages)} <= set(cut_points(conversation))


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_list_is_fine(format: Format) -> None:
    conversation = read_json({LISTS[format]: []}, format)

    assert validate(conversation) == []
    assert cut_points(conversation) == [0]


def test_plain_text_is_one_message() -> None:
    conversation = read("any text", Format.TEXT)

    assert validate(conversation) == []
    assert cut_points(conversation) == [0, 1]


def test_parallel_calls_are_cut_off_together() -> None:
    story = [user("both"), calls(("a", "read", {}), ("b", "read", {})), result("a", "1"), result("b", "2"), user("so?")]

    assert told_by(story) == [0, 1, 4, 5]


def test_ids_that_are_used_again_in_each_turn_pair_within_the_turn() -> None:
    turn = [user("again"), call("c1", "bash", {}), result("c1", "ok"), assistant("done")]

    assert told_by([*turn, *turn]) == [0, 1, 3, 4, 5, 7, 8]


@pytest.mark.parametrize("format", FORMATS)
def test_an_open_call_at_the_end_is_no_problem_and_stays_last(format: Format) -> None:
    body = body_of([user("go"), call("c1", "bash", {})], format)
    conversation = read_json(body, format)

    assert validate(conversation) == []
    assert cut_points(conversation) == [0, 1]


def test_results_of_a_batch_may_come_one_by_one_in_openai_chat() -> None:
    story = [user("both"), calls(("a", "read", {}), ("b", "read", {})), result("a", "1")]

    assert validate(read_json(body_of(story, Format.OPENAI_CHAT), Format.OPENAI_CHAT)) == []
    assert told_by(story) == [0, 1]


def test_system_messages_may_stand_anywhere_in_openai_chat() -> None:
    story = [user("a"), system("b"), assistant("c"), assistant("d"), user("e"), user("f")]

    assert validate(read_json(body_of(story, Format.OPENAI_CHAT), Format.OPENAI_CHAT)) == []
