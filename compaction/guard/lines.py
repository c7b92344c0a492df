"""Split a text into lines and say what each line is, and so how finely it may be cut.

Detectors that need neighbours (diffs, traces, tables, fences) claim their rows first; the
rest is judged row by row, in the order that errs towards keeping lines whole. Whatever no
detector knows is ``CODE``: whole or gone.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate

import regex

from elision.compaction.guard import code, diffs, fences, tables, traces, yaml
from elision.compaction.guard.logs import is_log, is_stamped
from elision.compaction.guard.markers import counted
from elision.compaction.guard.markup import is_markup, is_setting
from elision.compaction.guard.prose import is_prose
from elision.compaction.pace import paced
from elision.compaction.types import Kind
from elision.model.types import Span, nothing

_LINE = regex.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
# What a line is shows in its beginning; a line of 5 MB is not read whole.
_REACH = 2000


def split_lines(text: str) -> list[Span]:
    """Partition ``text`` into lines, each with its terminator: ``\\n``, ``\\r\\n`` or a lone ``\\r``.

    No other character ends a line. After `guard.ansi` a lone ``\\r`` is left only in texts
    without any ``\\n``, where it does end lines.
    """
    stops = list(accumulate(map(len, _LINE.findall(text))))
    return list(map(Span, [0, *stops], stops))


def count_lines(text: str) -> int:
    """``len(split_lines(text))``, without splitting it."""
    ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    return ends + (text[-1:] not in ("", "\n", "\r"))


def classify(text: str, lines: Sequence[Span], tick: Callable[[], None] = nothing) -> list[Kind]:
    """Say what each line is.

    Args:
        text: Any string, control sequences already out.
        lines: ``split_lines(text)``.
        tick: Called now and then; may raise to end it.

    Returns:
        One kind per line.
    """
    rows = [text[line.start : min(line.stop, line.start + _REACH)].rstrip("\r\n") for line in lines]
    kinds: list[Kind | None] = [None if row and not row.isspace() else Kind.BLANK for row in rows]
    for at in [at for at, row in enumerate(rows) if counted(row)]:
        kinds[at], rows[at] = Kind.MARKER, ""  # what it quotes is no part of what stands around it
    for claimed, kind in _claims(rows):
        tick()
        for at in claimed:
            kinds[at] = kinds[at] or kind
    surely, alone = cache(_surely), cache(_alone)  # long texts say the same again and again
    for at, row in paced(enumerate(rows), tick):
        kinds[at] = kinds[at] or surely(row)
    for at in tables.find([row if kind is None else "" for kind, row in zip(kinds, rows, strict=True)]):
        kinds[at] = Kind.TABLE
    whole = [kind or alone(row) for kind, row in paced(zip(kinds, rows, strict=True), tick)]
    return _in_context(rows, whole)


def _claims(rows: Sequence[str]) -> Iterator[tuple[set[int], Kind]]:
    yield diffs.find(rows), Kind.DIFF
    yield fences.find(rows), Kind.CODE
    yield {at for at, row in enumerate(rows) if row and code.numbered(row)}, Kind.CODE
    yield traces.find(rows), Kind.TRACE


def _surely(row: str) -> Kind | None:
    """What a row is though it may look like one of a table."""
    return Kind.JSON if is_markup(row) else Kind.LOG if is_stamped(row) else None


def _alone(row: str) -> Kind:
    """What a row is without looking at its neighbours."""
    if is_log(row):
        return Kind.LOG
    if is_setting(row):
        return Kind.JSON
    if code.search_hit(row) or code.looks_like_code(row):
        return Kind.CODE
    return Kind.PROSE if is_prose(row) else Kind.CODE


def _in_context(rows: Sequence[str], kinds: list[Kind]) -> list[Kind]:
    """Turn prose that stands inside code (comments, docstrings) into code, and that inside YAML into settings."""
    for value in yaml.scalars(rows, kinds):
        for at in value:
            kinds[at] = Kind.JSON if kinds[at] is Kind.PROSE else kinds[at]
    previous = Kind.BLANK
    for at, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        if kind is Kind.BLANK:
            continue
        if kind is Kind.PROSE and previous is Kind.CODE and (row[:2] in ("  ", "\t") or row[:1] == "\t"):
            kinds[at] = Kind.CODE
        elif kind is Kind.PROSE and code.is_comment(row) and Kind.CODE in kinds[max(0, at - 1) : at + 2]:
            kinds[at] = Kind.CODE
        elif kind is Kind.PROSE and yaml.within(rows, kinds, at):
            kinds[at] = Kind.JSON
        previous = kinds[at]
    return kinds
