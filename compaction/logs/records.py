"""Find where a log's records begin: a stamped line, and what the same call printed under it.

Each line is judged by its beginning and by the lines before it, never by those after it, so an endless
input is cut like a finished one. A line in a container's envelope is judged by the message inside.
"""

from collections.abc import Sequence

import regex

from elision.compaction.guard.stamps import LEVEL, STAMP, level

LONGEST = 200  # lines; more than that is no record, and each line stands for itself
# Up to so many lines without a stamp to one with: then they go on with the record above.
_PLAIN_PER_STAMP = 2
_HEAD = 64  # characters by which a line is judged
_MEMO = 50_000

BLANK, PLAIN, INDENTED, CONTINUES, TRACEBACK, STAMPED = range(6)

_DIGITS = bytes.maketrans(b"0123456789", b"1" * 10)
_ANSI = regex.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PREFIX = regex.compile(
    r"""
    [\w.\-]{1,50}\s{0,30}\|\s                                                # docker compose
  | \[(?:pod|deployment|job|statefulset|daemonset)/[^\]\s]{1,200}\]\s         # kubectl --prefix
  | \d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+\-]\d\d:\d\d)\s(?:stdout|stderr)\s(?P<flag>[FP])(?:\s|$)   # CRI
    """,
    regex.VERBOSE,
)
_DOCKER = '{"log":"'
_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\u001b": "\x1b", '\\"': '"', "\\\\": "\\"}
_ESCAPE = regex.compile(r'\\(?:[tnr"\\]|u001b)')
# What only ever goes on: causes, frames, the closing of a bracket.
_CONTINUES = regex.compile(
    r"""
    [}\])]
  | Caused\sby:(?:\s|$) | Suppressed:\s | \.\.\.\s\d+\s(?:more|common) | \[cause\]:\s | goroutine\s\d+\s\[
  | During\shandling\sof\sthe\sabove | The\sabove\sexception\swas | \[signal\s | \[stacktrace\]
  | [Ss]tack\s?(?:back)?trace:\s*$ | note:\srun\swith\s`RUST_BACKTRACE | created\sby\s\S | ---\sEnd\sof\s
  | at\s(?:async\s|new\s)?[\w.$<>/]+\s?[(:] | from\s\S+:\d+:in\s | [~^][~^\s]*$
  | \#\d+\s{1,2}(?:0x[0-9a-f]|/|\{main\}|\[internal|\S+\() | thrown\sin\s\S
    """,
    regex.VERBOSE,
)
# A web server stamps its line in the middle.
_REQUEST = regex.compile(r"\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}[: ]|\[pid: \d+\|app")
_EXCEPTION = regex.compile(r"(?:[\w$]+[.:]{1,2}){0,12}[A-Za-z_][\w$]*(?::\s|:?\s*$)")
_CALL = regex.compile(r"[\w./*(){}\[\]$…~\-]+\(.*\)\s*$")
_PANICKED = regex.compile(r"thread '.{0,80}' (?:\(\d+\) )?panicked at ")

_kinds: dict[bytes, tuple[int, int]] = {}


def records(lines: Sequence[str]) -> list[range]:
    """Group lines into records; the ranges partition ``range(len(lines))``.

    Blank lines belong to a record only where it goes on after them. A record of more than
    `LONGEST` lines is broken up into its lines.
    """
    joiner = Joiner()
    found: list[range] = []
    start = stop = 0  # the record so far; blank lines may stand between its stop and the line at hand
    for at, line in enumerate(lines):
        joins = joiner.joins(line)
        if joins is None:
            continue
        if joins and stop:
            stop = at + 1
            continue
        _close(found, start, stop, at)
        start, stop = at, at + 1
    _close(found, start, stop, len(lines))
    return found


def _close(found: list[range], start: int, stop: int, until: int) -> None:
    if stop - start > LONGEST:
        stop = start
    elif stop > start:
        found.append(range(start, stop))
    found.extend(range(at, at + 1) for at in range(stop, until))


