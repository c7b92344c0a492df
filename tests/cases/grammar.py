"""The grammar of `must` lines: a form is a sentence with holes, and the function that checks it.

    @each_run("substring <text> survives")
    def survives(run: Run, text: str) -> None: ...

A form is a regular expression that has to match the whole line. A hole is one of `HOLES`; its value is
handed to the check in the order of the line.
"""

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.cases.outcome import Outcome

_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"} | {c: c for c in "\\/'\""}


def unquoted(text: str) -> str:
    """What a quoted string means; Python's and JSON's escapes, surrogate pairs joined."""

    def meant(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else _SHORT.get(found[3], found[0])

    inside = _ESCAPE.sub(meant, text[1:-1])
    return inside.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _all_quoted(text: str) -> list[str]:
    return [unquoted(found) for found in re.findall(_QUOTED, text)]


def _value(text: str) -> Any:
    """A JSON value, written as JSON or as Python writes it."""
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


_LIST = rf"(?:(?:{_QUOTED})(?:,\s*)?)*"
HOLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "text": (_QUOTED, unquoted),
    "texts": (rf"\[{_LIST}\]", _all_quoted),
    "int": (r"-?\d+", int),
    "ints": (r"\d+(?:, \d+)*(?:,? and \d+)?", lambda text: [int(n) for n in re.findall(r"\d+", text)]),
    "number": (r"\d+(?:\.\d+)?", float),
    "word": (r"\w+", str),
    "how": (r"at most|at least|exactly", str),
    "value": (rf"true|false|null|-?\d+(?:\.\d+)?|{_QUOTED}|\{{.*\}}", _value),
    "rest": (r".+", str),
}
_HOLE = re.compile(rf"<({'|'.join(HOLES)})>")


@dataclass(frozen=True)
class Form:
    """A sentence, and what it asks of an outcome and of the values in its holes."""

    sentence: str
    check: Callable[..., None]

    def values(self, line: str) -> list[Any] | None:
        """What stands in the holes of ``line``; None if it has another form."""
        holes = _HOLE.findall(self.sentence)
        pattern = _HOLE.sub(lambda hole: f"({HOLES[hole[1]][0]})", self.sentence)
        match = re.fullmatch(pattern, line, re.DOTALL)
        return match and [HOLES[hole][1](text) for hole, text in zip(holes, match.groups(), strict=True)]


_Check = TypeVar("_Check", bound=Callable[..., None])
FORMS: list[Form] = []


def form(sentence: str) -> Callable[[_Check], _Check]:
    """Register the check of a line about the whole outcome."""

    def registered(check: _Check) -> _Check:
        FORMS.append(Form(sentence, check))
        return check

    return registered


def each_run(sentence: str) -> Callable[[_Check], _Check]:
    """Register the check of a line that holds for every run."""

    def registered(check: _Check) -> _Check:
        def for_every_run(outcome: Outcome, *values: Any) -> None:
            assert outcome.runs, "the service was never asked"
            for run in outcome.runs:
                check(run, *values)

        FORMS.append(Form(sentence, for_every_run))
        return check

    return registered


def compares(how: str, found: float, wanted: float) -> bool:
    """Whether ``found`` is "at most", "at least" or "exactly" ``wanted``."""
    return {"at most": found <= wanted, "at least": found >= wanted, "exactly": found == wanted}[how]
