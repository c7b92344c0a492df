"""Find rows of tables: markdown, boxes, CSV and TSV, columns set with spaces, listings.

A cell means what its column says, so a row that lost a word is a wrong row. Columns are
found by alignment over at least three rows, not by guessing what a program prints.
"""

from collections.abc import Callable, Sequence
from functools import cache

import regex

from elision.compaction.guard.csv import unquoted

_ROW = regex.compile(
    r"""
      \s*+\|.*\|\s*$ | \s*+\|?(?:\s*+:?-{3,}+:?\s*+\|)+ | (?=[-=\s]*+[+|][-=+|\s]{3})[-=+|\s]++$
    | \s*+[┌┬┐├┼┤└┴┘─│┃╭╰═║╔╠╚━▕▏]
    | [-dlbcps][-rwxsStT]{9}[.+@]?\s
    | (?:[ MADRCU?!][MADRCU?!]|[MADRCU][ ])\s(?:\S+|\S.{0,200}(?:\s->\s\S.{0,200}|\.\w{1,8}|/))$
    | [*|\\/_\s]{1,30}+(?<=\s)[0-9a-f]{7,40}\s\S
    | \s*+(?:[├└`|]──|\|--|`--)
    | \s*+[-=]{3,}+(?:\s++[-=]{2,}+)*+\s*+$
    | \s*+\d[\d.,]*[KMGT]?(?:\s++\d[\d.,]*[KMGT%]?){0,12}\s++[\w./~*-]+[/.]?\s*$
    | [0-9a-f]{7,40}\s\S
    """,
    regex.VERBOSE,
)
_BARE_RULE = regex.compile(r"\s*:?-{3,}:?(?:\s*\|\s*:?-{3,}:?)+\s*$")
_GAP = regex.compile(r"(?<=\S)(?:\s{2,}|\t\s*)(?=\S)")
_CAPITALS = regex.compile(r"\s*[A-Z][A-Z0-9%#/()_.\-]*(?:\s[A-Z0-9(][A-Z0-9%#/()_.\-]*)*(?:\s{2,}|\t)[A-Z0-9%#/()_.\-]+(?:\s{1,}[A-Z0-9%#/()_.\-]+)*\s*$")
_COMMA = regex.compile(r",(?!\s)")
# So many gaps between cells that the row needs no neighbours to be one.
_MANY_GAPS = 3
# More words between two commas than this are a sentence, not a cell.
_WORDS_A_CELL = 6
# Fewer rows than this that happen to align are chance.
_MIN_ROWS = 3


def find(rows: Sequence[str]) -> set[int]:
    """Indices of the rows that belong to a table or a listing."""
    stands_alone = cache(_stands_alone)  # long texts say the same again and again
    found = {at for at, row in enumerate(rows) if row and stands_alone(row)}
    found |= _capital_headed(rows)
    found |= _runs(rows, cache(_separators))
    found |= _barred(rows)
    found |= _aligned(rows)
    return found


def gaps(row: str) -> int:
    """How many times cells of a row stand more than a space apart."""
    return len(_GAP.findall(row, 0, 300)) if "  " in row else 0


def is_capital_header(row: str) -> bool:
    """Whether a row names columns in capitals, such as ``NAME   READY   STATUS``."""
    return ("  " in row or "\t" in row) and bool(_CAPITALS.match(row))


def _stands_alone(row: str) -> bool:
    """Whether a row needs no neighbours to be one of a table."""
    return bool(_ROW.match(row)) or gaps(row) >= _MANY_GAPS


def _runs(rows: Sequence[str], key: Callable[[str], tuple[str, int] | None]) -> set[int]:
    """Rows in runs of at least `_MIN_ROWS` that share one key; a tab between words says it alone."""
    found: set[int] = set()
    start, current = 0, None
    for at in range(len(rows) + 1):
        this = key(rows[at]) if at < len(rows) else None
        if this != current:
            if current is not None and (at - start >= _MIN_ROWS or current[0] == "\t"):
                found.update(range(start, at))
            start, current = at, this
    return found


def _separators(row: str) -> tuple[str, int] | None:
    body = unquoted(row).strip()
    for mark in "\t;|":
        count = body.count(mark)
        if count >= (1 if mark == "\t" else 2) and not body.endswith("; "):
            return mark, count
    commas, spaces = len(_COMMA.findall(body)), body.count(" ")
    packed = commas >= 2 and spaces <= _WORDS_A_CELL * commas and commas >= body.count(", ") * 2
    return (",", commas) if packed or (commas == 1 and not spaces) else None


def _aligned(rows: Sequence[str]) -> set[int]:
    """Rows in runs whose cells begin (or end) in the same columns."""
    found: set[int] = set()
    run: list[int] = []
    shared: set[int] = set()
    for at in range(len(rows) + 1):
        columns = _columns(rows[at]) if at < len(rows) else set()
        common = shared & columns if run else columns
        if run and not common:
            if len(run) >= _MIN_ROWS:
                found.update(run)
            run, common = [], columns
        if columns:
            run.append(at)
        shared = common
    return found


def _columns(row: str) -> set[int]:
    """Where cells after the first begin, positive, and where they end, negative."""
    if "  " not in row and "\t" not in row:
        return set()
    gaps = list(_GAP.finditer(row, 0, 300))
    ends = {-gap.start() for gap in gaps[1:]} | ({-len(row.rstrip())} if gaps else set())
    return {gap.end() for gap in gaps} | ends


def _barred(rows: Sequence[str]) -> set[int]:
    """Rows of markdown tables without outer bars, around their rule ``--- | ---``."""
    found: set[int] = set()
    for at, row in enumerate(rows):
        if at and at not in found and "-|" in row.replace(" ", "").replace(":", "") and _BARE_RULE.match(row) and " | " in rows[at - 1]:
            stop = at
            while stop < len(rows) and "|" in rows[stop]:
                stop += 1
            found.update(range(at - 1, stop))
    return found


def _capital_headed(rows: Sequence[str]) -> set[int]:
    """Rows under a header in capitals, such as ``NAME   READY   STATUS``."""
    found: set[int] = set()
    inside = False
    for at, row in enumerate(rows):
        if is_capital_header(row):
            inside = True
            found.add(at)
        elif inside and _GAP.search(row, 0, 300):
            found.add(at)
        else:
            inside = False
    return found
