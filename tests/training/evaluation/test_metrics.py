"""The ruler itself: every figure against a case worked out by hand, and the laws of the AUC."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.model.types import Scores, Span
from elision.training.evaluation.metrics import (
    Mask,
    Ranked,
    Values,
    auc,
    essential_kept,
    judged_words,
    mean_values,
    measure,
    ranked,
)
from elision.training.labels.rows import JudgedLine, LabelRow

VALUES = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40)


def chunk(
    levels: list[int], values: list[float], sizes: list[int] | None = None, kind: str = "grep"
) -> Ranked:
    sizes = sizes or [10] * len(levels)
    none = np.zeros(0)
    return Ranked(kind, np.array(levels), np.array(sizes), np.array(values, dtype=float), none > 0, none)


def row(text: str, *lines: JudgedLine) -> LabelRow:
    return LabelRow("r", "prose", "sentence", "", "", "", "", "", text, lines)


def split(pairs: list[tuple[int, bool]]) -> tuple[Values, Mask]:
    return np.array([v for v, _ in pairs], dtype=float), np.array([p for _, p in pairs], dtype=bool)


def test_auc_by_hand() -> None:
    # positives 3 and 1, negatives 2 and 1: 3 beats both, 1 ties one and loses one
    assert auc(np.array([3.0, 2.0, 1.0, 1.0]), np.array([True, False, True, False])) == 2.5 / 4


def test_one_class_has_no_auc() -> None:
    assert auc(np.array([1.0, 2.0]), np.array([True, True])) is None
    assert auc(np.zeros(0), np.zeros(0, dtype=bool)) is None


@given(VALUES)
def test_auc_is_the_share_of_pairs_won(pairs: list[tuple[int, bool]]) -> None:
    won = [(p > n) + (p == n) / 2 for p, a in pairs if a for n, b in pairs if not b]

    assert auc(*split(pairs)) == (pytest.approx(sum(won) / len(won)) if won else None)


@given(VALUES)
def test_the_reverse_order_has_the_opposite_auc(pairs: list[tuple[int, bool]]) -> None:
    values, positive = split(pairs)
    forward, backward = auc(values, positive), auc(-values, positive)

    assert (forward is None) == (backward is None)
    assert forward is None or backward is None or forward + backward == pytest.approx(1)


@given(VALUES)
def test_only_the_order_of_values_counts(pairs: list[tuple[int, bool]]) -> None:
    values, positive = split(pairs)

    assert auc(values, positive) == auc(np.exp(values) * 3, positive)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.sampled_from([0.25, 0.33, 0.5]))
def test_the_judges_own_order_keeps_all_it_can(levels: list[int], share: float) -> None:
    kept = essential_kept(chunk(levels, [float(level) for level in levels]), share)

    assert kept == (pytest.approx(1.0) if 3 in levels else None)


def test_the_line_that_crosses_the_share_counts_in_part() -> None:
    # 40 of 80 characters: the level-0 line whole (20), then 20 of the 30 of a level 3.
    # The judge would keep the short level 3 whole (10) and the other 30 whole: 40.
    mixed = chunk([3, 0, 3, 1], [0.8, 0.9, 0.1, 0.2], sizes=[30, 20, 10, 20])

    assert essential_kept(mixed, 0.5) == pytest.approx(20 / 40)


def test_equal_values_are_taken_in_text_order() -> None:
    assert essential_kept(chunk([3, 0, 0, 0], [1.0, 1.0, 1.0, 1.0]), 0.25) == 1.0
    assert essential_kept(chunk([0, 0, 0, 3], [1.0, 1.0, 1.0, 1.0]), 0.25) == 0.0


def test_single_class_chunks_are_skipped_in_the_mean_but_pooled() -> None:
    figures = measure([chunk([3, 0], [0.9, 0.1]), chunk([2, 2], [0.0, 0.0], kind="ci")])

    assert figures["line_auc_ge2"] == 1.0
    assert figures["pooled_auc_ge2"] == pytest.approx(1 / 3)
    assert figures["line_auc_ge2[kind=grep]"] == 1.0
    assert "line_auc_ge2[kind=ci]" not in figures
    assert "word_auc" not in figures


def test_lines_without_text_do_not_count() -> None:
    blank = row(
        "ab\n \t\ncd", JudgedLine(0, 2, 3, None), JudgedLine(3, 5, 0, None), JudgedLine(6, 8, 1, None)
    )

    only = ranked(blank, lambda spans: np.array([float(s.start) for s in spans]))

    assert only.values.tolist() == [0, 6]
    assert only.levels.tolist() == [3, 1]


def test_words_are_runs_without_space_and_characters_in_chinese() -> None:
    text = "do not go, 不要去"
    judged = row(text, JudgedLine(0, len(text), 1, (Span(3, 9), Span(11, 12))))

    kept, words = judged_words(judged)

    assert [w.of(text) for w in words] == ["do", "not", "go,", "不", "要", "去"]
    assert kept == [False, True, True, True, False, False]  # "go" without its comma is most of "go,"


def test_words_count_only_where_judged_and_not_noise() -> None:
    text = "a b c"
    lines = (JudgedLine(0, 1, 0, ()), JudgedLine(2, 3, 2, None), JudgedLine(4, 5, 1, ()))

    assert judged_words(row(text, *lines)) == ([False], [Span(4, 5)])


def test_word_auc_pools_words_over_chunks() -> None:
    rows = [row("aa bb", JudgedLine(0, 5, 2, (Span(0, 2),))), row("cc", JudgedLine(0, 2, 3, (Span(0, 2),)))]

    def by_place(spans: Sequence[Span]) -> Values:
        return np.array([-float(s.start) for s in spans])

    assert measure([ranked(r, by_place, by_place) for r in rows])["word_auc"] == 1.0


def test_a_span_takes_the_mean_of_the_pieces_that_touch_it() -> None:
    scores = Scores(
        np.array([0, 2, 3, 8]), np.array([2, 4, 6, 9]), np.array([0.0, 1.0, 0.5, 0.25], np.float32)
    )

    means = mean_values(scores, [Span(0, 2), Span(1, 4), Span(6, 8), Span(8, 9), Span(0, 9)])

    assert means.tolist() == [0.0, 0.5, 0.0, 0.25, 0.4375]
