"""Documents between other lines are found as whole lines."""

import json

import pytest

from elision.compaction.guard.embedded_json import find
from elision.compaction.guard.lines import split_lines

DOCUMENT = json.dumps({"a": [1, {"b": "}{"}], "c": None}, indent=2)


def found(text: str) -> list[range]:
    return find(text, split_lines(text))


def test_a_document_of_several_lines_is_found() -> None:
    text = f"before\n{DOCUMENT}\nbetween\n  {DOCUMENT}\n"

    rows = len(DOCUMENT.splitlines())
    assert found(text) == [range(1, 1 + rows), range(2 + rows, 2 + 2 * rows)]


@pytest.mark.parametrize(
    "text",
    [
        '{"on": "one line"}\n',
        "void f() {\n  return;\n}\n",
        "[INFO] started\n[INFO] done\n",
        '{\n  "cut": "off",\n',
        f"{DOCUMENT} and more\n",
        '{\n  "a": 1\n  "b": 2\n}\n',
    ],
)
def test_what_is_no_document_of_its_own_lines_is_not(text: str) -> None:
    assert found(text) == []


def test_a_document_that_breaks_off_is_read_once() -> None:
    assert found("[[1,\n" * 100_000) == []
