from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.logs.records import LONGEST, records

PYTHON = [
    "Traceback (most recent call last):",
    '  File "/app/run.py", line 12, in main',
    "    work()",
    "ValueError: no such job",
]
JAVA = [
    "java.lang.IllegalStateException: pool closed",
    "\tat com.acme.Pool.take(Pool.java:12)",
    "Caused by: java.io.IOException: reset",
    "\tat com.acme.Net.read(Net.java:99)",
    "\t... 12 more",
]
GO = [
    "panic: runtime error: index out of range [3] with length 3",
    "",
    "goroutine 1 [running]:",
    "main.work(0x3, 0x4)",
    "\t/app/main.go:12 +0x1d",
    "main.main()",
    "\t/app/main.go:5 +0x2a",
]
RUST = ["thread 'main' panicked at src/main.rs:4:5:", "no such file", "note: run with `RUST_BACKTRACE=1`"]
PHP = ["[stacktrace]", "#0 /app/Container.php(795): make('a')", "#1 {main}"]


def stamped(*messages: str) -> list[str]:
    return [f"2024-05-01 10:00:{at:02} INFO {message}" for at, message in enumerate(messages)]


def docker(message: str) -> str:
    escaped = message.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'{{"log":"{escaped}\\n","stream":"stderr","time":"2024-05-01T10:00:00.1Z"}}'


def sizes(lines: Sequence[str]) -> list[int]:
    return [len(record) for record in records([line + "\n" for line in lines])]


def test_a_line_with_a_stamp_begins_a_record() -> None:
    assert sizes(stamped("a", "b", "c")) == [1, 1, 1]


@pytest.mark.parametrize("trace", [PYTHON, JAVA, GO, RUST, PHP], ids=["python", "java", "go", "rust", "php"])
def test_a_trace_belongs_to_the_stamped_line_above(trace: list[str]) -> None:
    assert sizes([*stamped("a", "failed"), *trace, *stamped("b")]) == [1, 1 + len(trace), 1]


@pytest.mark.parametrize("trace", [PYTHON, JAVA, GO, RUST], ids=["python", "java", "go", "rust"])
def test_a_trace_among_lines_without_stamps_is_one_record(trace: list[str]) -> None:
    assert sizes(["building", "linking", *trace, "done"]) == [1, 1, len(trace), 1]


def test_chained_python_exceptions_are_one_record() -> None:
    link = ["", "During handling of the above exception, another exception occurred:", ""]

    assert sizes(["start", *PYTHON, *link, *PYTHON, "end"]) == [1, 2 * len(PYTHON) + 3, 1]


def test_a_json_body_belongs_to_the_line_that_announces_it() -> None:
    body = ["{", '  "at": "2024-05-01T10:00:00Z",', '  "2024-05-01": {', '    "n": 1', "  }", "}"]

    assert sizes([*stamped("answer:"), *body, *stamped("next")]) == [7, 1]


def test_plain_lines_among_many_stamped_ones_belong_to_the_record_above() -> None:
    assert sizes([*stamped("a", "SQL:"), "select *", "from t", *stamped("b")]) == [1, 3, 1]


def test_where_few_lines_are_stamped_only_indentation_joins() -> None:
    lines = ["one", "two", "three", *stamped("a"), "four", "  of four", "five", "six"]

    assert sizes(lines) == [1, 1, 1, 1, 2, 1, 1]


def test_lines_of_one_indentation_are_no_record() -> None:
    assert sizes(["  first", "  second", "    of the second", "  third"]) == [1, 2, 1]


def test_a_blank_line_belongs_to_a_record_only_if_that_goes_on() -> None:
    assert sizes([*stamped("a"), "", "  more", "", *stamped("b")]) == [3, 1, 1]


def test_an_indented_stamp_begins_a_record() -> None:
    assert sizes([" INFO [main] a", "ERROR [main] b", " WARN [main] c", "  12:00:01 d"]) == [1, 1, 1, 1]


@pytest.mark.parametrize("wrap", [docker, "web-1  | {}".format, "[pod/web-5c/app] {}".format])
def test_a_trace_in_a_containers_envelope_is_judged_by_its_messages(wrap: "type[str]") -> None:
    lines = [*stamped("a", "failed"), *PYTHON, *stamped("b")]

    assert sizes([wrap(line) for line in lines]) == [1, 5, 1]


def test_a_trace_under_cri_stamps_is_one_record() -> None:
    lines = [*stamped("failed"), *JAVA, *stamped("b")]

    assert sizes([f"2024-05-01T10:00:00.123456789Z stderr F {line}" for line in lines]) == [6, 1]


def test_a_message_in_parts_is_one_record() -> None:
    cri = "2024-05-01T10:00:00.123456789Z stdout {} {}"

    assert sizes([cri.format("P", "INFO one "), cri.format("F", "INFO two"), cri.format("F", "INFO x")]) == [
        2,
        1,
    ]
    assert sizes(['{"log":"INFO a","stream":"stdout"}', docker("INFO b"), docker("INFO c")]) == [2, 1]


def test_lines_of_two_containers_are_never_one_record() -> None:
    assert sizes(["web-1 | INFO a", "db-1 |   detail", "web-1 |   detail"]) == [1, 1, 1]


def test_json_lines_and_access_log_lines_are_records() -> None:
    access = '10.0.0.1 - - [22/Jan/2019:03:56:14 +0330] "GET / HTTP/1.1" 200 12'

    assert sizes([*stamped("a"), access, '{"level":"info","msg":"x"}', access]) == [1, 1, 1, 1]


def test_a_record_of_too_many_lines_is_broken_up() -> None:
    assert sizes([*stamped("a"), *["  row"] * (LONGEST - 1)]) == [LONGEST]
    assert sizes([*stamped("a"), *["  row"] * LONGEST]) == [1] * (LONGEST + 1)


def test_what_the_digits_are_does_not_matter() -> None:
    assert sizes(["1700000000 a", "2700000000 b", "9700000000.123 c"]) == [1, 1, 1]


PARTS = st.sampled_from(
    [*PYTHON, *JAVA, *GO, *RUST, *PHP, *stamped("a", "b"), "", "  x", "plain", "}", docker("\tat x")]
)


@pytest.mark.law
@given(st.lists(st.one_of(PARTS, st.text(max_size=20))))
def test_records_partition_the_lines(lines: list[str]) -> None:
    found = records(lines)

    assert [at for record in found for at in record] == list(range(len(lines)))
    assert all(1 <= len(record) <= LONGEST for record in found)


@pytest.mark.law
@given(st.lists(PARTS), st.lists(PARTS))
def test_what_comes_after_changes_no_record_but_the_last(before: list[str], after: list[str]) -> None:
    alone, together = records(before), records([*before, *after])
    settled = [record for record in alone if before[record.start].strip()][:-1]

    assert [record for record in together if record in settled] == settled
