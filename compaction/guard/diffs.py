"""Find the lines of diffs, patches and conflict markers: lose one and nothing applies any more.

A unified hunk says in its header how many lines it has; those are counted, so prose after a
hunk is prose again.
"""

from collections.abc import Sequence

import regex

_HEADER = regex.compile(
    r"diff (?:--git|-\S|--cc|--combined) |Index: \S|index [0-9a-f]{4,}\.\.[0-9a-f]{4,}|(?:new|deleted) file mode \d|old mode \d"
    r"|new mode \d|(?:dis)?similarity index \d|rename (?:from|to) |copy (?:from|to) |Binary files .* differ|GIT binary patch"
    r"|\\ No newline at end of file|\*\*\* (?:Add|Update|Delete) File: "
)
_HUNK = regex.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@|@@@+ (?:-\d+(?:,\d+)? ){2,}\+\d+(?:,(?P<all>\d+))? @@@+")
_CLASSIC = regex.compile(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$")
_OPEN = regex.compile(r"<{5,9}(?:\s|$)|\*\*\* Begin Patch")
_CLOSE = regex.compile(r">{5,9}(?:\s|$)|\*\*\* End Patch")


def find(rows: Sequence[str]) -> set[int]:
    """Indices of the rows that belong to a diff, a patch or a conflict."""
    return _unified(rows) | _between_markers(rows)


def _unified(rows: Sequence[str]) -> set[int]:
    found: set[int] = set()
    at = 0
    while at < len(rows):
        row = rows[at]
        if hunk := _HUNK.match(row):
            stop = _hunk_end(rows, at + 1, hunk)
        elif row.startswith("--- ") and at + 1 < len(rows) and rows[at + 1].startswith("+++ "):
            stop = at + 2
        elif _CLASSIC.match(row):
            stop = _classic_end(rows, at + 1)
        else:
            stop = at + 1 if _HEADER.match(row) else at
        found.update(range(at, stop))
        at = max(stop, at + 1)
    return found


def _hunk_end(rows: Sequence[str], at: int, hunk: "regex.Match[str]") -> int:
    if hunk["all"] is not None or hunk[0].startswith("@@@"):
        while at < len(rows) and rows[at][:1] in (" ", "+", "-"):
            at += 1
        return at
    old, new = (int(count[:9]) if count is not None else 1 for count in (hunk[1], hunk[2]))
    while at < len(rows) and (old > 0 or new > 0 or rows[at].startswith("\\")):
        sign = rows[at][:1]
        if sign not in (" ", "+", "-", "\\", ""):
            break
        old -= sign in (" ", "-", "")
        new -= sign in (" ", "+", "")
        at += 1
    return at


def _classic_end(rows: Sequence[str], at: int) -> int:
    start = at
    while at < len(rows) and (rows[at][:2] in ("< ", "> ", "<", ">") or rows[at] in ("---", "\\ No newline at end of file")):
        at += 1
    return at if at > start else start - 1


def _between_markers(rows: Sequence[str]) -> set[int]:
    """Whole conflicts; a marker without its partner is claimed alone."""
    found: set[int] = set()
    opened: int | None = None
    for at, row in enumerate(rows):
        if row[:1] not in "<>*" or not row:
            continue
        if _OPEN.match(row):
            opened = at
            found.add(at)
        elif _CLOSE.match(row) and opened is not None:
            found.update(range(opened, at + 1))
            opened = None
    return found
