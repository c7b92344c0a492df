"""Find the commit that a line of ``git log`` or ``git show`` speaks of.

Two commits often have equal lines (``src/a.c | 6 ++--``): without the line that names the
commit they tell a history that never was.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_COMMIT = regex.compile(r"commit [0-9a-f]{7,64}\b")
_FIELD = regex.compile(r"(?:Author|AuthorDate|Commit|CommitDate|Date|Merge|Tagger|TaggerDate|gpg|Reflog.{0,40}):|[MADRCTUX]\d{0,3}\t|:\d{6} ")
_NAME = regex.compile(r"[\w.@+~/\-]++$")


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each line that belongs to a commit with the line that names the commit."""
    commit: int | None = None
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if row[:7] == "commit " and _COMMIT.match(row):
            commit = at
        elif commit is None or kind is Kind.BLANK:
            continue
        elif row[:1] in (" ", "\t") or kind is Kind.DIFF or _FIELD.match(row) or _NAME.match(row):
            yield at, commit
        else:
            commit = None
