"""Folding in what tools answered: only what comes again at once, and nothing but moments is lost."""

import re

import pytest
from examples import at_least
from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer
from strategies import code, repetitive_logs, texts

from elision.compaction.compress import compress
from elision.compaction.cut import rebuild
from elision.compaction.guard.lines import count_lines
from elision.compaction.guard.markers import counted
from elision.compaction.pins.text import error_template
from elision.compaction.reduce.outputs import fold_output, fold_same
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.model.types import Span


def folded(text: str) -> str:
    return rebuild(text, fold_output(text))


def test_lines_that_come_again_are_counted() -> None:
    assert folded("waiting for the database to come up\n" * 30) == (
        "waiting for the database to come up\n[…29 lines as above]\n"
    )


def test_stamped_lines_that_say_the_same_tell_from_when_to_when() -> None:
    rows = "".join(f"2024-05-01 10:00:{n:02} INFO main loop still runs\n" for n in range(40))

    assert folded(rows) == "2024-05-01 10:00:00 INFO main loop still runs\n[…39 lines as above: 10:00:01–10:00:39]\n"


def test_lines_of_other_times_are_not_the_same() -> None:
    rows = "".join(f"2024-05-01 10:00:{n:02} INFO main loop still runs\n" for n in range(40))

    assert not fold_same(rows)
    assert rebuild("up and running\n" * 9, fold_same("up and running\n" * 9)) == "up and running\n[…8 lines as above]\n"


def test_what_only_folds_keeps_every_time() -> None:
    rows = "".join(f"2024-05-01 10:00:{n:02} INFO main loop still runs\n" for n in range(40))
    budget = Budget(keep_ratio=0.2, floor_tokens=0)

    assert compress(rows, budget, scorer=HashScorer(), counter=counter(), fold_only=True).text == rows


def test_the_first_and_the_last_of_an_error_stay_and_the_others_are_counted() -> None:
    rows = [f"2024-05-01 10:00:{n:02} ERROR cannot reach the database\n" for n in range(40)]

    assert folded("".join(rows)) == f"{rows[0]}[…38 lines as above, 38 errors: 10:00:01–10:00:38]\n{rows[-1]}"


@given(repetitive_logs)
def test_the_last_of_each_error_at_some_time_is_there_to_be_read(text: str) -> None:
    ends = {error_template(line): line for line in text.splitlines(keepends=True) if line[:4].isdecimal()}
    ends.pop(None, None)

    assert all(line in folded(text) for line in ends.values())


def test_a_block_that_comes_again_is_counted() -> None:
    block = "INFO pulling the image\nINFO starting the container\nERROR it has stopped again\n"

    assert folded(block * 5) == block + "[…12 lines as above, 4 errors: 4× the last 3 lines]\n"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{n}. do the same thing as before\n" for n in range(9)),
        "".join(f"tests/test_a.py::test_x[{n}] PASSED\n" for n in range(9)),
        "".join(f"src/app.py:{n}: import os\n" for n in range(9)),
        "".join(f"main.ts({n},7): error TS7006: Parameter implicitly has an any type\n" for n in range(9)),
        "".join(f"[{n}] link Abstract\n" for n in range(9)),
        "".join(f"item-{n},{n * 3},open\n" for n in range(9)),
    ],
)
def test_what_differs_in_more_than_its_time_stays(text: str) -> None:
    assert folded(text) == text


@given(code())
def test_code_stays(text: str) -> None:
    assert folded(text) == text


@pytest.mark.law
@at_least(300)
@given(st.one_of(repetitive_logs, repetitive_logs, texts))
def test_what_went_stands_right_above_but_for_its_times(text: str) -> None:
    clock = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?|\d{4}-\d\d-\d\d")
    for drop in fold_output(text):
        found = counted(drop.replacement.rstrip("\n"))
        gone = [row for row in clock.sub("*", drop.span.of(text)).split("\n") if row]
        above = [row for row in clock.sub("*", text[: drop.span.start]).split("\n") if row]
        assert found is not None and found.lines == count_lines(drop.span.of(text))
        assert set(gone) <= set(above[-24:])


@given(st.one_of(repetitive_logs, texts), st.integers(0, 300))
def test_what_is_fixed_stays(text: str, start: int) -> None:
    span = Span(min(start, len(text)), min(start + 5, len(text)))

    assert not [drop for drop in fold_output(text, [span]) if drop.span.start < span.stop and span.start < drop.span.stop]
