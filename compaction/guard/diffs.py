"""Find the lines of diffs, patches and conflict markers: lose one and nothing applies any more.

A unified hunk says in its header how many lines it has; those are counted, so prose after a
hunk is prose again.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_HEADER = regex.compile(
    r"diff (?:--git|-\S|--cc|--combined) |Index: \S|index [0-9a-f]{4,}(?:,[0-9a-f]{4,})*\.\.[0-9a-f]{4,}|(?:new|deleted) file mode \d|(?:old )?mode \d"
    r"|new mode \d|(?:dis)?similarity index \d|rename (?:from|to) |copy (?:from|to) |Binary files .* differ|GIT binary patch"
    r"|\\ No newline at end of file|\*\*\* (?:Add|Update|Delete) File: "
)
_FIRST = frozenset("dIinomrscB GN*\\")
_FILE = regex.compile(r"diff |Index: |\*\*\* \w+ File: ")
_HUNK = regex.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@|@@@+ (?:-\d+(?:,\d+)? ){2,}\+\d+(?:,(?P<all>\d+))? @@@+")
_CLASSIC = regex.compile(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$")
_OPEN = regex.compile(r"<{5,9}(?:\s|$)|\*\*\* Begin Patch")
_CLOSE = regex.compile(r">{5,9}(?:\s|$)|\*\*\* End Patch")


def find(rows: Sequence[str]) -> set[int]:
    """Indices of the rows that belong to a diff, a patch or a conflict."""
    lone = {at for at, row in enumerate(rows) if row[:1] in ("<", "*") and _OPEN.match(row)}
    return lone.union(*(part for part, _ in _parts(rows)), *_between_markers(rows))


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Hunks, the headers of files, conflicts and patches: ``git apply`` takes each whole or not at all."""
    if Kind.DIFF not in kinds:
        return
    for head, hunks in _files(rows):
        yield head
        yield from hunks
    yield from _between_markers(rows)


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each line of a hunk with the hunk's header, and that with the first line of the file's."""
    for head, hunks in _files(rows) if Kind.DIFF in kinds else ():
        for hunk in hunks:
            if head:
                yield hunk[0], head[0]
            for at in hunk[1:]:
                yield at, hunk[0]


def _files(rows: Sequence[str]) -> Iterator[tuple[range, list[range]]]:
    """The header of each file, with its hunks; hunks without a file have an empty header."""
    head, hunks = range(0), list[range]()
    for part, is_hunk in _parts(rows):
        if is_hunk:
            hunks.append(part)
        elif head and not hunks and part.start == head.stop and not _FILE.match(rows[part.start]):
            head = range(head.start, part.stop)
        elif not rows[part.start].startswith("\\"):
            yield head, hunks
            head, hunks = part, []
    yield head, hunks


def _parts(rows: Sequence[str]) -> Iterator[tuple[range, bool]]:
    """Header lines, one or two a part, and hunks; whether each is a hunk."""
    at = 0
    while at < len(rows):
        row = rows[at]
        hunk = _HUNK.match(row) if row[:2] == "@@" else None
        classic = row[:1].isdigit() and _CLASSIC.match(row)
        if hunk:
            stop = _hunk_end(rows, at + 1, hunk)
        elif row.startswith("--- ") and at + 1 < len(rows) and rows[at + 1].startswith("+++ "):
            stop = at + 2
        elif classic:
            stop = _classic_end(rows, at + 1)
        else:
            stop = at + 1 if row[:1] in _FIRST and _HEADER.match(row) else at
        if stop > at:
            yield range(at, stop), bool(hunk or classic)
        at = max(stop, at + 1)


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


def _between_markers(rows: Sequence[str]) -> Iterator[range]:
    """Whole conflicts and patches."""
    opened: int | None = None
    for at, row in enumerate(rows):
        if row[:1] not in ("<", ">", "*"):
            continue
        if _OPEN.match(row):
            opened = at
        elif _CLOSE.match(row) and opened is not None:
            yield range(opened, at + 1)
            opened = None
