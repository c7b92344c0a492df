"""Say which line names the file or folder that the lines under it are from.

``12:    return pool`` is a line of some file; which one stands above it, once, in
``rg --heading``, ``ls -R``, eslint, ``head a b``, ``go build`` and ``git status``.
"""

from collections.abc import Iterator, Sequence
from functools import cache

import regex

from elision.compaction.types import Kind

_PATH = r"(?!\d{1,7}[:\-])(?=.{0,300}[./])(?:[A-Za-z]:\\)?[\w.@+~/\\\- ]{1,300}$"
_LISTINGS = tuple(
    (regex.compile(heading, regex.VERBOSE), regex.compile(member, regex.VERBOSE))
    for heading, member in (
        (_PATH, r"\d{1,7}[:\-](?!\d)|--$"),  # rg --heading
        (_PATH, r"\s{1,6}\d{1,7}:\d{1,7}\s{1,4}\S"),  # eslint
        (r"(?:\.{1,2}|[\w.@+~\- ]*/[\w.@+~/\- ]*):$", r"\S.*(?<!:)$"),  # ls -R
        (r"==>\s.{1,300}\s<==$", r"(?!==>\s)"),  # head, tail
        (r"\#\s[\w.\-]+/\S+(?:\s\[.*\])?$", r"\S{1,200}:\d{1,7}:|\t"),  # go build, go vet
        (r"(?:Changes|Untracked|Unmerged|Ignored)\s[\w\s]{3,40}:$", r"\t\S|\s{2}\(use\s"),  # git status
    )
)
_NEVER = frozenset({Kind.BLANK, Kind.DIFF, Kind.LOG, Kind.TRACE})


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each line of a listing with the line that names where it is from."""
    members = cache(_members)  # long texts say the same again and again
    at = 0
    while at + 1 < len(rows):
        stop = at + 1
        if kinds[at] not in _NEVER and kinds[stop] is not Kind.BLANK and rows[at][:1] not in ("", " ", "\t"):
            for member in members(rows[at]):
                stop = max(stop, _end(rows, at, member))
        for below in range(at + 1, stop):
            yield below, at
        at = stop


def _members(row: str) -> list["regex.Pattern[str]"]:
    """What stands under ``row``, for each kind of listing that it may head."""
    return [member for heading, member in _LISTINGS if heading.match(row)]


def _end(rows: Sequence[str], at: int, member: "regex.Pattern[str]") -> int:
    """One past the last line of a listing headed at ``at``."""
    stop = at + 1
    if not member.match(rows[stop]):
        return stop
    while stop < len(rows) and rows[stop].strip() and member.match(rows[stop]):
        stop += 1
    return stop
