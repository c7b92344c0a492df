"""Of a session that was logged once for every turn, the last and longest is kept."""

from typing import Any

from elision.training.transcripts.drafts import Draft, answer, call, say
from elision.training.transcripts.duplicates import Distinct, distinct


def draft(*messages: dict[str, Any]) -> Draft:
    return Draft("name", "task", list(messages))


TALK = [say("user", "a"), say("assistant", None, call("1", "bash", "{}")), answer("1", "b"), say("assistant", "c")]
SAME = [say("user", "a "), say("assistant", None, call("x9", "bash", "{}")), answer("x9", "b"), say("assistant", "c")]


def test_a_beginning_goes_wherever_it_stands_and_ids_do_not_count() -> None:
    assert distinct([draft(*SAME[:2]), draft(*TALK), draft(*SAME[:3])]) == Distinct((1,), 0, 2)


def test_of_copies_the_first_is_kept() -> None:
    assert distinct([draft(*TALK), draft(*SAME)]) == Distinct((0,), 1, 0)


def test_sessions_that_part_are_both_kept() -> None:
    other = draft(*TALK[:3], say("assistant", "d"))

    assert distinct([draft(*TALK), other]) == Distinct((0, 1), 0, 0)


def test_a_session_that_was_forked_from_another_is_no_beginning_of_it() -> None:
    assert distinct([draft(*TALK), draft(*TALK[1:])]) == Distinct((0, 1), 0, 0)


def test_a_system_prompt_that_is_another_every_turn_does_not_part_a_session() -> None:
    def turn(number: int) -> Draft:
        return draft(say("system", f"Time: 12:0{number}"), TALK[0], say("developer", f"request {number}"), *TALK[1 : number + 1])

    assert distinct([turn(number) for number in range(4)]) == Distinct((3,), 0, 3)


def test_sessions_in_which_nothing_but_instructions_stands_are_left_to_others() -> None:
    assert distinct([draft(say("system", "a")), draft(say("system", "b")), draft()]) == Distinct((0, 1, 2), 0, 0)
