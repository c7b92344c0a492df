"""Find what belongs to YAML: the parent of a nested key, and the text that only its neighbours give away.

A nested key says nothing without the keys above it, and a value moved by one column belongs
to another key.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_KEY = regex.compile(r"(?:-\s+)*[\"']?[\w.\-/@*$]{1,60}[\"']?:(?:\s|$)")
_PARENT = regex.compile(r"[\"']?[\w.\-/@*$]{1,60}[\"']?:\s*(?:[&!|>]\S*\s*)?(?:#.*)?$")
_BLOCK = regex.compile(r"(?:-\s+)*[\"']?[\w.\-/@*$]{1,60}[\"']?:\s+[|>][+\-\d]{0,2}\s*$")
_OF_JSON = ("{", "[", ",")  # what a key of pretty-printed JSON ends with
# In prose a colon follows a name or the first word of a sentence, and those have capitals.
_SETTING = regex.compile(r"\s+[\"']?[\w.\-/@]{1,60}[\"']?:\s\S|[a-z][\w.\-]{0,40}:\s\S|\s*#\s")


def within(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> bool:
    """Whether a row that reads like prose is a value or a comment between settings.

    Args:
        rows: Rows of the text.
        kinds: What each is; those before ``at`` are final.
        at: The row that is asked about.
    """
    if at == 0 or kinds[at - 1] is not Kind.JSON or not _SETTING.match(rows[at]):
        return False
    return rows[at][:1] == " " or bool(_KEY.match(rows[at - 1]))


def scalars(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """The lines under each ``key: |`` that are its value."""
    at = 0
    while at < len(rows):
        if kinds[at] is Kind.JSON and rows[at].rstrip(" +-0123456789")[-1:] in ("|", ">") and _BLOCK.match(rows[at].lstrip()):
            stop = _scalar_end(rows, at)
            yield range(at + 1, stop)
            at = stop
        else:
            at += 1


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each nested line with the key it is nested under."""
    parents: list[tuple[int, int]] = []
    scalar = {at: block[0] - 1 for block in scalars(rows, kinds) for at in block}
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if kind is Kind.BLANK:
            continue
        if at in scalar:
            yield at, scalar[at]
            continue
        depth, body = _depth(row)
        if kind is not Kind.JSON or body[-1:] in _OF_JSON or not (_KEY.match(body) or body[:2] == "- "):
            parents = []
            continue
        while parents and parents[-1][0] >= depth:
            parents.pop()
        if parents:
            yield at, parents[-1][1]
        if body[:2] == "- " or _PARENT.match(body):
            parents.append((depth, at))


def _depth(row: str) -> tuple[int, str]:
    """How deep a row stands, and the row from there; an item of a list is deeper than its key."""
    body = row.lstrip(" ")
    return 2 * (len(row) - len(body)) + (body[:2] == "- "), body


def _scalar_end(rows: Sequence[str], at: int) -> int:
    """One past the last line that stands deeper than the key at ``at``."""
    depth = len(rows[at]) - len(rows[at].lstrip(" "))
    stop = at + 1
    last = stop
    while stop < len(rows) and (not rows[stop].strip() or len(rows[stop]) - len(rows[stop].lstrip(" ")) > depth):
        stop += 1
        last = stop if rows[stop - 1].strip() else last
    return last
