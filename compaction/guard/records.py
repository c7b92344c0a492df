"""Find log records of several lines: a stamped line, and what the same call printed under it.

An indented line without a stamp of its own goes on with the record above. Stack traces under
a log line are their own kind. This is for any text; of a text known to be a log `logs.records` knows more.
"""

from collections.abc import Iterator, Sequence

from elision.compaction.guard.logs import is_stamped
from elision.compaction.types import Kind

SHORT = 12
_ENDS = frozenset({Kind.BLANK, Kind.TRACE, Kind.DIFF})


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Short records of at least two lines."""
    return (record for record in _records(rows, kinds) if len(record) <= SHORT)


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each line that goes on with a record, with the record's first."""
    for record in _records(rows, kinds):
        for at in record[1:]:
            yield at, record[0]


def _records(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    start = 0
    while start + 1 < len(rows):
        stop = start + 1
        if _goes_on(rows, kinds, stop) and _begins(rows[start], kinds[start]):
            while stop < len(rows) and _goes_on(rows, kinds, stop):
                stop += 1
            yield range(start, stop)
        start = stop


def _begins(row: str, kind: Kind) -> bool:
    return kind is Kind.LOG and not row[:1].isspace() and is_stamped(row)


def _goes_on(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> bool:
    return rows[at][:1] in (" ", "\t") and kinds[at] not in _ENDS and not is_stamped(rows[at])
