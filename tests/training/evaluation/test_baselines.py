"""Rules the classifier has to beat: each does what its name says, on any text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.relevance import bm25
from elision.model.types import Span
from elision.training.evaluation.baselines import Tfidf, baselines, error_keyword, head_tail, length
from elision.training.evaluation.metrics import Values


def lines_of(text: str) -> list[Span]:
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append(Span(start, start + len(line)))
        start += len(line) + 1
    return spans


def order(values: Values) -> list[int]:
    return [int(i) for i in np.argsort(-values, kind="stable")]


@pytest.mark.parametrize("name", baselines([]))
@given(text=st.text(), query=st.text())
def test_every_rule_values_each_line_of_any_text_and_always_alike(name: str, text: str, query: str) -> None:
    rule = baselines([text])[name]

    values = rule(text, lines_of(text), query)

    assert values.shape == (text.count("\n") + 1,)
    assert np.isfinite(values).all()
    assert np.array_equal(values, rule(text, lines_of(text), query))


@pytest.mark.parametrize("name", baselines([]))
def test_no_lines_have_no_values(name: str) -> None:
    assert baselines([])[name]("", [], "q").shape == (0,)


def test_head_and_tail_come_in_turns() -> None:
    assert order(head_tail("", [Span(i, i) for i in range(5)], "")) == [0, 4, 1, 3, 2]


def test_length_counts_no_white_space() -> None:
    text = "a          b\nabc"

    assert order(length(text, lines_of(text), "")) == [1, 0]


def test_rare_terms_weigh_more_than_common_ones() -> None:
    rule = Tfidf(["ok ok", "ok", "ok", "quota"])

    assert order(rule("ok\nquota", lines_of("ok\nquota"), "")) == [1, 0]


def test_bm25_follows_the_query_and_says_nothing_without_one() -> None:
    text = "the build passed\nthe lock was lost\nthe end"

    assert order(bm25(text, lines_of(text), "who lost the lock?"))[0] == 1
    assert not bm25(text, lines_of(text), "").any()


def test_an_error_stands_above_its_neighbours_and_they_above_the_rest() -> None:
    text = "ok\nok\nValueError: bad\nok\nok\nok\n0 errors"

    values = error_keyword(text, lines_of(text), "")

    assert values.argmax() == 2
    assert values[3] > values[1] > values[0] == 0
    assert values[2] > values[6] > 0
