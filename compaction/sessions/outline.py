"""Where the members of an object stand, and the messages of a request, told without reading them.

Agents send a history whole with every request. What a session has of it was read when it came, so that only
its bounds are looked for, by the scanner of the standard library. It is held to what JSON is; where something
else stands, or what is nested too deeply for it, nothing is told, and a reader has to say what is wrong.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from elision.compaction.raw_json import replaced
from elision.compaction.sessions.types import Glue
from elision.model.types import Span

_SPACE = " \t\n\r"
_UNTOLD = (ValueError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True)
class Outline:
    """A request over its text.

    Attributes:
        raw: The text.
        listed: Where the list of messages stands, brackets included.
        messages: Where each message stands.
    """

    raw: str
    listed: Span
    messages: tuple[Span, ...]

    @property
    def glue(self) -> Glue:
        """How the list is spelled: what stands between the first two messages stands between all."""
        if not self.messages:
            return Glue()
        first = self.raw[self.listed.start : self.messages[0].start]
        last = self.raw[self.messages[-1].stop : self.listed.stop]
        if len(self.messages) == 1:
            return Glue(first, "," + (first[1:] or " "), last)
        return Glue(first, self.raw[self.messages[0].stop : self.messages[1].start], last)

    def after(self, messages: int) -> str:
        """The request without its first messages."""
        left = ",".join(span.of(self.raw) for span in self.messages[messages:])
        return replaced(self.raw, [(self.listed, f"[{left}]")])


def members(raw: str) -> tuple[tuple[str, Span], ...] | None:
    """The names of an object, repeated ones too, and where their values stand; None of anything else."""
    try:
        found, stop = _members(raw, _space(raw, 0), lambda _, at: _past_value(raw, at))
    except _UNTOLD:
        return None
    return None if raw[stop:].strip(_SPACE) else found


def outline(raw: str, key: str) -> Outline | None:
    """The outline of an object with a list of messages under ``key``, or of such a list; None of anything else."""
    lists: list[Outline] = []

    def past(name: str, at: int) -> int:
        if name != key:
            return _past_value(raw, at)
        messages, stop = _elements(raw, at)
        lists.append(Outline(raw, Span(at, stop), messages))
        return stop

    try:
        start = _space(raw, 0)
        stop = past(key, start) if raw[start] == "[" else _members(raw, start, past)[1]
    except _UNTOLD:
        return None
    return lists[0] if len(lists) == 1 and not raw[stop:].strip(_SPACE) else None


def _members(raw: str, at: int, past: Callable[[str, int], int]) -> tuple[tuple[tuple[str, Span], ...], int]:
    """The members of an object, and where it ends; ``past`` tells where a value ends that begins somewhere."""
    found: list[tuple[str, Span]] = []
    at, is_next = _opened(raw, at, "{}")
    while is_next:
        name, at = _SCANNER.raw_decode(raw, at)
        if not isinstance(name, str):
            raise ValueError("a name is missing")
        at = _space(raw, _past(raw, _space(raw, at), ":"))
        found.append((name, Span(at, past(name, at))))
        at, is_next = _followed(raw, found[-1][1].stop, "}")
    return tuple(found), at


def _elements(raw: str, at: int) -> tuple[tuple[Span, ...], int]:
    """The elements of a list, and where it ends."""
    found: list[Span] = []
    at, is_next = _opened(raw, at, "[]")
    while is_next:
        found.append(Span(at, _past_value(raw, at)))
        at, is_next = _followed(raw, found[-1].stop, "]")
    return tuple(found), at


def _opened(raw: str, at: int, brackets: str) -> tuple[int, bool]:
    """Where the first of a container begins, or the container ends, and whether there is a first."""
    at = _space(raw, _past(raw, at, brackets[0]))
    return (at + 1, False) if raw[at] == brackets[1] else (at, True)


def _followed(raw: str, at: int, close: str) -> tuple[int, bool]:
    """Where the next one begins, or the container ends, and whether there is a next."""
    at = _space(raw, at)
    return (at + 1, False) if raw[at] == close else (_space(raw, _past(raw, at, ",")), True)


def _past_value(raw: str, at: int) -> int:
    return _SCANNER.raw_decode(raw, at)[1]


def _past(raw: str, at: int, mark: str) -> int:
    if raw[at] != mark:
        raise ValueError(f"{mark} is missing")
    return at + 1


def _space(raw: str, at: int) -> int:
    while raw[at] in _SPACE:
        at += 1
    return at


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


# Numbers are not made: there is no telling how many digits one has.
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refused)