class Joiner:
    """Tells of each line of a text, in order, whether it goes on with the record above."""

    def __init__(self) -> None:
        self._stamped = self._plain = 0
        self._head, self._indent = BLANK, 0  # what the record's first line is
        self._source = ""
        self._partial = self._python = self._go = self._panicked = self._linked = False

    def joins(self, line: str) -> bool | None:
        """Whether ``line`` goes on with the record above; None for a blank one, which what follows decides."""
        head, source, partial = opened(line)
        kind, indent = kind_of(head)
        partial, self._partial = self._partial, partial
        if partial and source == self._source:
            return True
        if kind == BLANK:
            return None
        if kind == STAMPED:
            self._stamped += 1
        joins = source == self._source and self._goes_on(kind, indent, head)
        if not joins:
            self._plain += kind == PLAIN
            self._head, self._indent, self._source = kind, indent, source
            self._python = self._go = False
        self._note(kind, head)
        return joins

    def _goes_on(self, kind: int, indent: int, head: str) -> bool:
        if kind == STAMPED or self._head == BLANK:
            return False
        if kind == INDENTED:
            return indent > self._indent or self._head == STAMPED
        if kind == CONTINUES:
            return True
        if kind == TRACEBACK:
            return self._head == STAMPED or self._linked
        if self._panicked or (self._python and _EXCEPTION.match(head)) or (self._go and _CALL.match(head)):
            return True
        if self._head != STAMPED or self._plain > _PLAIN_PER_STAMP * self._stamped:
            return False
        self._plain += 1
        return True

    def _note(self, kind: int, head: str) -> None:
        """Remember what the lines after this one may be."""
        self._panicked = False
        if kind == INDENTED:
            return
        self._linked = kind == CONTINUES and head[:5] in ("Durin", "The a")
        self._python = kind == TRACEBACK or (kind == STAMPED and "Traceback (m" in head)
        if head[:6] == "panic:" or head[:9] == "goroutine":
            self._go = True
        elif head[:6] == "thread":
            self._panicked = bool(_PANICKED.match(head)) and head.rstrip().endswith(":")


def opened(line: str) -> tuple[str, str, bool]:
    """The beginning of a line's message, what of the envelope names its source, and whether the message is cut off."""
    if line.startswith(_DOCKER):
        head = _ESCAPE.sub(lambda found: _ESCAPES[found[0]], line[8 : 8 + 2 * _HEAD])
        return _plain_head(head.partition("\n")[0]), _DOCKER, '\\n","' not in line
    head = line[:_HEAD]
    if "\x1b" in head:
        line = _ANSI.sub("", line[: 6 * _HEAD])
        head = line[:_HEAD]
    if "|" in head or head[:1] == "[" and "/" in head or " std" in head:
        found = _PREFIX.match(line)
        if found:
            flag = found["flag"]
            source = found[0][-9:] if flag else found[0]
            return _plain_head(line[found.end() : found.end() + 2 * _HEAD]), source.strip(" FP"), flag == "P"
    return head, "", False


def _plain_head(head: str) -> str:
    return (_ANSI.sub("", head) if "\x1b" in head else head)[:_HEAD]


def kind_of(head: str) -> tuple[int, int]:
    """What a line is by its beginning, and its indentation; what its digits are does not count."""
    key = head.encode("utf-8", "replace").translate(_DIGITS)  # of bytes: five times as fast
    known = _kinds.get(key)
    if known is None:
        if len(_kinds) >= _MEMO:
            _kinds.clear()
        known = _kinds[key] = _judge(key.decode())
    return known


def _judge(head: str) -> tuple[int, int]:
    bare = head.lstrip()
    indent = len(head) - len(bare)
    if not bare:
        return BLANK, 0
    if indent:
        leveled = indent <= 2 and LEVEL.match(bare)
        stamped = leveled or ((bare[0] == "1" or bare[0] in "[<(") and STAMP.match(head))
        return (STAMPED if stamped else INDENTED), indent
    if head[:1] == "{" and regex.match(r'\{\s?"', head) and len(bare.rstrip()) > 2:
        return STAMPED, 0
    if _CONTINUES.match(head):
        return CONTINUES, 0
    if STAMP.match(head) or _REQUEST.match(head) or level(head) is not None:
        return STAMPED, 0
    if head.startswith("Traceback (most recent"):
        return TRACEBACK, 0
    return PLAIN, 0
