"""Find the folder that a row of a tree stands in: ``│   └── pool.c`` may be in any.

Written so by ``tree``, ``npm ls``, ``cargo tree``, ``gradle dependencies`` and others.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_BRANCH = regex.compile(r"[\s│|]*[├└╰`|+\\][─\-]{1,3}┬?\s(?=\S)")


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each row of a tree with its parent; the first ones with the line the tree grows from."""
    parents: list[tuple[int, int]] = []
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        branch = _BRANCH.match(row) if kind in (Kind.TABLE, Kind.CODE) else None
        if branch is None:
            parents = [] if kind is Kind.BLANK else [(-1, at)]
            continue
        while parents and parents[-1][0] >= branch.end():
            parents.pop()
        if parents:
            yield at, parents[-1][1]
        parents.append((branch.end(), at))
