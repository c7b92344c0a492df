"""The members of a JSON object in one line, each with the characters that spell its value.

Read by the standard library's scanners in C: a log has millions of such lines.
"""

import json
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple, cast

import regex

from elision.model.types import Span

_scan = cast("Callable[[str, int], tuple[object, int]]", json.JSONDecoder(strict=False).scan_once)  # type: ignore[attr-defined]
_SPACE = regex.compile(r"[ \t\n\r]*+")
_COLON = regex.compile(r'[ \t\n\r]*+:[ \t\n\r]*+"')
_DEEPEST = 8


def scan(line: str, at: int) -> tuple[object, int] | None:
    """The JSON value that begins at a place and where it ends; None if there is none."""
    try:
        return _scan(line, at)
    except (StopIteration, ValueError, RecursionError):
        return None


def string_after(line: str, key: str) -> tuple[str, Span] | None:
    """The string that follows a key which stands only once in a line, and its place with its quotes."""
    spelled = f'"{key}"'
    at = line.find(spelled)
    if at < 0 or line.find(spelled, at + 1) >= 0:
        return None
    found = _COLON.match(line, at + len(spelled))
    if found is None:
        return None
    value, stop = scanstring(line, found.end(), False)
    return value, Span(found.end() - 1, stop)


class Member(NamedTuple):
    """A value of an object; a tuple, because making one takes a fifth of the time of a frozen dataclass.

    Attributes:
        key: Its key.
        value: What it is.
        start: The first character that spells the value; of a string its quote.
        stop: One past the last.
    """

    key: str
    value: object
    start: int
    stop: int


def members(line: str, start: int = 0) -> tuple[list[Member], int] | None:
    """The members of the object that opens at ``start``, in order, and where it ends; None if there is none."""
    found: list[Member] = []
    try:
        at = start + 1
        if line[at] <= " ":
            at = _skip(line, at)
        if line[at] == "}":
            return found, at + 1
        while True:
            if line[at] != '"':
                return None
            key, at = scanstring(line, at + 1, False)
            if line[at] <= " ":
                at = _skip(line, at)
            if line[at] != ":":
                return None
            at += 1
            if line[at] <= " ":
                at = _skip(line, at)
            value, end = _scan(line, at)
            found.append(Member(key, value, at, end))
            at = end
            if line[at] <= " ":
                at = _skip(line, at)
            if line[at] != ",":
                return (found, at + 1) if line[at] == "}" else None
            at += 1
            if line[at] <= " ":
                at = _skip(line, at)
    except (StopIteration, IndexError, ValueError, RecursionError):
        return None


def within(line: str, member: Member, path: tuple[str, ...]) -> Member | None:
    """A member of a member, by keys; an array on the way counts only if it has a single element."""
    found: Member | None = member
    for key in path[:_DEEPEST]:
        if found is None:
            return None
        at = found.start
        if isinstance(found.value, list):
            if len(found.value) != 1:
                return None
            at = _skip(line, at + 1)
        inner = members(line, at) if line[at : at + 1] == "{" else None
        found = next((each for each in reversed(inner[0]) if each.key == key), None) if inner else None
    return found


def _skip(line: str, at: int) -> int:
    """Where the next character stands that is no white space."""
    found = _SPACE.match(line, at)
    assert found is not None
    return found.end()
