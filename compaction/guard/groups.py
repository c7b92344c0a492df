"""Find the lines that stay together or go together: half of them would be worse than none."""

from collections.abc import Sequence

from elision.compaction.guard import compilers, diffs, elements, failures, fences, records, trace_heads
from elision.compaction.types import Kind

_KINDS = (diffs, fences, elements, compilers, trace_heads, failures, records)


def find_groups(rows: Sequence[str], kinds: Sequence[Kind]) -> list[range]:
    """Find the groups of lines of a text.

    A group inside another is not listed; of two that overlap, the one that begins first is.

    Args:
        rows: Its lines without terminators; long ones may be cut off.
        kinds: What each line is, as many as rows.

    Returns:
        Indices of lines, at least two a group; sorted, not overlapping.
    """
    found = [group for kind in _KINDS for group in kind.groups(rows, kinds) if len(group) > 1]
    found.sort(key=lambda group: (group.start, -group.stop))
    groups: list[range] = []
    for group in found:
        if not groups or group.start >= groups[-1].stop:
            groups.append(group)
    return groups
