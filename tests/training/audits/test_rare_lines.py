"""The measure is trusted with a claim, so each way to count a line wrongly has its case."""

import pytest

from elision.compaction.tokens import counter
from elision.training.audits.rare_lines import Left, Wanted, left, rows, wanted

LOG = """\
10:00:01 INFO poll 1
10:00:02 INFO poll 2
10:00:03 ERROR cannot reach 10.0.0.7 after 30 tries

10:00:04 INFO poll 3
10:00:05 INFO config reloaded
10:00:06 ERROR cannot reach 10.0.0.9 after 30 tries
"""
POLL, FAILED, RELOADED = 1, 2, 3
CLUSTERS = [POLL, POLL, FAILED, POLL, RELOADED, FAILED]
FIRST, LAST = (
    "10:00:03 ERROR cannot reach 10.0.0.7 after 30 tries",
    "10:00:06 ERROR cannot reach 10.0.0.9 after 30 tries",
)


def shown(output: str) -> Left:
    return left(wanted(LOG, CLUSTERS), output, counter())


def test_rows_are_what_a_terminal_shows() -> None:
    assert rows("\x1b[31m  red \x1b[0m\r\n\n \t\nplain") == ["red", "plain"]


def test_a_template_of_one_or_two_lines_is_rare_and_one_of_three_is_not() -> None:
    found = wanted(LOG, CLUSTERS)

    assert found.rare == (FIRST, "10:00:05 INFO config reloaded", LAST)
    assert found.of_template == (2, 1, 2)


def test_lines_that_differ_in_their_numbers_are_one_error() -> None:
    assert list(wanted(LOG, CLUSTERS).errors.values()) == [frozenset({FIRST, LAST})]


def test_a_referee_who_miscounted_is_refused() -> None:
    with pytest.raises(ValueError):
        wanted(LOG, CLUSTERS[:-1])


def test_a_line_survives_only_whole_and_on_a_line_of_its_own() -> None:
    assert shown(FIRST).rare == (True, False, False)
    assert shown(f"  {FIRST}\x1b[0m  \r\n").rare == (True, False, False)
    assert shown(FIRST[:-6]).rare == (False, False, False)
    assert shown(f"3: {FIRST}").rare == (False, False, False)
    assert shown(f"3: {FIRST}").within == (True, False, False)


def test_an_error_is_lost_when_no_line_of_its_template_is_left() -> None:
    assert shown("").errors_lost == tuple(wanted(LOG, CLUSTERS).errors)
    assert not shown(LAST).errors_lost
    assert not shown("10:00:06 ERROR cannot reach * after 30 tries").errors_lost


def test_a_log_without_rare_lines_has_lost_none() -> None:
    assert left(Wanted((), (), {}), "", counter()).share == 1.0


def test_all_of_a_log_shows_all_of_it() -> None:
    assert shown(LOG).share == shown(LOG).share_within == 1.0
    assert shown(LOG).tokens == counter().count(LOG)
