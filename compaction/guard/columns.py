"""Say which row names the columns of a table: a cell means what the header says.

A header is known by the rule under it (markdown, psql, boxes, ``pip list``), or by being in
capitals (``NAME  READY  STATUS``), or by being the one row of a listing without a figure (``df``).
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.guard.tables import gaps, is_capital_header
from elision.compaction.types import Kind

_RULE = regex.compile(r"[\s|+:\-=─━═┼╪╋┬┴├┤╞╡╠╣┌┐└┘╔╗╚╝╬╦╩│║┃┏┓┗┛┡┩╇]+$")
_DASHES = regex.compile(r"-{2,}|={2,}|─{2,}|━{2,}|═{2,}")
_BARS = frozenset("|+│║┃┼╪╋╬┬")
_TITLES = regex.compile(r"\s*\p{Lu}[\p{L}%()/_.\-]*(?:\s{1,20}[\p{L}%()/_.\-]+)*\s*$")
_FIGURE = regex.compile(r"\d")
# Lines of words do not stand in a table without bars.
_NO_ROW = frozenset({Kind.BLANK, Kind.PROSE, Kind.DIFF, Kind.TRACE})


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each row with its header, by way of the rule between them where there is one."""
    at = 0
    while at < len(rows):
        stop = at + 1
        if kinds[at] is Kind.TABLE:
            if at and _is_rule(rows[at]) and kinds[at - 1] not in (Kind.BLANK, Kind.DIFF):
                stop = _ruled_end(rows, kinds, at)
                yield at, at - 1
                if at > 1 and _is_rule(rows[at - 2]):
                    yield at - 1, at - 2
            elif _names_columns(rows, kinds, at):
                stop = _gapped_end(rows, kinds, at)
            for below in range(at + 1, stop):
                yield below, at
        at = stop


def _is_rule(row: str) -> bool:
    dashes = len(_DASHES.findall(row, 0, 400))
    return bool(dashes and _RULE.match(row)) and (dashes > 1 or not _BARS.isdisjoint(row))


def _ruled_end(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> int:
    barred = not _BARS.isdisjoint(rows[at])
    stop = at + 1
    while stop < len(rows) and (
        not _BARS.isdisjoint(rows[stop]) if barred else kinds[stop] not in _NO_ROW
    ) and kinds[stop] is not Kind.BLANK:
        stop += 1
    return stop


def _names_columns(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> bool:
    row = rows[at]
    if is_capital_header(row):
        return not (at + 1 < len(rows) and _is_rule(rows[at + 1]))
    first = at == 0 or kinds[at - 1] is not Kind.TABLE
    if not first or gaps(row) < 2 or not _TITLES.match(row, 0, 400):
        return False
    below = rows[at + 1 : at + 3]
    return len(below) == 2 and all(gaps(other) >= 2 and _FIGURE.search(other) for other in below)


def _gapped_end(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> int:
    stop = at + 1
    while stop < len(rows) and kinds[stop] is Kind.TABLE and gaps(rows[stop]) and not is_capital_header(rows[stop]):
        stop += 1
    return stop
