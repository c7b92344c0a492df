"""Find the lines of stack traces: header, frames, the code they quote, causes.

A frame is recognised by its own shape in any language, so a trace cut out of the middle
still is one; what surrounds frames (the exception line, quoted code) is taken by position.
"""

from collections.abc import Sequence
from functools import cache

import regex

_FRAME = regex.compile(
    r"""
    (?=.{3})\s*+[~^][~^\s]*+$
  | \s*+(?:
        File\s"[^"]{1,400}",\sline\s\d+                                       # Python
      | at\s(?:async\s|new\s)?[^\s()]{1,300}(?:\s\[as\s[^\]]{1,60}\])?\s?\(.{0,400}\)   # Java, JS
      | at\s\S{1,400}:\d+(?::\d+)?\)?\s*\{?\s*$                                  # JS, Rust
      | at\s[\w.<>`$+\[\],]{2,300}\(.{0,300}\)(?:\sin\s.{1,300}:line\s\d+)?      # C#
      | at\s<anonymous>
      | \.\.\.\s\d+\s(?:more|common\sframes\somitted)
      | (?:(?:from\s)?\S{1,300}\.rb|from\s\S{1,300}):\d+(?::in\s[`'].{0,120}['`])  # Ruby
      | \#\d+\s{1,2}(?:0x[0-9a-f]+\s(?:in\s)?)?\S.{0,300}                           # gdb, PHP (checked below)
      | \d{1,4}:\s+(?:0x[0-9a-f]+\s-\s)?[\w<>{}$]+(?:::[\w<>{}$\#\s\[\]&*',.()]+)+\s*$    # Rust
      | \[Previous\sline\srepeated\s\d+\smore
      | \S{1,300}\.(?:go|s):\d+(?:\s\+0x[0-9a-f]+)?\s*$                           # Go
      | created\sby\s\S
      | thrown\sin\s\S.{0,300}\son\sline\s\d+                                    # PHP
    )
    """,
    regex.VERBOSE,
)
_HEADER = regex.compile(
    r"""
    \s*+(?:.{0,200}?Traceback\s\(most\srecent\scall\slast\) | Caused\sby:(?:\s|$) | Suppressed:\s | \[cause\]:\s
      | Unhandled\sexception[.:]\s | --->\s\S+Exception\b | ---\sEnd\sof\s.{1,40}\s(?:stack\strace|location).{0,20}---
      | PHP\s(?:Fatal|Parse)\serror:\s | (?:Fatal|Parse)\serror:\s+Uncaught\s | goroutine\s\d+\s\[ | panic:\s
      | \[signal\s | thread\s'.{0,80}'\s(?:\(\d+\)\s)?panicked\sat | stack\sbacktrace: | Stack\strace: | note:\srun\swith\s`RUST_BACKTRACE
      | During\shandling\sof\sthe\sabove\sexception | The\sabove\sexception\swas\sthe\sdirect | Exception\sin\sthread\s )
    """,
    regex.VERBOSE,
)
_PANICKED = regex.compile(r"\s*thread '.{0,80}' (?:\(\d+\) )?panicked at \S+:\d+:\s*$")
_PYTHON_FRAME = regex.compile(r"\s*File \"[^\"]{1,400}\", line \d+")
_GO_FRAME = regex.compile(r"\s+\S{1,300}\.(?:go|s):\d+(?:\s\+0x[0-9a-f]+)?\s*$")
_HASH_FRAME = regex.compile(r"\s*#\d+\s{1,2}(?:0x[0-9a-f]+\s|\S+\.php\(\d+\)|\S.{0,200}\sat\s\S+:\d+|\S.{0,200}\(.{0,200}\)\s(?:at|from)\s|\{main\})")
_EXCEPTION = regex.compile(r"\s*(?:[\w$]+[.:]{1,2}){0,12}[A-Za-z_][\w$]*(?::\s|:?\s*$)")
_CARET = regex.compile(r"\s*[~^][~^\s]*$")
_PYTEST = regex.compile(r"(?:E|>)\s{3}|\S{1,300}\.py:\d+: (?:\w*(?:Error|Exception|Exit)\b|$|in \w)")


def find(rows: Sequence[str]) -> set[int]:
    """Indices of the rows that belong to a stack trace."""
    found: set[int] = set()
    claims = cache(_claims)  # long texts say the same again and again
    at = 0
    while at < len(rows):
        row = rows[at]
        if "Traceback (most recent" in row or _PYTHON_FRAME.match(row):
            stop = _python_end(rows, at)
            found.update(range(at, stop))
            at = max(stop, at + 1)
            continue
        if claims(row):
            found.add(at)
            if _PANICKED.match(row) and at + 1 < len(rows) and rows[at + 1].strip():
                found.add(at + 1)
            if at and _names_frame(rows, at):
                found.add(at - 1)
        at += 1
    return found


def is_frame(row: str) -> bool:
    """Whether a row is one call of a stack."""
    if not _FRAME.match(row):
        return False
    return not row.lstrip().startswith("#") or bool(_HASH_FRAME.match(row))


def _claims(row: str) -> bool:
    return bool(_HEADER.match(row) or _PYTEST.match(row)) or is_frame(row)


def _names_frame(rows: Sequence[str], at: int) -> bool:
    """Whether the row before a frame is the function (Go) or the exception (Java, JS) it belongs to."""
    before = rows[at - 1]
    if _GO_FRAME.match(rows[at]):
        return before.rstrip().endswith(")") or before.startswith("created by ")
    return rows[at].lstrip().startswith("at ") and bool(_EXCEPTION.match(before)) and bool(before.strip())


def _python_end(rows: Sequence[str], at: int) -> int:
    """One past the exception line of the Python trace that begins at ``at``."""
    if not _PYTHON_FRAME.match(rows[at]):
        at += 1
    framed = False
    while at < len(rows):
        row = rows[at]
        if _PYTHON_FRAME.match(row):
            framed = True
            at += 1
            if at < len(rows) and rows[at].strip() and not _PYTHON_FRAME.match(rows[at]) and not _exception(rows[at]):
                at += 1
        elif _CARET.match(row) or row.lstrip().startswith("[Previous line repeated") or (framed and row.startswith("    ")):
            at += 1
        else:
            return at + 1 if framed and _exception(row) else at
    return at


def _exception(row: str) -> bool:
    return not row[:1].isspace() and bool(_EXCEPTION.match(row))
