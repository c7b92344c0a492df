"""Markers: what one says is what is read from it, and it stands for that many lines."""

from hypothesis import given
from hypothesis import strategies as st
from scorers import HashScorer

from elision.compaction.compress import compress
from elision.compaction.guard.lines import classify, split_lines
from elision.compaction.guard.markers import Counted, alike_marker, counted, marker
from elision.compaction.tokens import counter
from elision.compaction.types import Budget, Kind

counts = st.integers(1, 10**8)


@given(counts, st.integers(0, 10**6))
def test_a_marker_is_read_as_it_was_written(lines: int, errors: int) -> None:
    assert counted(marker(lines, errors)) == Counted(lines, errors)


@given(counts, st.integers(0, 10**6), st.sampled_from(["", "10:00–10:05", 'port 1|2, 3× "a: b"']))
def test_a_marker_of_lines_alike_is_read_as_it_was_written(lines: int, errors: int, said: str) -> None:
    assert counted(alike_marker(lines, errors, said) + "\n") == Counted(lines, errors)


def test_other_brackets_are_no_markers() -> None:
    assert not any(map(counted, ["[12 lines]", "[…]", "[…12 lines", "[…12 lines] and more", "[…0x lines]", ""]))


def test_a_line_that_is_a_marker_is_of_its_own_kind() -> None:
    text = "2026-01-02 10:00:00 INFO a\n[…3 lines as above, 2 errors: 1..3]\n"

    assert classify(text, split_lines(text)) == [Kind.LOG, Kind.MARKER]


def test_a_marker_that_goes_is_counted_as_the_lines_it_stands_for() -> None:
    rows = [f"the line {'abcdefghij'[n % 10] * (n + 1)} says something else" for n in range(40)]
    rows[20:20] = ["[…100 lines, 7 repeated errors]"]
    result = compress("\n".join(rows) + "\n", Budget(target_tokens=12, floor_tokens=0), scorer=HashScorer(), counter=counter())
    left = [row for row in result.text.splitlines() if not row.startswith("[…")]
    found = [one for row in result.text.splitlines() if (one := counted(row))]

    assert sum(one.lines for one in found) == 140 - len(left)
    assert sum(one.errors for one in found) == 7
