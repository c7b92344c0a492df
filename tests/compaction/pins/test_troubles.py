"""One failure is one pin, and it says what went wrong."""

from typing import Any

import pytest
from messages import call, result, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.troubles import failures
from elision.compaction.pins.types import PinKind

NPM = """npm error Lifecycle script `check` failed with error:
npm error code 2
npm error path /src/tui
npm error workspace @x/tui@0.1.0
npm error location /src/tui
npm error command failed
npm error command sh -c tsgo --noEmit"""
NPM_6 = """npm ERR! code ELIFECYCLE
npm ERR! errno 1
npm ERR! x@1.0.0 test: `jest`
npm ERR! Exit status 1
npm ERR!
npm ERR! Failed at the x@1.0.0 test script.
npm ERR! A complete log of this run can be found in: /x.log"""
TSC = "src/a.ts(3,8): error TS2339: Property 'b' does not exist on type 'C'."
PYTEST = """=================================== FAILURES ===================================
___________________________________ test_vat ___________________________________

    def test_vat():
>       assert tax(100) == 22
E       AssertionError: assert 21 == 22
E        +  where 21 = tax(100)
E         
E         ...Full output truncated (2 lines hidden), use '-vv' to show

tests/test_tax.py:4: AssertionError
"""
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    x()\n'
UNITTEST = """test_a (tests.T) ... ok
======================================================================
ERROR: test_b (tests.T)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "t.py", line 3, in test_b
    import foo
ModuleNotFoundError: No module named 'foo'

----------------------------------------------------------------------
Ran 2 tests in 0.000s
"""


@pytest.mark.parametrize(
    ("output", "told_of"),
    [
        (f"{TSC}\n{NPM}", [TSC]),
        (f"{TSC}\n{NPM}\n{NPM}", [TSC]),
        (f"sh: line 1: jest: command not found\n{NPM_6}", ["sh: line 1: jest: command not found"]),
        (NPM, ["npm error Lifecycle script `check` failed with error:"]),
        (
            "npm error code E404\nnpm error 404 Not Found - GET https://r.org/x\nnpm error 404 'x@1' is not here",
            ["npm error 404 Not Found - GET https://r.org/x"],
        ),
        ('npm error Missing script: "lint"', ['npm error Missing script: "lint"']),
        (
            "cc: error: no input files\nmake: *** [Makefile:3: all] Error 1\nmake[1]: *** [x] Error 2",
            ["cc: error: no input files"],
        ),
        ("make: *** [Makefile:3: all] Error 1", ["make: *** [Makefile:3: all] Error 1"]),
        (
            "error[E0382]: borrow of moved value: `x`\nerror: could not compile `a` (bin \"a\") due to 1 previous error",
            ["error[E0382]: borrow of moved value: `x`"],
        ),
        ("a.c:(.text+0x5): undefined\nError: Process completed with exit code 1.", ["Error: Process completed with exit code 1."]),
        (f"{TSC}\nError: Process completed with exit code 1.", [TSC]),
        ("  × expected a semicolon\n  × Some errors were emitted while applying fixes.", ["  × expected a semicolon"]),
        (PYTEST, ["E       AssertionError: assert 21 == 22"]),
        (
            PYTEST + "FAILED tests/test_tax.py::test_vat - AssertionError: assert 21 == 22",
            ["FAILED tests/test_tax.py::test_vat - AssertionError: assert 21 == 22"],
        ),
        (
            "tests/test_tax.py::test_vat FAILED [ 50%]\n" + PYTEST + "FAILED tests/test_tax.py::test_vat",
            ["FAILED tests/test_tax.py::test_vat"],
        ),
        ("tests/test_tax.py::test_vat FAILED [ 50%]\n" + PYTEST, ["tests/test_tax.py::test_vat FAILED [ 50%]"]),
        (
            'E     File "a.py", line 3\nE       def f(\nE   SyntaxError: \'(\' was never closed',
            ["E   SyntaxError: '(' was never closed"],
        ),
        (UNITTEST, ["ModuleNotFoundError: No module named 'foo'"]),
        (TRACE + "ValueError: bad port", ["ValueError: bad port"]),
        (TRACE + "jwt.Expired: signature has expired", ["jwt.Expired: signature has expired"]),
        (TRACE + "StopIteration", ["StopIteration"]),
        (TRACE + "gone wrong\nNote: all is well", ["Traceback (most recent call last):"]),
        (TRACE, ["Traceback (most recent call last):"]),
        (
            f"{TRACE}KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n{TRACE}ConfigError: no a",
            ["ConfigError: no a"],
        ),
        (
            'Exception in thread "main" a.BootException: no start\n\tat a.B.c(B.java:3)\nCaused by: java.net.ConnectException: refused',
            ["Caused by: java.net.ConnectException: refused"],
        ),
        ("t.py::test_log[ERROR: no server] PASSED [ 43%]\ntest a::error: x ... ok", []),
        ("a.py:1: error: one\nb.py:2: error: two things", ["a.py:1: error: one", "b.py:2: error: two things"]),
    ],
)  # fmt: skip
def test_a_failure_is_told_once_by_the_line_that_says_most(output: str, told_of: list[str]) -> None:
    assert list(failures([output]).values()) == told_of


def open_errors(*messages: dict[str, Any]) -> list[str]:
    conversation = read(told([user("Go"), *messages], Format.OPENAI_CHAT), Format.OPENAI_CHAT)
    return [pin.text for pin in collect(conversation) if pin.kind is PinKind.ERROR]


def test_the_footer_of_a_run_resolves_nothing_and_stands_alone_only_where_nothing_else_does() -> None:
    def ran(number: int, output: str) -> list[dict[str, Any]]:
        return [call(f"c{number}", "bash", {"command": "npm run check"}), result(f"c{number}", output)]

    assert open_errors(*ran(1, f"{TSC}\n{NPM}")) == [TSC]
    assert open_errors(*ran(1, NPM), *ran(2, "Checked 3 files.")) == []


@pytest.mark.parametrize(
    "before",
    ["", "[212 lines of Edit elided, elision://abc]\n", "\n  \n", "```\n"],
)
def test_a_failed_call_without_an_error_line_is_told_by_its_first_words(before: str) -> None:
    body = told([user("Go"), call("c1", "Edit", {"path": "a.py"}), result("c1", before + "It did not go.\nMore.")], Format.ANTHROPIC)  # fmt: skip
    failed = body.replace('"type": "tool_result"', '"type": "tool_result", "is_error": true')
    pins = collect(read(failed, Format.ANTHROPIC))

    assert [pin.text for pin in pins if pin.kind is PinKind.ERROR] == ["It did not go."]


@pytest.mark.parametrize("heading", ["ERROR:", "Error:", "error :", "FAILED:"])
def test_of_a_heading_that_only_says_error_the_line_below_is_told(heading: str) -> None:
    said = "No replacement was performed, the text did not appear in a.py."

    assert list(failures([f"{heading}\n\n{said}\nmore"]).values()) == [said]


def test_a_heading_that_only_says_error_is_told_where_nothing_follows() -> None:
    assert list(failures(["ERROR:\n"]).values()) == ["ERROR:"]


def test_below_such_a_heading_an_error_is_read_as_ever() -> None:
    text = "ERROR:\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad"

    assert list(failures([text]).values()) == ["ValueError: bad"]


@pytest.mark.parametrize(
    "row", ["+\t} else if !os.IsNotExist(err) {", "-    raise ValueError(f'{x}')", "+\tif err != nil; fatal(err) {"]
)
def test_changed_code_reports_no_error(row: str) -> None:
    assert failures([row]) == {}
