"""What is summarised is made to fit the writer's window, and a call stays with its results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.summary.fit import SHARES, fitted, ladder, tokens
from elision.compaction.summary.types import Source
from elision.compaction.tokens import counter

COUNTER = counter("o200k_base")
PATIENT = st.sampled_from(["fix it\n", "word " * 40, "x" * 900, "一二三。" * 80, "a\nb\n" * 60])


def source(number: int, speaker: str, text: str) -> Source:
    return Source(f"m{number}", speaker, text, speaker != "tool", "bash" if speaker == "tool" else "", number)


@st.composite
def histories(draw: st.DrawFn) -> list[Source]:
    speakers = draw(st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=8))
    return [
        source(number, speaker, draw(PATIENT) * draw(st.integers(1, 3)))
        for number, speaker in enumerate(speakers)
    ]


def cost(sources: list[Source]) -> int:
    return sum(tokens(one, COUNTER) for one in sources)


def test_what_fits_is_one_chunk() -> None:
    history = [source(0, "user", "fix it"), source(1, "assistant", "ok")]

    assert fitted(history, 100, COUNTER) == [history]
    assert fitted([], 100, COUNTER) == []


def test_a_call_and_its_results_stay_in_one_chunk() -> None:
    history = [
        source(0, "user", "word " * 60),
        source(1, "assistant", "bash({})"),
        source(2, "tool", "word " * 50),
        source(3, "tool", "word " * 50),
        source(4, "user", "go on"),
    ]

    assert [[one.id for one in chunk] for chunk in fitted(history, 150, COUNTER)] == [
        ["m0"],
        ["m1", "m2", "m3", "m4"],
    ]


def test_results_too_long_for_one_chunk_with_their_call_are_clipped_to_stay_with_it() -> None:
    history = [source(0, "assistant", "bash({})"), source(1, "tool", "first\n" + "word\n" * 4000 + "last")]
    (chunk,) = fitted(history, 200, COUNTER)

    assert [one.id for one in chunk] == ["m0", "m1"] and chunk[0] == history[0]
    assert (
        chunk[1].text.startswith("first\n") and chunk[1].text.endswith("last") and "lines]" in chunk[1].text
    )


def test_more_results_than_a_chunk_has_lines_for_go_over_several() -> None:
    history = [
        source(0, "assistant", "bash({})"),
        *(source(number, "tool", "word " * 90) for number in range(1, 20)),
    ]
    chunks = fitted(history, 200, COUNTER)

    assert [one for chunk in chunks for one in chunk] == history and all(
        cost(chunk) <= 200 for chunk in chunks
    )


def test_each_step_of_the_ladder_leaves_less_of_the_outputs_and_all_of_the_words() -> None:
    history = [source(0, "user", "u" * 3000), source(1, "tool", "word " * 400), source(2, "tool", "short")]
    steps = [ladder(history, share) for share in SHARES]

    assert steps[0] == history
    assert all(step[0] == history[0] and step[2] == history[2] for step in steps)
    assert sorted((len(step[1].text) for step in steps), reverse=True) == [
        len(step[1].text) for step in steps
    ]
    assert len(steps[-1][1].text) < 0.4 * len(history[1].text)


def test_a_call_that_carries_a_file_is_clipped_like_an_output() -> None:
    told = source(0, "assistant", "I write it.\nwrite(" + "x" * 9000 + ")")

    assert (
        ladder([told], 0.35)[0].text.startswith("I write it.\nwrite(xx")
        and len(ladder([told], 0.35)[0].text) < 800
    )


@pytest.mark.law
@given(histories(), st.integers(120, 900))
def test_chunks_hold_every_source_once_in_order_and_none_is_over_its_room(
    history: list[Source], room: int
) -> None:
    chunks = fitted(history, room, COUNTER)

    assert [one.id for chunk in chunks for one in chunk] == [one.id for one in history]
    assert all(cost(chunk) <= room and chunk for chunk in chunks)
    assert fitted(history, room, COUNTER) == chunks


@pytest.mark.law
@given(histories(), st.integers(-5, 40))
def test_where_there_is_hardly_any_room_no_source_is_lost(history: list[Source], room: int) -> None:
    assert [one.id for chunk in fitted(history, room, COUNTER) for one in chunk] == [
        one.id for one in history
    ]
