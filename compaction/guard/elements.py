"""Find blocks between an opening and a closing tag: XML, HTML, ``<system-reminder>`` and its like.

Only a tag that begins its line opens a block and only one that ends its line closes it; tags
inside a sentence are units, not blocks. Names are not known beforehand: agents invent tags.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_OPEN = regex.compile(r"\s*<([A-Za-z][\w:.\-]*+)(?:\s[^<>]*+)?(?:>|$)")
_CLOSE = regex.compile(r"</([A-Za-z][\w:.\-]*+)\s*>\s*$")
_ALONE = regex.compile(r"\s*</?[A-Za-z][\w:.\-]*+(?:\s[^<>]*+)?>?\s*$")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
SHORT = 30
# How many open tags are looked through for the partner of a closing one.
_DEPTH = 50


def blocks(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Lines of each block of at least two, inner blocks before those around them."""
    opened: list[tuple[str, int]] = []
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if "<" not in row or kind is Kind.DIFF:
            continue
        name = _opened(row)
        closed = _CLOSE.search(row)
        if closed and closed[1] != name:
            start = _popped(opened, closed[1])
            if start is not None and start < at:
                yield range(start, at + 1)
        elif name and not closed:
            opened.append((name, at))


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Short blocks."""
    return (block for block in blocks(rows, kinds) if len(block) <= SHORT)


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """In a long block whose tags stand alone, each line needs the closing tag, and that the opening one."""
    long = {block[0]: block[-1] for block in blocks(rows, kinds) if len(block) > SHORT and _alone(rows, block)}
    around: list[int] = []
    for at in range(len(rows)) if long else ():
        if around and at == around[-1]:
            around.pop()
            continue
        if around:
            yield at, around[-1]
        if at in long:
            yield long[at], at
            around.append(long[at])


def _alone(rows: Sequence[str], block: range) -> bool:
    return bool(_ALONE.match(rows[block[0]]) and _ALONE.match(rows[block[-1]]))


def _opened(row: str) -> str | None:
    found = _OPEN.match(row)
    if not found or found[0].rstrip().endswith("/>") or found[1].lower() in _VOID:
        return None
    return str(found[1])


def _popped(opened: list[tuple[str, int]], name: str) -> int | None:
    """Where the innermost open ``name`` stands, which is closed with all that is open inside it."""
    for back in range(1, min(len(opened), _DEPTH) + 1):
        if opened[-back][0] == name:
            start = opened[-back][1]
            del opened[-back:]
            return start
    return None
