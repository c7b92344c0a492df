"""The markers that stand where lines went: how they are written, and how they are known again.

A line that is one stands for as many lines as it says, in our own next pass as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from elision.compaction.types import Kind

OPENING = "[…"
_AS_ABOVE = " as above"
_MARKER = regex.compile(
    rf"\[…(?P<lines>[0-9]{{1,9}}) lines?(?P<alike>{_AS_ABOVE})?(?:, (?P<errors>[0-9]{{1,9}}) (?:repeated )?errors?)?"
    r"(?P<said>: .*)?\]\s*$"
)


@dataclass(frozen=True, slots=True)
class Counted:
    """What a marker stands for: its lines, and how many of them report errors."""

    lines: int
    errors: int


def marker(lines: int, repeated_errors: int = 0) -> str:
    """The text that stands where ``lines`` lines went.

    Four tokens: a long text has many, and each token of them is one less of the text itself.
    """
    return f"[…{_lines(lines)}{_errors(repeated_errors, 'repeated ')}]"


def alike_marker(lines: int, errors: int, said: str = "") -> str:
    """The text that stands where ``lines`` lines went that are like lines further up."""
    return f"[…{_lines(lines)}{_AS_ABOVE}{_errors(errors)}{': ' * bool(said)}{said}]"


def counted(row: str) -> Counted | None:
    """What a line stands for, if it is a marker."""
    found = _MARKER.match(row) if row.startswith(OPENING) else None
    return Counted(int(found["lines"]), int(found["errors"] or 0)) if found else None


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Markers of lines like the one right above them, each with that line."""
    for at, kind in enumerate(kinds):
        if kind is Kind.MARKER and at and kinds[at - 1] not in (Kind.MARKER, Kind.BLANK):
            found = _MARKER.match(rows[at])
            if found and found["alike"] and "×" not in (found["said"] or ""):
                yield at, at - 1


def _lines(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _errors(errors: int, repeated: str = "") -> str:
    return f", {errors} {repeated}error{'s' * (errors > 1)}" if errors else ""
