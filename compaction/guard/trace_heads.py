"""Say what the lines of a stack trace need: a frame its exception, a cause the exception it caused.

A frame without its exception is a place where nothing is known to have happened. In Python the
exception comes last, so there the first line of a trace needs the last one.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.guard.logs import is_stamped
from elision.compaction.guard.traces import is_frame
from elision.compaction.types import Kind

_PYTHON = "Traceback (most recent call last)"
_PYTHON_FRAME = regex.compile(r"\s*File \"[^\"]{1,400}\", line \d+")
_MARKS = regex.compile(r"\s*[~^][~^\s]*$")
_CAUSE = regex.compile(r"\s*(?:Caused by:|Suppressed:|\[cause\]:|---> |goroutine \d+ |stack backtrace:|Stack trace:|\[signal |note: )")
_ENDED = regex.compile(r"\s*--- End of ")
_LINK = regex.compile(r"(?:During handling of the above|The above exception was)")
_RAISED = regex.compile(r"(?:Exception in thread \"[^\"]{0,80}\" |Unhandled exception[.:] |Uncaught )?(?:[\w$]+[.:]{1,2}){0,12}[A-Za-z_][\w$]*(?::\s|:?\s*$)")
# A frame of Rust stands between others although its line alone looks like a numbered list.
_PARTS = frozenset({Kind.TRACE, Kind.CODE})
_BETWEEN = frozenset({Kind.BLANK, Kind.CODE, Kind.JSON})
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")


def groups(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[range]:
    """Each Python frame with the code it quotes and the marks under that."""
    at = 0
    while at < len(rows):
        stop = at + 1
        if kinds[at] is Kind.TRACE and _PYTHON_FRAME.match(rows[at]):
            while stop < min(len(rows), at + 6) and rows[stop].startswith("    ") and kinds[stop] in _PARTS:
                stop += 1
            stop += stop < len(rows) and rows[stop].startswith(_SYNTAX)
            if stop > at + 1:
                yield range(at, stop)
        at = stop


def heads(rows: Sequence[str], kinds: Sequence[Kind]) -> Iterator[tuple[int, int]]:
    """Each line of a trace with its header; a cause with the top; Python's first line with its last.

    What announced a trace in the log is the head of its exception.
    """
    for run in _runs(kinds):
        of_run = dict(_of_run(rows, run))
        yield from of_run.items()
        last = of_run.get(run.start, run.start)
        if run.start and last not in of_run and kinds[run.start - 1] is Kind.LOG and is_stamped(rows[run.start - 1]):
            yield last, run.start - 1


def _runs(kinds: Sequence[Kind]) -> Iterator[range]:
    """Stretches of trace lines, with blank lines and single lines of code between them."""
    start, last = -1, -1
    for at, kind in enumerate(kinds):
        if kind is not Kind.TRACE:
            continue
        if last < 0 or any(between not in _BETWEEN for between in kinds[last + 1 : at]) or at - last > 3:
            if last >= 0:
                yield range(start, last + 1)
            start = at
        last = at
    if last >= 0:
        yield range(start, last + 1)


def _of_run(rows: Sequence[str], run: range) -> Iterator[tuple[int, int]]:
    top = header = raised = -1
    python = False
    for at in run:
        row = rows[at]
        if not row.strip():
            continue
        if _PYTHON in row:
            top = header = at
            python = True
        elif python and header >= 0 and not row[:1].isspace() and _RAISED.match(row):
            yield header, at
            raised, header, python = at, -1, False
        elif raised >= 0 and _LINK.match(row):
            yield at, raised
        elif top >= 0 and _ENDED.match(row):
            yield at, top
            header = top
        elif _CAUSE.match(row):
            if top >= 0:
                yield at, top
            header = at
            top = at if top < 0 else top
        elif _opens(rows, at) or (header < 0 and not (is_frame(row) or _MARKS.match(row))):
            top = header = at
        elif header >= 0:
            yield at, header


def _opens(rows: Sequence[str], at: int) -> bool:
    """Whether an exception stands here and its frames follow."""
    row, below = rows[at], rows[at + 1].lstrip() if at + 1 < len(rows) else ""
    if row[:1].isspace():
        return False
    return below.startswith("from ") or (below.startswith("at ") and not is_frame(row) and bool(_RAISED.match(row)))
