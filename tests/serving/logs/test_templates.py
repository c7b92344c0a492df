"""Lines are counted under their template or under all others, and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.serving.logs.templates import OTHER, add, most, rows

NAMES = st.one_of(st.just(OTHER), st.text(max_size=3))
COUNTS = st.dictionaries(NAMES, st.tuples(st.integers(0, 10**9), st.integers(0, 100)), max_size=40)


def lines(templates: dict[str, tuple[int, int]]) -> int:
    return sum(count for count, _ in templates.values())


@pytest.mark.law
@given(COUNTS, st.integers(0, 50))
def test_the_most_lose_no_line_and_come_first(templates: dict[str, tuple[int, int]], room: int) -> None:
    listed = rows(most(templates, room))
    named = [row for row in listed if row["template"] != OTHER]

    assert sum(row["lines"] for row in listed) == lines(templates)
    assert len(named) <= room
    assert listed[: len(named)] == named
    assert [row["lines"] for row in named] == sorted((row["lines"] for row in named), reverse=True)


@pytest.mark.law
@given(COUNTS, COUNTS)
def test_what_is_added_is_there(one: dict[str, tuple[int, int]], other: dict[str, tuple[int, int]]) -> None:
    both = dict(one)
    add(both, other)

    assert lines(both) == lines(one) + lines(other)
    assert both.keys() == one.keys() | other.keys()
