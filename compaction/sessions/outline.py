"""Where the messages of a request stand, told without reading them.

Agents send a history whole with every request. What a session has of it was read when it came, so that only
its bounds are looked for, by the scanner of the standard library. That one takes more than JSON: whatever is
new has to be read as well.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from elision.compaction.raw_json import replaced
from elision.compaction.sessions.types import Glue
from elision.model.types import Span

# Numbers are not made: there is no telling how many digits one has.
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str)
_SPACE = " \t\n\r"


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


def outline(raw: str, key: str) -> Outline | None:
    """The outline of an object with a list of messages under ``key``, or of such a list; None of anything else."""
    try:
        start = _space(raw, 0)
        if raw[start] == "[":
            lists = [start]
        else:
            lists = [at for name, at in _members(raw, start) if name == key]
        if len(lists) != 1 or raw[lists[0]] != "[":
            return None
        messages = tuple(_elements(raw, lists[0]))
        end = _space(raw, messages[-1].stop if messages else lists[0] + 1)
        return Outline(raw, Span(lists[0], end + 1), messages) if raw[end] == "]" else None
    except (ValueError, IndexError, RecursionError):
        return None


def _members(raw: str, at: int) -> Iterator[tuple[str, int]]:
    """The names of an object and where their values begin."""
    at = _space(raw, _past(raw, at, "{"))
    while raw[at] != "}":
        name, at = _SCANNER.raw_decode(raw, at)
        at = _space(raw, _past(raw, _space(raw, at), ":"))
        yield name, at
        at = _next(raw, _SCANNER.raw_decode(raw, at)[1], "}")


def _elements(raw: str, at: int) -> Iterator[Span]:
    at = _space(raw, _past(raw, at, "["))
    while raw[at] != "]":
        stop = _SCANNER.raw_decode(raw, at)[1]
        yield Span(at, stop)
        at = _next(raw, stop, "]")


def _next(raw: str, at: int, close: str) -> int:
    """Where the next member or element begins, or the bracket stands that closes them."""
    at = _space(raw, at)
    return at if raw[at] == close else _space(raw, _past(raw, at, ","))


def _past(raw: str, at: int, mark: str) -> int:
    if raw[at] != mark:
        raise ValueError(f"{mark} is missing")
    return at + 1


def _space(raw: str, at: int) -> int:
    while raw[at] in _SPACE:
        at += 1
    return at
