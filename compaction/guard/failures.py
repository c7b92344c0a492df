"""Find what a test runner prints under the name of a test that failed: why it did.

A reason without its test cannot be acted on. Runners set a failure apart by indentation
(go test, jest, mocha, rspec, TAP) or by a heading up to the next (pytest, cargo, unittest).
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_FIRST = frozenset(" \t-_=FE0123456789n●✕×✗✘")
_INDENTED = regex.compile(r"\s*(?:---\sFAIL:\s|●\s|[✕×✗✘]\s|not\sok\s\d)|\s{2,12}\d{1,4}\)\s")
_SECTION = regex.compile(
    r"""
      (?P<pytest>_{3,}\s.{1,300}\s_{3,}\s*$)
    | (?P<cargo>----\s\S{1,300}\sstdout\s----)
    | (?P<unittest>(?:FAIL|ERROR):\s\w{1,200}\s\()
    | (?P<dotnet>\s{1,8}Failed\s\S.{0,300}\[[^\]]{1,20}\]\s*$)
    | (?P<phpunit>\d{1,5}\)\s[\w\\]{1,300}::\w)
    """,
    regex.VERBOSE,
)
_ENDS = {
    "pytest": regex.compile(r"_{3,}\s.*\s_{3,}\s*$|={3,}\s.*={3,}\s*$"),
    "cargo": regex.compile(r"----\s|failures:|test result:"),
    "unittest": regex.compile(r"={20,}$|Ran \d"),
    "dotnet": regex.compile(r"\s*$|\s*(?:Passed|Failed|Skipped)[\s!]"),
    "phpunit": regex.compile(r"\d{1,5}\)\s|FAILURES!|ERRORS!|--$"),
}
_BANNER = regex.compile(r"={3,}\s\p{L}[\p{L}\s]{0,60}\s={3,}\s*$")
_UNDER_BANNER = regex.compile(r"_{3,}\s|(?:FAILED|ERROR)\s\S")
# More lines of detail than this are chosen one by one: every failing test is pinned, its details are not.
SHORT = 4


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Failures with a few indented lines of detail."""
    for at, stop in _failures(rows, kinds):
        if stop - at <= SHORT + 1 and not _SECTION.match(rows[at]):
            yield range(at, stop)


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each detail with its test's line, and that with the heading of the list of failures."""
    for start, stop in _failures(rows, kinds):
        for at in range(start + 1, stop):
            yield at, start
    banner: int | None = None
    for at, row in enumerate(rows):
        if row[:3] == "===" and _BANNER.match(row):
            banner = at
        elif banner is not None and row[:1] in ("_", "F", "E") and _UNDER_BANNER.match(row):
            yield at, banner


def _failures(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """First line of each failure and one past its last, which is not blank."""
    at = 0
    while at < len(rows):
        row = rows[at]
        stop = at + 1
        if row[:1] in _FIRST and kinds[at] not in (Kind.DIFF, Kind.BLANK):
            if section := _SECTION.match(row):
                stop = _section_end(rows, at, _ENDS[str(section.lastgroup)])
            elif _INDENTED.match(row):
                stop = _deeper_end(rows, at)
        while stop > at + 1 and not rows[stop - 1].strip():
            stop -= 1
        if stop > at + 1:
            yield at, stop
        at = stop


def _section_end(rows: Sequence[str], at: int, end: "regex.Pattern[str]") -> int:
    stop = at + 1
    while stop < len(rows) and not end.match(rows[stop]):
        stop += 1
    return stop


def _deeper_end(rows: Sequence[str], at: int) -> int:
    depth = _depth(rows[at])
    stop = at + 1
    while stop < len(rows) and (not rows[stop].strip() or _depth(rows[stop]) > depth):
        stop += 1
    return stop


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
