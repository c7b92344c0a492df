"""Two judges are compared on what both saw, and the widest gaps come first."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.model.types import Span
from elision.training.labels.agree import agreement, disagreements, pairs, weighted_kappa, write_disagreements
from elision.training.labels.rows import JudgedLine, LabelRow

TEXT = "one two\nthree four\nfive six\nseven"
PLACES = ((0, 7), (8, 18), (19, 27), (28, 33))


def row(
    levels: str,
    name: str = "a",
    text: str = TEXT,
    task: str = "",
    kept: dict[int, tuple[Span, ...]] | None = None,
) -> LabelRow:
    lines = tuple(
        JudgedLine(start, stop, int(level), (kept or {}).get(number))
        for number, ((start, stop), level) in enumerate(zip(PLACES, levels, strict=True))
    )
    return LabelRow(name, "log", "line", "s", "d", task, "", "", text, lines)


def test_figures_count_lines_that_both_judged() -> None:
    its = agreement([row("0123"), row("0000", text="x" * 33)], [row("0122", "b")])

    assert (its["chunks"], its["chunks_only_in_one"], its["chunks_only_in_other"], its["lines"]) == (
        1,
        1,
        0,
        4,
    )
    assert (its["exact"], its["within_one"]) == (0.75, 1.0)
    assert its["line_auc_ge2_of_one_by_other"] == its["line_auc_ge2_of_other_by_one"] == 1.0
    assert its["levels"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]


def test_a_judge_agrees_with_itself() -> None:
    its = agreement([row("0123")], [row("0123", "b")])

    assert its["exact"] == its["weighted_kappa"] == 1.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_kappa_is_that_of_its_definition_and_symmetric(both: list[tuple[int, int]]) -> None:
    table = np.zeros((4, 4), dtype=np.int64)
    for a, b in both:
        table[a, b] += 1
    observed = sum((a - b) ** 2 for a, b in both) / len(both)
    chance = sum((a - b) ** 2 for a, _ in both for _, b in both) / len(both) ** 2

    kappa = weighted_kappa(table)

    assert kappa == pytest.approx(1 - observed / chance) if chance else kappa is None
    assert kappa == pytest.approx(weighted_kappa(table.T)) if chance else weighted_kappa(table.T) is None


def test_judges_that_guess_have_no_kappa() -> None:
    rng = random.Random(0)
    table = np.zeros((4, 4), dtype=np.int64)
    for _ in range(5000):
        table[rng.randrange(4), rng.randrange(4)] += 1

    assert weighted_kappa(table) == pytest.approx(0, abs=0.05)


def test_chunks_of_one_text_go_together_by_their_task() -> None:
    ones = [row("0000", "a1", task="x"), row("3333", "a2", task="y")]
    others = [row("3333", "b1", task="y"), row("0000", "b2", task="x"), row("1111", "b3", task="z")]

    assert [(pair.one.id, pair.other.id) for pair in pairs(ones, others)] == [("a1", "b2"), ("a2", "b1")]


def test_blank_lines_and_white_space_at_an_end_do_not_count() -> None:
    text = "one  \n\ntwo"
    one = LabelRow(
        "a",
        "k",
        "line",
        "s",
        "d",
        "",
        "",
        "",
        text,
        (JudgedLine(0, 5, 3), JudgedLine(6, 6, 0), JudgedLine(7, 10, 1)),
    )
    other = LabelRow(
        "b", "k", "line", "s", "d", "", "", "", text, (JudgedLine(0, 3, 3), JudgedLine(7, 10, 1))
    )

    its = agreement([one], [other])

    assert (its["lines"], its["exact"]) == (2, 1.0)


def test_words_are_compared_where_both_judged_them() -> None:
    one = row("2220", kept={0: (Span(0, 3),), 1: (Span(8, 13),), 2: (), 3: (Span(28, 33),)})
    other = row("2220", "b", kept={0: (Span(0, 7),), 1: (Span(8, 13),)})

    its = agreement([one], [other])

    assert (its["words"], its["words_alike"]) == (4, 0.75)


def test_files_with_nothing_in_common_have_counts_only() -> None:
    its = agreement([row("0123")], [])

    assert its == {
        "chunks": 0, "chunks_only_in_one": 1, "chunks_only_in_other": 0, "lines": 0, "words": 0,
        "levels": [[0] * 4] * 4,
    }  # fmt: skip


def test_the_widest_gaps_come_first(tmp_path: Path) -> None:
    near, far = row("0123", "near"), row("0123", "far", text=TEXT.upper())
    same = row("0000", "same", text="y" * 33)
    others = [row("0122", "n"), row("3120", "f", text=TEXT.upper()), row("0000", "s", text="y" * 33)]
    both = pairs([near, same, far], others)

    found = list(disagreements(both))

    assert [(item["one"], item["gap"]) for item in found] == [("far", 1.5), ("near", 0.25)]
    assert [(line["text"], line["one"], line["other"]) for line in found[0]["lines"]] == [
        ("ONE TWO", 0, 3),
        ("SEVEN", 3, 0),
    ]
    assert write_disagreements(tmp_path / "d.jsonl", both) == 2
    assert [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()] == found
