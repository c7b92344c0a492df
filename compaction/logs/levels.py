"""The severity of a log line, in whatever way its logger writes it.

An access log line has one too: an answer of 5xx is an ERROR, one of 4xx a WARN, any other INFO; what
its logger calls it counts where that is more.
"""

import re
from collections.abc import Mapping, Sequence

from elision.compaction.guard.reports import failing_test, is_error
from elision.compaction.guard.stamps import level as plain_level
from elision.compaction.logs.envelope import open_envelope
from elision.compaction.logs.severities import RANKS, at_least, named, status_level, syslog

__all__ = ["RANKS", "at_least", "level_depends_on_numbers", "level_of", "named", "record_level", "tells_error"]

_REACH = 200
_MOST_LINES = 200  # of one message, in which an error is looked for
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_FAILED = re.compile(r"\s{0,8}FAILED\b")
_ACCESS = re.compile(r'"(?:[A-Z]{3,10}\s[^"]{1,8000}\sHTTP/[\d.]{1,3}|-)"\s(?P<status>\d{3})\b')
_PRIORITY = re.compile(r"<(\d{1,3})>")
_NUMERIC = re.compile(
    r'(?:level|lvl|severity|PRIORITY|severity_?[Nn]umber|level_?no)(?:\\?"\s*:\s*\\?"?|=)\d'
)
# A line that declares a level in words has one of these.
_STEMS = (
    "err", "warn", "inf", "debug", "dbg", "trace", "trc", "fatal", "crit", "sever", "notice", "emerg", "alert", "panic", "fail",
    "fine", "verbose", "config", "wrn", "ftl", "vrb", "note", "dbug", "log:", "detail:", "hint:", "statement:",
)  # fmt: skip
_LETTER = re.compile(r"[\sEF][EF](?:[\s/]|\d{4}\s)|^[EF][\d/]")
# What `stamps.level` does not take, as it would be no level in the middle of a sentence.
_LETTERS = re.compile(
    r"""
    [IWEFDV]\d{4}\s\d\d:\d\d:\d\d                                             # klog, glog
  | (?P<name>[VDIWEFA])/[\w.:\-]{1,60}\s{0,8}(?:\(\s*\d+\))?:\s                    # logcat, brief
  | \d\d-\d\d\s\d\d:\d\d:\d\d\.\d{3}\s+\d+\s+\d+\s(?P<letter>[VDIWEFA])\s        # logcat, threadtime
  | \d+:[XCSM]\s.{15,30}\s(?P<redis>[.\-*\#])\s
    """,
    re.VERBOSE,
)
_MORE = re.compile(
    r"""
    (?:(?P<name>info|warn|fail|crit|dbug|trce|error|warning|fatal|debug|trace)(?:\[[\w\-]{1,60}\])?:\s   # .NET, cargo
  | npm\s(?P<npm>WARN|ERR|notice|info|error|warn)\b
  | \S{1,200}?[:(]\d{1,7}(?:[:,]\d{1,5})?\)?:?\s{1,3}(?:fatal\s)?(?P<said>warning|error|note)\b)              # compilers
    """,
    re.VERBOSE,
)
_INSIDE = re.compile(
    r"""
    \[[\w.]{1,30}:(?P<apache>emerg|alert|crit|error|warn|notice|info|debug|trace\d?)\]
  | (?<=[\w\]]\s)(?P<postgres>LOG|STATEMENT|DETAIL|HINT|PANIC):\s\s
  | \b[a-z]\w{0,30}\.(?P<monolog>EMERGENCY|ALERT|CRITICAL|ERROR|WARNING|NOTICE|INFO|DEBUG):\s
  | [\[\s](?P<serilog>VRB|FTL|TRC|INF|WRN|DBG|ERR)[\]\s]
  | \d:\d\d(?:[.,]\d{1,9})?(?:Z|\ ?[+\-]\d\d:?\d\d)?[\],]?\s{1,3}\[?(?P<timed>(?i:trace|debug|info|notice|warn|warning|error|fatal|critical))[\]:\s]
    """,
    re.VERBOSE,
)
_OTHERS: Mapping[str, str] = {
    ".": "DEBUG", "-": "DEBUG", "*": "NOTICE", "#": "WARN",  # Redis
    "LOG": "INFO", "STATEMENT": "INFO", "DETAIL": "INFO", "HINT": "INFO", "note": "INFO",
}  # fmt: skip


def level_of(line: str) -> str | None:
    """The severity a line declares under its one name, or None.

    Of a line in an envelope what the envelope declares counts, then what its message does.
    """
    envelope = open_envelope(line)
    if envelope is None:
        return _of_text(line)
    if envelope.level is not None:
        return envelope.level
    return level_of(envelope.message) if len(envelope.message) < len(line) else _of_text(envelope.message)


def record_level(lines: Sequence[str]) -> str | None:
    """The severity of a record: what its first line declares, or ERROR if that is more and the rest tells one.

    A first line that declares none counts with the rest; what one that does goes on to say does not.
    """
    declared = level_of(lines[0])
    if at_least(declared, "ERROR"):
        return declared
    rest = lines if declared is None else lines[1:]
    return "ERROR" if any(tells_error(line) for line in rest) else declared


def tells_error(line: str) -> bool:
    """Whether a line, or the message in its envelope, reports an error or a failing test."""
    envelope = open_envelope(line)
    message = envelope.message if envelope else line
    if "\x1b" in message:
        message = _ANSI.sub("", message)
    return any(_is_failure(said) for said in message.split("\n", _MOST_LINES)[:_MOST_LINES] if said)


def _is_failure(said: str) -> bool:
    if is_error(said):
        return True
    return "FAIL" in said and bool(_FAILED.match(said) or failing_test(said))


def level_depends_on_numbers(line: str) -> bool:
    """Whether another number in the line could be another severity: a status, a priority, a level in digits."""
    named_in = "level" in line or "lvl" in line or "everity" in line or "PRIORITY" in line
    if named_in and _NUMERIC.search(line):
        return True
    return (line[:1] == "<" and bool(_PRIORITY.match(line))) or ('" ' in line and bool(_ACCESS.search(line)))


def _of_text(line: str) -> str | None:
    if line[:1] == "<" and (priority := _PRIORITY.match(line)) and int(priority[1]) < 192:
        return syslog(int(priority[1]))
    access = _ACCESS.search(line) if '" ' in line and ("HTTP/" in line or '"-" ' in line) else None
    head = line[: min(_REACH, access.start())] if access else line[:_REACH]
    declared = _declared(head)
    if access is None:
        return declared
    status = status_level(int(access["status"]))
    return declared if declared and RANKS[declared] > RANKS[status] else status


def _declared(head: str) -> str | None:
    low = head.lower()
    hinted = any(stem in low for stem in _STEMS)
    if (hinted or _LETTER.search(head)) and (name := plain_level(head)) and (found := named(name)):
        return found
    more = _LETTERS.match(head) or (_MORE.match(head) if hinted else None)
    if more:
        said = more[more.lastgroup] if more.lastgroup else head[0]
        return _OTHERS.get(said) or named(said)
    inside = _INSIDE.search(head) if hinted else None
    if inside is None:
        return None
    said = inside[str(inside.lastgroup)]
    return _OTHERS.get(said) or named(said.rstrip("0123456789"))
