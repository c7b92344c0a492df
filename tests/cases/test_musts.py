"""Every form of a `must` line tells an outcome that it holds for from one that it does not."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.cases.examples.build import SUCCEEDED, Example
from tests.cases.grammar import FORMS, unquoted
from tests.cases.musts import check, known

FAMILIES = sorted(path.stem for path in (Path(__file__).parent / "forms").glob("*.py"))
EXAMPLES: list[Example] = [
    example for family in FAMILIES for example in import_module(f"tests.cases.examples.{family}").EXAMPLES
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.line)
def test_a_line_holds_where_it_should(example: Example) -> None:
    check(example.line, example.holds)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.line)
def test_a_line_breaks_where_it_should(example: Example) -> None:
    with pytest.raises(AssertionError, match=r".+: .+"):
        check(example.line, example.breaks)


def test_every_form_has_an_example() -> None:
    shown = {form.sentence for example in EXAMPLES for form in known(example.line)}

    assert {form.sentence for form in FORMS} == shown


def test_an_unknown_line_is_an_error() -> None:
    with pytest.raises(LookupError, match="output is nice"):
        check("output is nice", SUCCEEDED)


@pytest.mark.parametrize(
    ("quoted", "meant"),
    [
        (r'"a\"b"', 'a"b'),
        (r"'it\'s'", "it's"),
        (r'"C:\\work"', r"C:\work"),
        (r"'C:\work'", r"C:\work"),
        (r'"\ud83d\ude80\n"', "🚀\n"),
    ],
)
def test_quoted_strings_are_read_as_json_and_python_write_them(quoted: str, meant: str) -> None:
    assert unquoted(quoted) == meant
