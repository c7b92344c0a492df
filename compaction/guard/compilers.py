"""Find what compilers and linters say about one place: the message, the code it quotes, the marks under it.

A caret means a column of the line above it, and a quoted line without its message is code
that nobody complained about.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Kind

_MESSAGE = regex.compile(
    r"""
      \S{1,200}?[:(]\d{1,7}(?:[:,]\d{1,5})?\)?(?:\s-\s|:\s?)\S   # gcc, clang, javac, tsc, mypy, flake8
    | (?:error|warning|note)(?:\[\w{1,20}\])?:\s                 # rustc
    | [A-Z]{1,5}\d{2,5}\s                                         # ruff
    """,
    regex.VERBOSE,
)
_PLACE = regex.compile(r"\s*(?:-->|:::|╭▸|┌─|❯)\s\S+:\d+")
_NUMBERED = regex.compile(r"\s*+>?\s*+\d{1,7}\s*+[|│](?:\s|$)")
_QUOTE = regex.compile(r"\s*+>?\s*+(?:\d{1,7}\s*+)?[|│╵┆](?:\s|$)|\s*+(?:-->|:::|❯|=)\s|\s*\.\.\.\s*$|\s*╰╴")
_MARKS = regex.compile(r"\s*(?:[|│╵]\s*)?[\^~][\^~\-]*+(?:\s.*)?$")
_DETAIL = regex.compile(r"\s+(?:symbol|location|required|found|expected|received):\s|help:\s|\s+=\s")
_INCLUDED = regex.compile(r"In file included from\s|\s+from\s\S+:\d+[:,]$|\S+: (?:In (?:[a-z]+ ){1,3}'|At (?:top|global)).*:$")
_LONGEST = 30
# How many quoted lines may stand between a message and its marks.
_QUOTED = 3


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Each message with the code it quotes, and quoted code whose message stands further up."""
    at = 0
    while at < len(rows):
        begins, quotes = _begins(rows, kinds, at), kinds[at] is Kind.CODE and bool(_NUMBERED.match(rows[at]))
        stop = _end(rows, kinds, at) if begins or quotes else at + 1
        if stop > at + 1 and (begins or any(map(_is_marks, rows[at:stop]))):
            yield range(at, stop)
        at = stop


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """The way to an included file or a function: each of its lines with the one before, the message with the last."""
    for at in range(1, len(rows)):
        if kinds[at] is not Kind.BLANK and _INCLUDED.match(rows[at - 1]):
            yield at, at - 1


def _begins(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> bool:
    """Whether a message stands here, or the quoted code of one that was cut off."""
    if kinds[at] in (Kind.BLANK, Kind.DIFF, Kind.TABLE, Kind.TRACE) or rows[at][:1] in (" ", "\t"):
        return False
    return bool(_MESSAGE.match(rows[at])) or (at + 1 < len(rows) and bool(_PLACE.match(rows[at + 1])))


def _end(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> int:
    """One past the last line that belongs to the message at ``at``."""
    stop = at + 1
    while stop < min(len(rows), at + _LONGEST):
        if _QUOTE.match(rows[stop]) or _DETAIL.match(rows[stop]):
            stop += 1
        elif (marks := _next_marks(rows, kinds, stop)) is not None:
            stop = marks + 1
        else:
            break
    return stop


def _next_marks(rows: Sequence[str], kinds: Sequence[Kind], at: int) -> int | None:
    """The line of carets that follows within a few quoted lines, none of which is a message itself."""
    for below in range(at, min(len(rows), at + _QUOTED + 1)):
        if below > at and _is_marks(rows[below]):
            return below
        if kinds[below] is Kind.BLANK and below > at:
            return None
        if rows[below][:1] not in ("", " ", "\t") and _MESSAGE.match(rows[below]):
            return None
    return None


def _is_marks(row: str) -> bool:
    return ("^" in row or "~" in row) and bool(_MARKS.match(row))
