"""One line of each kind of report must stay, and few others."""


import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.errors import BadPin, PinTimeout
from elision.compaction.guard.segment import segment
from elision.compaction.pins.text import (
    caller_pins,
    compile_pins,
    error_template,
    exit_code,
    failing_test,
    find_pins,
    total,
)
from elision.model.types import Span


def pinned(text: str) -> list[tuple[str, str]]:
    read = segment(text)
    return [(pin.reason, pin.span.of(text).strip()) for pin in find_pins(text, read.lines, read.kinds)]


@pytest.mark.parametrize(
    "line",
    [
        "2024-05-03 10:11:12 ERROR [db] connection refused", "src/a.c:12:5: error: expected ';' before '}' token", "error[E0308]: mismatched types",
        "Error: Cannot find module 'x'", "ValueError: invalid literal for int()", "java.lang.NullPointerException", "npm ERR! code ELIFECYCLE",
        "E   AssertionError: assert 1 == 2", "fatal: not a git repository", "panic: runtime error: index out of range",
        "Traceback (most recent call last):", "bash: foo: command not found", "cat: x: No such file or directory", "Segmentation fault (core dumped)",
        "a.ts(12,5): error TS2322: Type 'x' is not assignable", "ts=1 level=error msg=\"boom\"", "make: *** [Makefile:12: all] Error 2",
        "Caused by: java.io.IOException: gone", "{\"level\":\"error\",\"msg\":\"boom\"}", "[ERROR] Failed to execute goal",
    ],
)  # fmt: skip
def test_a_reported_error_has_a_template(line: str) -> None:
    assert error_template(line)


@pytest.mark.parametrize(
    "line",
    [
        "Compiled with 0 errors", "The error handling here is rather good.", "2024-05-03 10:11:12 INFO no error found", "warning: unused import",
        "[WARNING] could fail one day", "    error: err.message,", "We talk about errors: they happen.", "class MyError(Exception):",
        "### 12. CRITICAL POINTS TO READ", "tests/test_error.py::test_error PASSED", "",
    ],
)  # fmt: skip
def test_what_only_mentions_errors_is_none(line: str) -> None:
    assert error_template(line) is None


def test_lines_that_differ_in_names_and_numbers_are_one_template() -> None:
    first = "2024-05-03 10:11:12 ERROR [w-1] request 1f3c to /a/b failed: 'x' after 12 ms"
    second = "2024-05-04 23:59:59 ERROR [w-22] request 9e0d to /c failed: 'why' after 3 ms"

    assert error_template(first) == error_template(second)
    assert error_template(first) != error_template("2024-05-03 10:11:12 ERROR [w-1] disk is full")


def test_the_first_and_the_last_of_each_error_are_pinned() -> None:
    text = "".join(f"2024-05-03 10:11:{n:02} ERROR worker {n} timed out\n" for n in range(9)) + "fatal: disk full\n"

    assert [line for reason, line in pinned(text) if reason == "error"] == [
        "2024-05-03 10:11:00 ERROR worker 0 timed out",
        "2024-05-03 10:11:08 ERROR worker 8 timed out",
        "fatal: disk full",
    ]


def test_code_that_mentions_an_error_is_not_pinned() -> None:
    assert pinned("  12→    raise ValueError(\"bad\")\n  13→Error: in a string\n```\nfatal: quoted\n```\n@@ -0,0 +1,1 @@\n+ERROR added\n") == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FAILED tests/test_a.py::TestB::test_c[x-1] - AssertionError: no", "tests/test_a.py::TestB.test_c[x-1]"),
        ("tests/test_a.py::test_c FAILED                                  [ 50%]", "tests/test_a.py::test_c"),
        ("_____________________________ TestB.test_c _____________________________", "TestB.test_c"),
        ("--- FAIL: TestX/with_sub (0.01s)", "TestX/with_sub"),
        ("not ok 3 - reads the file", "reads the file"),
        ("  ✕ adds numbers (5 ms)", "adds numbers"),
        ("test parser::reads_all ... FAILED", "parser::reads_all"),
        ("[ERROR] com.a.BTest.testC:12 expected:<1> but was:<2>", "com.a.BTest.testC"),
        ("22:02:14     INFO - TEST-UNEXPECTED-FAIL | dom/a.html | it broke", "dom/a.html"),
        ("ERROR: test_c (tests.test_a.TestB)", "test_c (tests.test_a.TestB)"),
        ("rspec ./spec/a_spec.rb:12 # does things", "./spec/a_spec.rb:12"),
        ("FAIL\tgithub.com/a/b/c\t0.318s", "github.com/a/b/c"),
    ],
)
def test_the_name_of_a_failing_test_is_read(line: str, name: str) -> None:
    assert failing_test(line) == name
    assert ("failing_test", line.strip()) in pinned(line + "\n")


