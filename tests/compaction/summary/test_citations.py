"""Statements cite what they rest on, and nothing that does not exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.summary.citations import Citations

CITATIONS = Citations(["m1", "m2", "m12", "m12b"])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It works [m1].", "It works [m1]."),
        ("It works [m9].", "It works."),
        ("It works [m1, m9; m12b].", "It works [m1, m12b]."),
        ("It works (m1) and 【m40】.", "It works (m1) and."),
        ("It works [m1-m12] [m1-m40].", "It works [m1-m12]."),
        ("It works [m1][m9c][m2]", "It works [m1][m2]"),
        ("see [3], [docs](m.html) and (this)", "see [3], [docs](m.html) and (this)"),
    ],
)
def test_ids_that_do_not_exist_go(text: str, kept: str) -> None:
    assert CITATIONS.kept(text)[0] == kept


def test_what_went_is_told() -> None:
    assert CITATIONS.kept("a [m1, m9], b [m8]")[1] == ["m9", "m8"]


def test_without_ids_nothing_is_a_citation() -> None:
    assert Citations([]).cited("a [m1]") == []


@pytest.mark.law
@given(st.text(alphabet="m19b[](), -;x\n【】", max_size=80))
def test_cut_until_nothing_changes_only_known_ids_are_left(text: str) -> None:
    while (kept := CITATIONS.kept(text)[0]) != text:
        assert len(kept) < len(text)
        text = kept

    assert set(CITATIONS.cited(text)) <= {"m1", "m2", "m12", "m12b"}
