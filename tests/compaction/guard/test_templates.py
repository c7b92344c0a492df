"""Rows are alike when they differ in numbers, ids, times, paths and quoted names only."""

import pytest

from elision.compaction.guard.templates import template


@pytest.mark.parametrize(
    "one, other",
    [
        ("2024-05-03 10:11:12 INFO took 31 ms", "2024-05-04 00:00:01 INFO took 2 ms"),
        ("[ 3%] Building C object core/parser_1.c.o", "[99%] Building C object net/router_22.c.o"),
        ('user "alice" logged in from 10.0.0.1', 'user "bob" logged in from ::1'),
        ("id=4f2a took=3 state=done", "id=99 took=17 state=done"),
    ],
)
def test_what_varies_is_masked(one: str, other: str) -> None:
    assert template(one) == template(other)


@pytest.mark.parametrize(
    "one, other", [("INFO took 31 ms", "WARN took 31 ms"), ("id=4 state=done", "id=4 state=late"), ("a b", "a b c")]
)
def test_plain_words_are_not(one: str, other: str) -> None:
    assert template(one) != template(other)
