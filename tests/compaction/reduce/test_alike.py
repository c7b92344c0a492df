"""What a marker says of records that went."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import repetitive_logs

from elision.compaction.guard.markers import counted
from elision.compaction.reduce.alike import Alike, describe, label
from elision.compaction.reduce.fold import fold
from elision.compaction.reduce.variables import masked


def records(*rows: str) -> list[Alike]:
    lines = masked("".join(row + "\n" for row in rows))
    return [Alike(lines.templates[at] + "\n", lines.of(range(at, at + 1))) for at in range(len(rows))]


def said(*rows: str, length: int = 1000) -> str:
    first, *others = records(*rows)
    return describe(others, len(others), length, first.values).marker


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


def test_a_marker_is_complete_only_if_it_tells_all() -> None:
    def complete(*rows: str) -> bool:
        first, *others = records(*rows)
        return describe(others, len(others), 1000, first.values).complete

    assert complete("port 7", "port 9", "port 8")
    assert not complete("port 7", *(f"port {n}" for n in range(9)))
    assert not complete("at 10:00:00.123 up", "at 10:00:07.456 up")
    assert not complete("port 1", "port 2", "door 2")


@given(repetitive_logs, st.booleans())
def test_a_marker_is_one_line_that_is_known_again(text: str, more: bool) -> None:
    for one in fold(text * (2 if more else 1)).folds:
        assert "\n" not in one.marker.rstrip("\n")
        assert counted(one.marker.rstrip("\n"))
        assert "[" not in one.marker[1:]