@pytest.mark.parametrize("line", ["tests/test_a.py::test_c PASSED", "--- PASS: TestX (0.01s)", "ok 3 - reads the file", "FAILED to connect"])
def test_tests_that_pass_are_not_failing(line: str) -> None:
    assert failing_test(line) is None


@pytest.mark.parametrize(
    ("line", "code"),
    [("Process finished with exit code 137", "137"), ("exited with 1", "1"), ("Exit status: 2", "2"), ("returned non-zero exit status 3.", "3"),
     ("Exit code 1", "1"), ("Process exited with code 0", "0"), ("killed by SIGKILL", "SIGKILL"), ("Command failed with return code -15", "-15"),
     ("we exit the room", None), ("status code 403", None)],
)  # fmt: skip
def test_the_exit_code_is_read(line: str, code: str | None) -> None:
    assert exit_code(line) == code


@pytest.mark.parametrize(
    "line",
    [
        "=========== 3 failed, 10 passed in 2.10s ===========", "Tests:       1 failed, 2 passed, 3 total", "Tests run: 5, Failures: 1, Errors: 0",
        "Found 49 errors.", "✖ 12 problems (2 errors, 10 warnings)", "test result: FAILED. 3 passed; 1 failed", "12 rows in set (0.01 sec)",
        "[INFO] BUILD FAILURE", " 3 files changed, 10 insertions(+), 2 deletions(-)", "Ran 12 tests in 0.012s", "5 passing (12ms)", "(12 rows)",
    ],
)  # fmt: skip
def test_a_total_is_pinned(line: str) -> None:
    assert total(line)
    assert ("total", line.strip()) in pinned("some words to begin with here.\n" + line + "\n")


@given(st.text())
def test_pins_are_whole_lines_in_order_and_nothing_raises(text: str) -> None:
    read = segment(text)
    pins = find_pins(text, read.lines, read.kinds)

    assert pins == sorted(pins)
    assert {pin.span for pin in pins} <= set(read.lines)


def test_a_callers_pattern_pins_what_it_matches() -> None:
    pins = caller_pins("id-1 and id-22, x", compile_pins([r"id-\d+", "x*"]))

    assert [(pin.span, pin.reason) for pin in pins] == [(Span(0, 4), "caller"), (Span(9, 14), "caller"), (Span(16, 17), "caller")]


def test_a_pattern_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(BadPin, match=r"'a\(b'.*position"):
        compile_pins(["fine", "a(b"])


def test_an_evil_pattern_runs_out_of_time_and_says_so() -> None:
    with pytest.raises(PinTimeout, match="more than 1 s"):
        caller_pins("a" * 5000 + "!", compile_pins([r"(a|aa)+$"]))


def test_tests_of_one_name_in_two_files_are_two_and_a_heading_is_neither() -> None:
    text = "FAILED tests/a.py::test_x - no\nFAILED tests/b.py::test_x - no\n________ test_x ________\n"

    assert [p for p in pinned(text) if p[0] == "failing_test"] == [
        ("failing_test", "FAILED tests/a.py::test_x - no"),
        ("failing_test", "FAILED tests/b.py::test_x - no"),
    ]
