"""Look into the envelope of a log line: what carried the message, and the message itself.

Containers, journals and structured loggers wrap what a program said. The message is a slice of the line;
its level and time are what the envelope declares.
"""

import json
from dataclasses import dataclass, replace
from datetime import datetime

import regex

from elision.compaction.logs.severities import named, numbered
from elision.compaction.logs.stamp_formats import epoch
from elision.compaction.logs.structured import (
    LEVELS,
    TIMES,
    few_digits,
    level_in,
    message_of,
    message_span,
    time_in,
    values_of,
)
from elision.compaction.logs.times import time_of
from elision.model.types import Span

_DOCKER_KEYS = frozenset({"log", "stream", "time", "attrs"})

_COMPOSE = regex.compile(
    r"(?:\x1b\[[0-9;]*[A-Za-z])*[\w.\-]{1,50}(?:\x1b\[[0-9;]*m)*\s{0,30}\|(?:\x1b\[[0-9;]*m)*\s"
)
_POD = regex.compile(r"\[(?:pod|deployment|job|statefulset|daemonset)/[^\]\s]{1,200}\]\s")
_CRI = regex.compile(
    r"(\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+\-]\d\d:\d\d))\s(?:stdout|stderr)\s([FP])(?:\s|(?=[\r\n]|$))"
)
_STAMPED = regex.compile(r"\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+\-]\d\d:\d\d)\s")
_PAIR = regex.compile(r'([A-Za-z_][\w.@/\-]{0,60})=("(?:[^"\\\r\n]|\\.)*+"|[^\s"]*+)(?=\s|$)')


@dataclass(frozen=True, slots=True)
class Envelope:
    """A log line opened.

    Attributes:
        message: What the program said, decoded; without its line end.
        message_span: The characters of the line that spell it, without quotes.
        level: The severity the envelope declares, as `severities` names it, or None.
        time: The time it gives, or None.
        partial: Whether the message goes on in the next line of the same source.
    """

    message: str
    message_span: Span
    level: str | None
    time: datetime | None
    partial: bool = False


def open_envelope(line: str) -> Envelope | None:
    """Open the envelope of a log line; None if it has none.

    A structured record inside a container's prefix is opened as well. One inside a JSON string is not:
    its message could not be a slice of the line.
    """
    first = line[:1]
    if first == "{":
        return _json(line)
    head = line[:64]
    if "|" in head and (found := _COMPOSE.match(line)):
        return _after(line, found.end(), stamped=True)
    if first == "[" and (found := _POD.match(line)):
        return _after(line, found.end(), stamped=True)
    if " std" in head and (found := _CRI.match(line)):
        inner = _after(line, found.end(), stamped=False)
        return replace(inner, time=inner.time or time_of(found[1]), partial=found[2] == "P")
    if "=" in head and ("msg=" in line or "message=" in line):
        return _logfmt(line)
    return None


def _after(line: str, at: int, stamped: bool) -> Envelope:
    """What follows a container's prefix; ``docker logs -t`` and ``kubectl logs --timestamps`` stamp it once more."""
    time = None
    if stamped and (found := _STAMPED.match(line, at)):
        at, time = found.end(), time_of(found[0])
    inner = open_envelope(line[at:])
    if inner is not None:
        span = Span(inner.message_span.start + at, inner.message_span.stop + at)
        return replace(inner, message_span=span, time=inner.time or time)
    stop = len(line.rstrip("\r\n"))
    return Envelope(line[at:stop], Span(min(at, stop), stop), None, time)


def without_end(line: str, said: str, span: Span) -> tuple[str, Span]:
    """A message and the characters inside the quotes that spell it, both without a line end."""
    span = Span(span.start + 1, span.stop - 1)
    for end, spelled in (("\n", "\\n"), ("\r", "\\r")):
        if said.endswith(end) and line.endswith(spelled, span.start, span.stop):
            said, span = said[:-1], Span(span.start, span.stop - 2)
    return said, span


def _json(line: str) -> Envelope | None:
    values = values_of(line)
    found = message_of(values) if values else None
    if values is None or found is None:
        return None
    path, value = found
    span = message_span(line, path, value)
    if span is None:
        return None
    level, time = level_in(values), time_in(values)
    if isinstance(value, list):
        return Envelope(bytes(value).decode("utf-8", "replace").removesuffix("\n"), span, level, time)
    docker = path == ("log",) and "stream" in values and values.keys() <= _DOCKER_KEYS
    said, inside = without_end(line, str(value), span)
    return Envelope(said, inside, level, time, partial=docker and not str(value).endswith("\n"))


def _logfmt(line: str) -> Envelope | None:
    if not _PAIR.match(line):
        return None
    pairs = {pair[1]: pair for pair in _PAIR.finditer(line)}
    message = pairs.get("msg") or pairs.get("message")
    if message is None or len(pairs) < 2:
        return None
    start, stop = message.span(2)
    said = message[2]
    if said.startswith('"'):
        start, stop, said = start + 1, stop - 1, _unquoted(said)
    values = {key: _unquoted(pair[2]) for key, pair in pairs.items() if key in _LOGFMT}
    spelled = next((values[key] for key in LEVELS if key in values), None)
    if spelled and few_digits(spelled):
        level = numbered("level", int(spelled), values)
    else:
        level = named(spelled) if spelled else None
    stamp = next((values[key] for key in TIMES if key in values), "")
    return Envelope(said, Span(start, stop), level, epoch(stamp) or time_of(stamp))


_LOGFMT = frozenset({*LEVELS, *TIMES})


def _unquoted(spelled: str) -> str:
    if not spelled.startswith('"'):
        return spelled
    try:
        return str(json.loads(spelled, strict=False))
    except ValueError:  # Go's quotes know escapes that JSON does not
        return spelled[1:-1]
