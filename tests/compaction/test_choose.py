"""Choosing: best value first, markers paid for, repeats worth less, one passage in part where it pays."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.choose import Choice, choose, thin
from elision.compaction.coverage import PassageWords
from elision.compaction.ledger import runs
from elision.compaction.types import Kind, Passage
from elision.model.types import Span

MARKER = 4


HEADS = st.dictionaries(st.integers(0, 11), st.integers(0, 11), max_size=12)


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
    choice = next(choose(found, np.array(values, np.float32), np.array(costs), mask, target, MARKER, held))
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

    choice = next(choose(found, values, costs, none, 16, MARKER, held))

    assert choice.partly == 0 and choice.room == 12


def with_heads(heads: dict[int, int], values: list[float], costs: list[int], target: int, *, forced: tuple[int, ...] = (), kind: Kind = Kind.CODE) -> Choice:
    """What is chosen where each key needs its value; a line costs what it is said to."""
    text, plain = passages([f"word{chr(97 + i)} " for i in range(len(values))], kind)
    found = [replace(p, head=heads.get(i, -1)) for i, p in enumerate(plain)]
    mask = np.zeros(len(values), dtype=bool)
    mask[list(forced)] = True
    held = PassageWords(text, [p.span for p in found])
    return next(choose(found, np.array(values, np.float32), np.array(costs), mask, target, MARKER, held))


def kept(choice: Choice) -> list[int]:
    return np.flatnonzero(choice.kept).tolist()


def test_a_passage_brings_its_heads_and_pays_for_them() -> None:
    costs, values, heads = [10] * 5, [0.1, 0.2, 0.3, 0.9, 0.8], {3: 1, 1: 0}

    # Lines 0, 1 and 3 with the markers after 1 and 3: 38.
    assert kept(with_heads(heads, values, costs, 38)) == [0, 1, 3]
    # One token less, and line 3 cannot come; lines 4 and 2, which need none, with two markers can.
    assert kept(with_heads(heads, values, costs, 37)) == [2, 4]


def test_a_forced_passage_forces_its_heads() -> None:
    assert kept(with_heads({2: 1, 1: 0}, [0.1] * 4, [50] * 4, 10, forced=(2,))) == [0, 1, 2]


def test_a_part_of_a_passage_needs_the_head_too() -> None:
    choice = with_heads({1: 0}, [0.1, 0.9], [5, 40], 30, kind=Kind.PROSE)

    assert (kept(choice), choice.partly, choice.room) == ([0, 1], 1, 25)


def test_a_cheap_run_that_lacks_its_head_does_not_stay() -> None:
    heads, values = {3: 1}, [0.9, 0.0, 0.8, 0.0, 0.7]

    assert kept(with_heads(heads, values, [10, 40, 10, 3, 10], 38)) == [0, 2, 4]
    assert kept(with_heads({}, values, [10, 40, 10, 3, 10], 38)) == [0, 2, 3, 4]


def test_a_file_header_comes_with_a_hunk_or_not_at_all() -> None:
    heads = {1: 0, 2: 0}

    assert kept(with_heads(heads, [0.9, 0.1, 0.2, 0.3], [10, 40, 30, 10], 25, kind=Kind.DIFF)) == [3]
    assert kept(with_heads(heads, [0.9, 0.1, 0.4, 0.3], [10, 40, 30, 10], 48, kind=Kind.DIFF)) == [0, 2]


def test_a_forced_file_header_forces_its_cheapest_hunk() -> None:
    assert kept(with_heads({1: 0, 2: 0}, [0.0, 0.9, 0.2], [10, 40, 30], 10, forced=(0,), kind=Kind.DIFF)) == [0, 2]


def test_a_hunk_that_heads_hunks_itself_does_not_stand_without_one_either() -> None:
    heads = {0: 3, 3: 4}

    assert kept(with_heads(heads, [0.0] * 5, [1, 50, 50, 1, 1], 1, forced=(4,), kind=Kind.DIFF)) == [0, 3, 4]


def test_where_a_part_is_no_use_the_next_best_choice_has_another_or_none() -> None:
    text, found = passages(["one two three four. ", "five six seven eight. ", "nine. "], Kind.PROSE)
    held = PassageWords(text, [p.span for p in found])
    args = found, np.array([0.9, 0.8, 0.7], np.float32), np.array([20, 20, 20]), np.zeros(3, dtype=bool), 18, MARKER, held

    assert [choice.partly for choice in choose(*args)] == [0, 1, 2, None]


@given(HEADS, st.data(), st.sampled_from([Kind.CODE, Kind.PROSE, Kind.DIFF]))
def test_no_passage_stands_without_its_head(heads: dict[int, int], data: st.DataObject, kind: Kind) -> None:
    heads = {line: head for line, head in heads.items() if line != head}
    values = data.draw(st.lists(st.floats(0, 1), min_size=12, max_size=12))
    costs = data.draw(st.lists(st.integers(1, 30), min_size=12, max_size=12))
    forced = data.draw(st.sets(st.integers(0, 11), max_size=2))

    stays = set(kept(with_heads(heads, values, costs, data.draw(st.integers(1, 200)), forced=tuple(forced), kind=kind)))

    assert forced <= stays
    assert {heads[line] for line in stays if line in heads} <= stays
    headers = set(heads.values()) if kind is Kind.DIFF else set()
    assert all(any(heads.get(line) == header for line in stays) for header in headers & stays)


def test_thinning_keeps_what_is_fixed_and_the_best_that_fits() -> None:
    kept = thin(np.array([0.1, 0.9, 0.5, 0.7]), np.array([2, 2, 2, 2]), np.array([True, False, False, False]), 6)

    assert kept is not None and kept.tolist() == [True, True, False, True]


def test_thinning_gives_up_where_only_fixed_units_fit() -> None:
    assert thin(np.array([0.1, 0.9]), np.array([2, 9]), np.array([True, False]), 6) is None


@given(st.lists(st.booleans()))
def test_runs_are_the_maximal_stretches(mask: list[bool]) -> None:
    covered = [i for first, last in runs(np.array(mask, dtype=bool)) for i in range(first, last + 1)]

    assert covered == [i for i, value in enumerate(mask) if value]
