"""Chunks partition any text, are short enough to judge, and name the lines to judge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.training.labels.chunks import CONTEXT, LINE_CHARS, PROSE_CHARS, chunks, context, context_end

ANY = st.one_of(
    st.text(),
    st.text(st.sampled_from("ab \n\r\t.!。\ud800é中\x85\u2028\u0301")),
    st.lists(st.sampled_from(["word ", "The end. ", "\n", "\r\n", "x" * 900, "中" * 700, "   \n"])).map("".join),
)


@pytest.mark.law
@given(ANY)
def test_chunks_partition_the_text(text: str) -> None:
    assert "".join(chunk.span.of(text) for chunk in chunks(text)) == text


@pytest.mark.law
@given(ANY)
def test_a_chunk_is_short_enough_to_judge(text: str) -> None:
    for chunk in chunks(text):
        assert len(chunk.span) <= {"line": LINE_CHARS, "sentence": PROSE_CHARS}[chunk.unit]


@pytest.mark.law
@given(ANY)
def test_lines_stand_in_their_chunk_in_order_and_hold_all_that_is_not_blank(text: str) -> None:
    for chunk in chunks(text):
        inside, reached = chunk.span.of(text), 0
        for line in chunk.lines:
            assert not inside[reached : line.start].strip()
            assert line.of(inside).strip() and line.of(inside) == line.of(inside).rstrip()
            reached = line.stop
        assert not inside[reached:].strip()


def test_long_prose_is_judged_sentence_by_sentence_and_a_listing_line_by_line() -> None:
    prose = "The committee met on Monday and agreed. It then went home, as it was late. " * 40

    assert {chunk.unit for chunk in chunks(prose)} == {"sentence"}
    assert {chunk.unit for chunk in chunks("src/main.py: 12\n" * 400)} == {"line"}


def test_whole_lines_stay_together() -> None:
    text = "".join(f"line {number} of the listing\n" for number in range(300))

    assert all(chunk.span.of(text).startswith("line") and chunk.span.of(text).endswith("\n") for chunk in chunks(text))


@given(ANY)
def test_context_is_one_short_line(text: str) -> None:
    for shown in (context(text), context_end(text)):
        assert len(shown) <= CONTEXT and len(shown.splitlines()) <= 1
