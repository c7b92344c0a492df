"""Tell what a line says from what it says it of: its constants from its variables.

A variable is a word with a digit in it: a number, a time, an id, an address. Two lines are alike only if
all else is equal, letter by letter, so a template and its values give the line back.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

HOLE = "\0"
VARIABLE = re.compile(
    r"""
    ( (?<![^\W_]) [0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12} (?![^\W_])
    | (?<!\d) \d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d (?!\d)
    | (?<![^\W_]) [^\W\d_]*+ \d [^\W_]*+ (?: [.:,/\-+_] [^\W\d_]*+ \d [^\W_]*+ )*+ )
    """,
    re.VERBOSE,
)
_STAMP = re.compile(
    r"""
      (?:\d{4}-\d\d-\d\d[T ])? [0-2]?\d:[0-5]\d (?: :[0-5]\d (?:[.,]\d{1,9})? )? (?:Z|[+-]\d\d:?\d\d)? $    # a time
    | \d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d $                                                           # of a web server
    | (?:19|20)\d\d([-/.]?)(?:0[1-9]|1[0-2])\1(?:[0-2]\d|3[01]) $                                         # a day
    | (?:[0-2]?\d|3[01])([-/.])(?:[0-2]?\d|3[01])\2(?:19|20)\d\d $
    """,
    re.VERBOSE,
)
_HEAD = 60  # characters of a record in which its own time stands


@dataclass(frozen=True, slots=True)
class Masked:
    """The lines of a text as templates, and their values.

    Attributes:
        lines: The lines without their line feeds.
        templates: The lines with a `HOLE` for each variable.
        values: All variables, in text order.
        first: For each line where its values begin, and where the last one's end; one more than lines.
    """

    lines: Sequence[str]
    templates: Sequence[str]
    values: Sequence[str]
    first: Sequence[int]

    def of(self, lines: range) -> tuple[str, ...]:
        """The values of some lines that follow each other."""
        return tuple(self.values[self.first[lines.start] : self.first[lines.stop]])


def masked(text: str) -> Masked:
    """The lines of a text that holds no `HOLE`; what follows the last line feed is a line if it is not empty."""
    parts = VARIABLE.split(text)  # constants and variables in turn
    lines, templates = text.split("\n"), HOLE.join(parts[::2]).split("\n")
    if not lines[-1]:
        lines.pop(), templates.pop()
    first = list(accumulate((template.count(HOLE) for template in templates), initial=0))
    return Masked(lines, templates, parts[1::2], first)


def filled(template: str, values: Sequence[str]) -> str:
    """The text that a template and its values make."""
    return "".join(_woven(template.split(HOLE), values))


def stamp_slots(template: str, values: Sequence[str]) -> tuple[int, ...]:
    """Which variables tell when a record was written: a day and a time at its beginning, or one of them."""
    at, found = 0, list[int]()
    for slot, (constant, value) in enumerate(zip(template.split(HOLE), values, strict=False)):
        at += len(constant)
        if at > _HEAD or "\n" in constant or len(found) == 2:
            break
        if _STAMP.match(value):
            found.append(slot)
        at += len(value)
    return tuple(found)


def _woven(constants: Sequence[str], values: Sequence[str]) -> Iterator[str]:
    yield constants[0]
    for value, constant in zip(values, constants[1:], strict=True):
        yield value
        yield constant
