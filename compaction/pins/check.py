"""Whether what was pinned is still there, after every pass."""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.pins.inert import inert
from elision.compaction.pins.types import HistoryPin, PinKind

_ESCAPE = regex.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})|u(?P<code>[0-9a-fA-F]{4})|(?P<one>[\"\\/bfnrt]))"
)
_ONE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_DEPTH = 2  # JSON in a string of JSON


def alive(pins: Sequence[HistoryPin], text: str) -> list[bool]:
    """Whether each pin's text stands in ``text``, white space and JSON escapes aside.

    A pin that no longer holds is asked for as any other: see `missing`. What came from tools may also stand as
    `render` writes it.

    Args:
        text: A conversation: its raw body, or its texts joined.
    """
    views = _Views(text)
    return [any(views.hold(form) for form in _forms(pin)) for pin in pins]


def missing(pins: Sequence[HistoryPin], text: str) -> tuple[HistoryPin, ...]:
    """The pins that hold and are not there, in order."""
    holding = [pin for pin in pins if pin.holds]
    return tuple(pin for pin, there in zip(holding, alive(holding, text), strict=True) if not there)


class _Views:
    """A text as it is, and with its escapes read once and twice; each made when it is asked for."""

    def __init__(self, text: str) -> None:
        self._next = text
        self._made: list[str] = []

    def hold(self, form: str) -> bool:
        return any(form in view for view in self._views())

    def _views(self) -> Iterator[str]:
        yield from self._made
        while len(self._made) <= _DEPTH and (not self._made or "\\" in self._next):
            text = _unescaped(self._next) if self._made else self._next
            self._next = text
            self._made.append(_folded(text))
            yield self._made[-1]


def _forms(pin: HistoryPin) -> Iterator[str]:
    """How a pin's text may stand there."""
    text = pin.text.removeprefix("./") if pin.kind is PinKind.FILE else pin.text
    yield _folded(text)
    if pin.untrusted:
        yield _folded(inert(text))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_read, text)


def _read(match: "regex.Match[str]") -> str:
    if match["one"]:
        return _ONE.get(match["one"], match["one"])
    if match["code"]:
        return chr(int(match["code"], 16))
    high, low = int(match["high"], 16), int(match["low"], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
