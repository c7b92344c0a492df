"""Choosing: best value first, markers paid for, repeats worth less, one passage in part where it pays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.choose import choose, runs, thin
from elision.compaction.coverage import PassageWords
from elision.compaction.types import Kind, Passage
from elision.model.types import Span

MARKER = 4


def passages(texts: list[str], kind: Kind = Kind.CODE) -> tuple[str, list[Passage]]:
    text, found = "", []
    for line, row in enumerate(texts):
        found.append(Passage(Span(len(text), len(text) + len(row)), line, kind))
        text += row
    return text, found


def chosen(values: list[float], costs: list[int], target: int, *, forced: tuple[int, ...] = (), words: list[str] | None = None, kind: Kind = Kind.CODE) -> list[int]:
    rows = words or [f"word{chr(97 + i)} " for i in range(len(values))]
    text, found = passages(rows, kind)
    mask = np.zeros(len(values), dtype=bool)
    mask[list(forced)] = True
    held = PassageWords(text, [p.span for p in found])
    choice = choose(found, np.array(values, np.float32), np.array(costs), mask, target, MARKER, held)
    return np.flatnonzero(choice.kept).tolist()


def test_the_best_lines_stay_and_their_markers_are_paid() -> None:
    # 10 for the line, 4 for the marker before it and 4 for the one after: 18.
    assert chosen([0.1, 0.9, 0.2, 0.1], [10, 10, 10, 10], 18) == [1]
    # One token less, and the first line with the one marker it needs is all that fits.
    assert chosen([0.1, 0.9, 0.2, 0.1], [10, 10, 10, 10], 17) == [0]


def test_closing_a_gap_pays_for_itself() -> None:
    # With 0 and 2 kept, line 1 costs its 5 tokens less the marker it replaces.
    assert chosen([0.9, 0.3, 0.8, 0.1], [10, 5, 10, 10], 29) == [0, 1, 2]


def test_a_run_cheaper_than_its_marker_stays() -> None:
    assert chosen([0.9, 0.0, 0.8], [10, 3, 10], 23) == [0, 1, 2]


def test_forced_passages_stay_whatever_they_cost() -> None:
    assert chosen([0.1, 0.9, 0.1], [50, 10, 50], 10, forced=(0,)) == [0]


def test_a_line_that_repeats_kept_words_yields_to_a_new_one() -> None:
    words = ["alpha beta ", "alpha beta ", "gamma delta "]

    assert chosen([0.9, 0.8, 0.6], [10, 10, 10], 24, words=words) == [0, 2]


def test_a_long_passage_stays_in_part_where_the_rest_of_the_text_is_worth_less() -> None:
    text, found = passages(["one two three four five six seven eight. ", "short. "], Kind.PROSE)
    held = PassageWords(text, [p.span for p in found])
    values, costs, none = np.array([0.9, 0.1], np.float32), np.array([20, 5]), np.zeros(2, dtype=bool)

    choice = choose(found, values, costs, none, 16, MARKER, held)

    assert choice.partly == 0 and choice.room == 12


def test_thinning_keeps_what_is_fixed_and_the_best_that_fits() -> None:
    kept = thin(np.array([0.1, 0.9, 0.5, 0.7]), np.array([2, 2, 2, 2]), np.array([True, False, False, False]), 6)

    assert kept is not None and kept.tolist() == [True, True, False, True]


def test_thinning_gives_up_where_only_fixed_units_fit() -> None:
    assert thin(np.array([0.1, 0.9]), np.array([2, 9]), np.array([True, False]), 6) is None


@given(st.lists(st.booleans()))
def test_runs_are_the_maximal_stretches(mask: list[bool]) -> None:
    covered = [i for first, last in runs(np.array(mask, dtype=bool)) for i in range(first, last + 1)]

    assert covered == [i for i, value in enumerate(mask) if value]
