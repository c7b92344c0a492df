"""Kept words find their places in the text, or are said not to be there."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.model.types import Span
from elision.training.labels.alignment import Alignment, align, words_of

WORDS = st.sampled_from(["the", "The", "cat", "sat,", "not", "a.b", "42", "=", "—", "ok"])
LETTERS = st.text(st.sampled_from("ab 不要停ไม่กี่นกกา\u3000,.\u00a0\n"), max_size=30)


def found(answer: str, text: str) -> list[str]:
    return [span.of(text) for span in align(answer, text).spans]


def words(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [word.of(text) for span in spans for word in words_of(text, span)]


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "\t ", "  "]), st.booleans()), max_size=25))
def test_any_subsequence_of_the_words_finds_exactly_these(drawn: list[tuple[str, str, bool]]) -> None:
    text = "".join(word + space for word, space, _ in drawn)
    kept = [word for word, _, stays in drawn if stays]

    its = align(" ".join(kept), text)

    assert words(text, its.spans) == kept
    assert (its.invented, its.displaced, its.found) == ((), (), len(kept))


@given(LETTERS, st.randoms(use_true_random=False))
def test_characters_left_out_of_scripts_without_spaces_leave_the_others(
    text: str, rng: random.Random
) -> None:
    kept = [word.of(text) for word in words_of(text) if rng.random() < 0.5]

    its = align(" ".join(kept), text)

    assert words(text, its.spans) == kept


@given(
    st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30),
    st.lists(WORDS, max_size=20).map("\n".join) | st.text(max_size=40),
)
def test_whatever_is_answered_spans_are_in_order_and_inside(answer: str, text: str) -> None:
    its = align(answer, text)

    edges = [edge for span in its.spans for edge in (span.start, span.stop)]
    assert edges == sorted(edges) and all(0 <= edge <= len(text) for edge in edges)
    assert all(len(span) and not span.of(text).isspace() for span in its.spans)
    assert 0 <= its.found <= its.words and "\n" not in "".join(span.of(text) for span in its.spans)


def test_a_stretch_of_a_text_is_searched_alone() -> None:
    text = "cat one\ncat two"

    its = align("cat", text, Span(8, 15))

    assert its.spans == (Span(8, 11),)
    assert its.source_words == 2


def test_words_that_stand_together_find_the_place_where_they_do() -> None:
    assert align("the dog ran", "the cat sat. the dog ran").spans[0] == Span(13, 16)
    assert align("A b c", "A b c and so on until c").spans[-1] == Span(4, 5)
    assert align("ok", "ok\nok\nok").spans == (Span(0, 2),)


def test_case_and_typographic_quotes_are_forgiven() -> None:
    assert found("the “Cat” DON'T", 'The "cat" don’t') == ["The", '"cat"', "don’t"]


def test_a_word_of_the_right_case_goes_before_one_of_the_wrong() -> None:
    assert align("the", "The the").spans == (Span(4, 7),)


@pytest.mark.parametrize(
    ("answer", "text", "spans"),
    [
        ("read file", "read(file): done", ["read", "file"]),
        ("config.py", "see src/config.py, please", ["config.py"]),
        ("stop.", "now stop here", ["stop"]),
        ("key value", '{"key": "value"}', ["key", "value"]),
    ],
)
def test_a_part_of_a_longer_word_is_found(answer: str, text: str, spans: list[str]) -> None:
    its = align(answer, text)

    assert [span.of(text) for span in its.spans] == spans
    assert not its.invented


def test_a_part_ends_where_a_word_does() -> None:
    assert align("on", "configuration").invented == ("on",)


def test_touching_characters_are_one_span() -> None:
    assert found("不要停", "请不要停车") == ["不要停"]
    assert found("不停", "请不要停车") == ["不", "停"]


def test_invented_and_displaced_words_are_told_apart() -> None:
    its = align("fails test purple login login", "the login test fails")

    assert its.invented == ("purple",)
    assert set(its.displaced) <= {"fails", "test", "login"} and its.found == 1 and len(its.displaced) == 3


def test_an_empty_answer_and_an_empty_text_align() -> None:
    assert align("", "a b") == Alignment((), 0, 2)
    assert align("a", "") == Alignment((), 1, 0, invented=("a",))
