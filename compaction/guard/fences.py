"""Find fenced code blocks, by the rules of CommonMark.

A fence is closed by one of the same character, at least as long, with nothing after it; so a
block of four back-ticks may hold one of three. What stands in a block is somebody's text,
and a fence without its partner turns all that follows into code.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_FENCE = regex.compile(r"[\s>*\-]{0,12}(`{3,}(?=[^`\r\n]*$)|~{3,})(.*)$")
# A block of so many lines is shorter than what its reader would have to guess.
SHORT = 30


def blocks(rows: Sequence[str]) -> Iterator[range]:
    """Lines of each block, its two fences included; an unclosed fence is none."""
    opened: tuple[int, str] | None = None
    for at, row in enumerate(rows):
        fence = _fence(row)
        if fence is None:
            continue
        if opened is None:
            opened = at, fence[1]
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            yield range(opened[0], at + 1)
            opened = None


def find(rows: Sequence[str]) -> set[int]:
    """Indices of fences and of what stands between two; a fence without its partner stands alone."""
    found = {at for at, row in enumerate(rows) if _fence(row) is not None}
    return found.union(*blocks(rows))


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Short blocks."""
    return (block for block in blocks(_outside_diffs(rows, kinds)) if len(block) <= SHORT)


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """In a long block, each line needs the closing fence, and that needs the opening one."""
    for block in blocks(_outside_diffs(rows, kinds)):
        if len(block) > SHORT:
            yield block[-1], block[0]
            for at in block[1:-1]:
                yield at, block[-1]


def _fence(row: str) -> "regex.Match[str] | None":
    return _FENCE.match(row) if "```" in row or "~~~" in row else None


def _outside_diffs(rows: Sequence[str], kinds: Sequence[Kind]) -> list[str]:
    return ["" if kind is Kind.DIFF else row for row, kind in zip(rows, kinds, strict=True)]
