"""Find message, severity and time in a record that a structured logger wrote as one line of JSON.

The field names are those of the loggers and collectors in use; which of them a record has is looked up
once for all records of the same keys.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from elision.compaction.logs.members import Member, members, scan, string_after, within
from elision.compaction.logs.severities import named, numbered
from elision.compaction.logs.stamp_formats import epoch
from elision.compaction.logs.times import time_of
from elision.model.types import Span

Path = tuple[str, ...]

MESSAGES = (
    "msg", "message", "MESSAGE", "@m", "@mt", "textPayload", "log", "short_message", "event", "body", "@message",
    "text", "Message", "Body",
)  # fmt: skip
LEVELS = (
    "level", "lvl", "severity", "levelname", "log.level", "PRIORITY", "@l", "level_name", "severityText", "severity_text",
    "SeverityText", "loglevel", "log_level", "Level", "LogLevel", "severityNumber", "severity_number", "SeverityNumber",
    "levelno", "s",
)  # fmt: skip
TIMES = (
    "time", "ts", "timestamp", "@timestamp", "@t", "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "datetime",
    "asctime", "timeMillis", "timeUnixNano", "observedTimeUnixNano", "date", "t", "Timestamp", "eventTime", "created_at",
    "started_at", "receiveTimestamp", "instant",
)  # fmt: skip
_OTLP = ("resourceLogs", "scopeLogs", "logRecords")
_MESSAGE_PATHS: tuple[Path, ...] = (
    ("fields", "message"), ("jsonPayload", "message"), ("jsonPayload", "msg"), ("@fields", "msg"), ("@fields", "message"),
    ("body", "stringValue"), ("Body", "stringValue"), ("event", "message"), ("event", "original"), ("data", "message"),
    (*_OTLP, "body", "stringValue"),
)  # fmt: skip
_LEVEL_PATHS: tuple[Path, ...] = (
    ("log", "level"), ("jsonPayload", "level"), ("@fields", "lvl"), ("@fields", "level"), ("fields", "level"),
    (*_OTLP, "severityText"), (*_OTLP, "severityNumber"),
)  # fmt: skip
_TIME_PATHS: tuple[Path, ...] = (("t", "$date"), ("instant", "epochSecond"), (*_OTLP, "timeUnixNano"))
_SPELLED = tuple(f'"{name}"' for name in (*MESSAGES, "stringValue", "original"))


class Roles(NamedTuple):
    """Where a record of some keys may have what is looked for, the likeliest first."""

    messages: tuple[Path, ...]
    levels: tuple[Path, ...]
    times: tuple[Path, ...]


def values_of(line: str) -> dict[str, object] | None:
    """The fields of a line that is one JSON object and may have a message, or None."""
    if line[:1] != "{" or not any(spelled in line for spelled in _SPELLED):
        return None
    found = scan(line, 0)
    if found is None or not isinstance(found[0], dict) or line[found[1] :].strip():
        return None
    return found[0]


def message_of(values: Mapping[str, object]) -> tuple[Path, object] | None:
    """What a record says, a string or the journal's list of bytes, and where; None if it says nothing."""
    for path in _roles(tuple(values)).messages:
        value = _at(values, path)
        if isinstance(value, str) or (path == ("MESSAGE",) and _is_bytes(value)):
            return path, value
    return None


def level_in(values: Mapping[str, object]) -> str | None:
    """The severity a record declares, by its one name, or None."""
    for path in _roles(tuple(values)).levels:
        value = _at(values, path)
        if isinstance(value, str):
            name = numbered(path[-1], int(value), values) if few_digits(value) else named(value)
        else:
            name = numbered(path[-1], value, values) if type(value) is int else None
        if name:
            return name
    serilog = "@t" in values and ("@m" in values or "@mt" in values)
    return "INFO" if serilog else None  # which it leaves out


def time_in(values: Mapping[str, object]) -> datetime | None:
    """The time a record gives, or None."""
    for path in _roles(tuple(values)).times:
        value = _at(values, path)
        found = epoch(value) if isinstance(value, str | int | float) else None
        if found is None and isinstance(value, str):
            found = time_of(value)
        if found is not None:
            return found
    return None


def structured(line: str) -> tuple[list[Member], Member] | None:
    """The members of a line that is a structured record, and the member, at any depth, that is its message."""
    if line[:1] != "{" or not any(spelled in line for spelled in _SPELLED):
        return None
    found = members(line)
    if found is None or line[found[1] :].strip():
        return None
    said = message_of({member.key: member.value for member in found[0]})
    message = _member(line, found[0], said[0]) if said else None
    return None if message is None else (found[0], message)


def message_span(line: str, path: Path, value: object) -> Span | None:
    """The characters that spell the message at a path; of a string with its quotes."""
    if isinstance(value, str):
        found = string_after(line, path[-1])
        if found is not None and found[0] == value:
            return found[1]
    listed = members(line)
    member = _member(line, listed[0], path) if listed else None
    return Span(member.start, member.stop) if member else None


def few_digits(value: str) -> bool:
    """Whether a string is a small number."""
    return value.isascii() and value.isdigit() and len(value) < 5


@lru_cache(maxsize=4096)
def _roles(keys: tuple[str, ...]) -> Roles:
    def of(names: tuple[str, ...], paths: tuple[Path, ...]) -> tuple[Path, ...]:
        return (*((name,) for name in names if name in keys), *(path for path in paths if path[0] in keys))

    return Roles(of(MESSAGES, _MESSAGE_PATHS), of(LEVELS, _LEVEL_PATHS), of(TIMES, _TIME_PATHS))


def _at(values: Mapping[str, object], path: Path) -> object:
    """The value at a path; an array on the way counts only if it has a single element."""
    found = values.get(path[0])
    for key in path[1:]:
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found


def _member(line: str, listed: list[Member], path: Path) -> Member | None:
    # Of a repeated key the last counts.
    outer = next((member for member in reversed(listed) if member.key == path[0]), None)
    return within(line, outer, path[1:]) if outer else None


def _is_bytes(value: object) -> bool:
    return isinstance(value, list) and all(type(byte) is int and 0 <= byte < 256 for byte in value)
