"""Say which row names the fields of a CSV or TSV listing, and read past separators inside quotes."""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_QUOTED = regex.compile(r"\"(?:[^\"]|\"\")*+\"")
_NAMES = {mark: regex.compile(rf"\"?[\p{{L}}_#][^{mark}\"\d]{{0,40}}+\d{{0,3}}\"?(?:{mark}\s?\"?[\p{{L}}_#][^{mark}\"]{{0,40}}+\"?)*\s*$") for mark in ",;\t"}
_ROWS = frozenset({Kind.TABLE, Kind.CODE, Kind.PROSE})


def unquoted(row: str) -> str:
    """The row with every quoted field emptied, so that each separator left is one."""
    return _QUOTED.sub('""', row) if '"' in row else row


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each row of at least two with the row that names its fields."""
    at = 0
    while at < len(rows):
        mark = _separator(rows[at]) if kinds[at] is Kind.TABLE else None
        stop = at + 1
        if mark and (at == 0 or mark not in rows[at - 1]):
            count = rows[at].count(mark)
            while stop < len(rows) and kinds[stop] in _ROWS and unquoted(rows[stop]).count(mark) == count:
                stop += 1
            if stop - at > 2:
                for below in range(at + 1, stop):
                    yield below, at
        at = stop


def _separator(row: str) -> str | None:
    """What separates the names in a row of names, or None."""
    for mark, names in _NAMES.items():
        if row.count(mark) >= (1 if mark == "\t" else 2) and names.match(row, 0, 1000):
            return mark
    return None
