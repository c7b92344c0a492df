"""What a marker says of records that went."""

import re

from hypothesis import given
from hypothesis import strategies as st
from strategies import repetitive_logs

from elision.compaction.guard.markers import counted
from elision.compaction.reduce.alike import describe, label
from elision.compaction.reduce.fold import fold, read
from elision.compaction.reduce.memory import Memory


def said(*rows: str) -> str:
    first, *others = [record.said for record in read("".join(row + "\n" for row in rows), Memory())]
    return describe(others, 1000, first.values, next_to_it=True)


def test_records_that_differ_in_nothing_are_only_counted() -> None:
    assert said("job 7 runs", "job 7 runs", "job 7 runs") == "[…2 lines as above]"


def test_a_few_values_are_listed_in_their_order() -> None:
    assert said("port 7", "port 9", "port 8", "port 9") == "[…3 lines as above: port 9|8|9]"


def test_few_distinct_values_of_many_records_are_listed_once() -> None:
    assert said("port 7", *["port 9", "port 8"] * 9) == "[…18 lines as above: port 9|8]"


def test_many_numbers_are_a_range_with_their_unit() -> None:
    assert said("took 1ms", *(f"took {n}ms" for n in (40, 7, 900, 31, 8))) == "[…5 lines as above: took 7ms..900ms]"


def test_many_names_are_counted() -> None:
    assert said("id=a1b", *(f"id=f{n}d" for n in range(9))) == "[…9 lines as above: id=9 values]"


def test_times_tell_the_first_and_the_last_to_the_second() -> None:
    rows = [f"2026-01-02 10:00:{n},123 up" for n in range(10, 60)]

    assert said(*rows) == "[…49 lines as above: 10:00:11–10:00:59]"
    assert said("2026-01-02T10:00:00Z up", "2026-01-02T10:00:07Z up", "2026-01-03T11:00:00Z up").endswith(
        ": 2026-01-02 10:00:07Z–2026-01-03 11:00:00Z]"
    )


def test_kinds_are_named_by_what_only_they_say() -> None:
    rows = [f"10:00:00 INFO service asked for {what} {n}" for n in range(3) for what in ("apples", "pears")]

    assert said("nothing", *rows) == '[…6 lines as above: 10:00:00, 3× "INFO service asked for apples", 3× "INFO service asked for pears"]'


def test_errors_among_them_are_counted() -> None:
    assert said("ERROR disk 1 is full", *(f"ERROR disk {n} is full" for n in (2, 3))).startswith("[…2 lines as above, 2 errors")


def test_a_label_has_no_brackets() -> None:
    assert "[" not in label("[worker] started [again] with everything it needs", {})


def test_what_looks_like_a_time_inside_a_record_is_a_value() -> None:
    rows = [f"10:00:0{n} the service that answers for all of the others will wait until {20 + n}:30" for n in range(4)]

    assert said(*rows) == "[…3 lines as above: 10:00:01–10:00:03, until 21:30|22:30|23:30]"


def test_a_time_range_holds_every_time() -> None:
    rows = [f"10:{m}:00 up" for m in ("01", "02", "59", "30", "04")]

    assert said(*rows) == "[…4 lines as above: 10:02:00–10:59:00]"


def test_versions_are_no_range() -> None:
    assert said("version 1.0", *(f"version {v}" for v in ("1.9", "1.2", "1.11", "1.3", "1.1"))) == "[…5 lines as above: version 5 values]"


def test_a_value_that_nobody_could_place_is_left_away() -> None:
    assert said("arm to 10 20 30", "arm to 10 25 31", "arm to 10 26 32") == "[…2 lines as above]"
    assert said("arm to 10 20 30", "arm to 10 25 30", "arm to 10 26 30") == "[…2 lines as above: 25|26]"


def test_kinds_are_counted_in_lines_and_errors_named_first() -> None:
    rows = ["nothing", *["INFO all is well"] * 90, *(f"WARN disk {n} is slow" for n in range(3)), "ERROR disk is gone"]

    assert said(*rows) == (
        '[…94 lines as above, 1 error: 3× "WARN disk", 1× "ERROR disk is gone", 90× "INFO all is well"]'
    )


@given(repetitive_logs)
def test_the_counts_of_kinds_come_to_the_lines(text: str) -> None:
    for one in fold(text).folds:
        named = [int(n) for n in re.findall(r"(\d+)× (?!the last)", one.marker)]
        found = counted(one.marker.rstrip("\n"))
        assert found is not None
        assert sum(named) <= found.lines


@given(repetitive_logs, st.booleans())
def test_a_marker_is_one_line_that_is_known_again(text: str, more: bool) -> None:
    for one in fold(text * (2 if more else 1)).folds:
        assert "\n" not in one.marker.rstrip("\n")
        assert counted(one.marker.rstrip("\n"))
        assert "[" not in one.marker[1:]
