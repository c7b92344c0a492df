"""Nothing that was learnt from is measured on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.training.transcripts.drafts import answer, call, say
from elision.training.transcripts.split import LONG, shares_warning, split
from elision.training.transcripts.types import Transcript


def session(number: int, task: str, outputs: list[int], length: int = 1) -> Transcript:
    messages = [say("user", "u")] * length
    for output in outputs:
        messages += [say("assistant", None, call("c", "bash", "{}")), answer("c", f"{output} " * LONG)]
    return Transcript(f"t{number}", "ours", task, tuple(messages))


SESSIONS = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c", "d", "e"]), st.lists(st.integers(0, 12), max_size=2), st.integers(1, 5)), max_size=20
).map(lambda rows: [session(number, *row) for number, row in enumerate(rows)])


@given(SESSIONS, st.floats(0, 0.9), st.integers(0, 5))
def test_no_task_and_no_long_output_is_on_both_sides(sessions: list[Transcript], share: float, seed: int) -> None:
    parted = split(sessions, share, seed)
    sides: dict[str, set[object]] = {"train": set(), "dev": set()}
    for one in parted:
        texts = {m["content"] for m in one.messages if m["role"] == "tool"}
        sides[one.split] |= {("task", one.task)} if one.task else set()
        sides[one.split] |= texts

    assert not sides["train"] & sides["dev"]
    assert [one.id for one in parted] == [one.id for one in sessions]


@given(SESSIONS, st.integers(0, 5))
def test_the_same_seed_splits_alike_in_any_order(sessions: list[Transcript], seed: int) -> None:
    there = {one.id: one.split for one in split(sessions, 0.3, seed)}
    back = {one.id: one.split for one in split(sessions[::-1], 0.3, seed)}

    assert there == back


def test_dev_gets_about_its_share() -> None:
    parted = split([session(number, f"task {number}", [], 10) for number in range(100)], 0.2)

    assert 15 <= sum(one.split == "dev" for one in parted) <= 25


def test_two_tasks_are_enough_to_hold_one_out_and_one_is_not() -> None:
    def drawn(*tasks: str) -> list[str]:
        return [one.split for one in split([session(n, task, []) for n, task in enumerate(tasks)], 0.1)]

    assert sorted(drawn("a", "b")) == ["dev", "train"]
    assert drawn("a", "a") == ["train", "train"]


def test_without_a_share_nothing_is_held_out() -> None:
    assert {one.split for one in split([session(1, "a", []), session(2, "b", [])], 0)} == {"train"}


def test_an_output_ties_sessions_over_a_third_one() -> None:
    parted = split([session(1, "a", [1]), session(2, "b", [1, 2]), session(3, "c", [2]), session(4, "d", [])], 0.3)

    assert [one.split for one in parted] == ["train", "train", "train", "dev"]


@pytest.mark.parametrize(
    ("train", "dev", "share", "told"),
    [(10, 10, 0.1, "dev holds 50% of the messages, asked for were 10%"), (79, 21, 0.1, "21%"), (80, 20, 0.1, ""), (9, 0, 0.1, ""), (0, 0, 0.1, ""), (9, 0, 0, "")],
)  # fmt: skip
def test_more_than_twice_the_share_is_told(train: int, dev: int, share: float, told: str) -> None:
    warning = shares_warning({"train": train, "dev": dev}, share)

    assert told in warning and bool(warning) == bool(told)
