"""Variables: words with a digit; the rest of a line is its template."""

import pytest
from hypothesis import given
from strategies import texts

from elision.compaction.reduce.variables import HOLE, VARIABLE, filled, masked


@given(texts)
def test_templates_and_values_give_the_text_back(text: str) -> None:
    text = text.replace(HOLE, "")
    lines = masked(text)
    rows = range(len(lines.lines))

    assert [filled(lines.templates[row], lines.of(range(row, row + 1))) for row in rows] == list(lines.lines)
    assert "\n".join(lines.lines) + "\n" * text.endswith("\n") == text


@pytest.mark.parametrize(
    "word",
    "7 1,284.50 10.0.0.7:5432 2026-01-02T10:00:00.123Z 0x7f3a utf8 3ms 12:00:01,5 v2.14.0-rc1"
    " 3f2b8c1e-77aa-4d0c-9e51-cdefabcdefab".split(),
)
def test_a_word_with_a_digit_is_one_variable(word: str) -> None:
    assert VARIABLE.findall(f"a {word} b") == [word]


@pytest.mark.parametrize("text", ["INFO started", "session for user-name", "größe", "deadbeef", ""])
def test_a_word_without_a_digit_is_none(text: str) -> None:
    assert VARIABLE.findall(text) == []


def test_what_is_joined_to_a_name_is_masked_without_it() -> None:
    assert masked("node-246 id=17 task_9 /v1/x").templates == [f"node-{HOLE} id={HOLE} task_{HOLE} /{HOLE}/x"]
