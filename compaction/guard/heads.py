"""Find what a line needs to mean anything: a row its header, a frame its exception, a hunk its file."""

from collections.abc import Sequence

from elision.compaction.guard import (
    columns,
    commits,
    compilers,
    csv,
    diffs,
    elements,
    failures,
    fences,
    ini,
    listings,
    markers,
    records,
    trace_heads,
    trees,
    yaml,
)
from elision.compaction.types import Kind

# A line has one head. Where several kinds know one, the closest around it comes first; that
# line's own head leads on to the others.
_KINDS = (markers, diffs, trace_heads, compilers, columns, csv, trees, yaml, ini, listings, records, failures, commits, fences, elements)


def find_heads(rows: Sequence[str], kinds: Sequence[Kind]) -> dict[int, int]:
    """Find the line that must stay if a line stays.

    Heads may have heads; following them always ends. Most stand above their line, some below:
    a closing fence, the last line of a Python trace.

    Args:
        rows: The lines of a text without terminators; long ones may be cut off.
        kinds: What each line is, as many as rows.

    Returns:
        Head of each line that has one; lines are indices.
    """
    heads: dict[int, int] = {}
    for kind in _KINDS:
        for line, head in kind.heads(rows, kinds):
            if kinds[line] is not Kind.BLANK:
                heads.setdefault(line, head)
    return _without_cycles(heads)


def _without_cycles(heads: dict[int, int]) -> dict[int, int]:
    """The heads less, of each cycle, those that stand below their lines."""
    done: set[int] = set()
    for start in list(heads):
        path: dict[int, int] = {}
        at: int | None = start
        while at is not None and at not in done and at not in path:
            path[at] = len(path)
            at = heads.get(at)
        if at is not None and at in path:
            cycle = list(path)[path[at] :]
            for line in cycle:
                if heads[line] >= line:
                    del heads[line]
        done.update(path)
    return heads
