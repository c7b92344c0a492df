"""A text as it reads once escapes are undone, with every character's place in the text itself.

What must be found is often spelled otherwise: ``\\u0040`` and ``\\/`` in JSON, ``%40`` in URLs, ``&#64;``
in HTML, and one inside of another. Escapes are undone level by level, and each character remembers the
stretch of the source that spells it.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

LEVELS = 4  # %2540 in a URL in JSON in JSON
_UNIT = re.compile(
    r"""
      (?:\\u[0-9a-fA-F]{4})+ | \\u\{[0-9a-fA-F]{1,6}\} | \\x[0-9a-fA-F]{2} | \\["'\\/abfnrtv0]
    | (?:%[0-9a-fA-F]{2})+
    | &(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|amp|commat|quot|apos|lt|gt|sol|period|colon);
    """,
    re.VERBOSE,
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A text with some levels of escapes undone.

    Attributes:
        text: How it reads.
        places: For every character where its spelling begins in the source, and last where the source ends.
            None where each character spells itself.
    """

    text: str
    places: list[int] | None

    def place(self, at: int) -> int:
        """Where a character's spelling begins in the source."""
        return at if self.places is None else self.places[at]


def readings(text: str) -> list[Reading]:
    """The text itself, then with one, two ... levels undone, as long as something changes."""
    found = [Reading(text, None)]
    while len(found) <= LEVELS:
        deeper = _undone(found[-1])
        if deeper is None:
            break
        found.append(deeper)
    return found


def units(text: str) -> "Iterator[tuple[int, int, str]]":
    """The escapes of a text: where each begins and ends, and what it says.

    A run of escapes that are one character only together, as ``%C3%A9``, is one.
    """
    for match in _UNIT.finditer(text):
        yield from _said(match)


def _undone(reading: Reading) -> Reading | None:
    text = reading.text
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for start, stop, said in units(text):
        pieces += [text[at:start], said]
        places += [reading.place(i) for i in range(at, start)]
        places += [reading.place(start)] * len(said)
        at = stop
    if not pieces:
        return None
    pieces.append(text[at:])
    places += [reading.place(i) for i in range(at, len(text) + 1)]
    return Reading("".join(pieces), places)


def _said(match: "re.Match[str]") -> Iterator[tuple[int, int, str]]:
    spelled, start = match[0], match.start()
    if spelled.startswith("%"):
        yield from _percent(spelled, start)
    elif spelled.startswith("&"):
        yield start, match.end(), html.unescape(spelled)
    elif spelled.startswith(("\\u{", "\\x")):
        code = int(spelled.strip("\\ux{}"), 16) if spelled[1] == "u" else int(spelled[2:], 16)
        yield start, match.end(), chr(code) if code <= 0x10FFFF else "\ufffd"
    elif spelled.startswith("\\u"):
        yield from _utf16(spelled, start)
    else:
        yield start, match.end(), _SIMPLE.get(spelled[1], spelled[1])


def _percent(spelled: str, start: int) -> Iterator[tuple[int, int, str]]:
    data = bytes.fromhex(spelled.replace("%", ""))
    at = 0
    while at < len(data):
        size = next((n for n in (1, 2, 3, 4) if _is_char(data[at : at + n])), 0)
        said = data[at : at + size].decode() if size else "\ufffd"
        size = size or 1
        yield start + 3 * at, start + 3 * (at + size), said
        at += size


def _is_char(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


def _utf16(spelled: str, start: int) -> Iterator[tuple[int, int, str]]:
    codes = [int(code, 16) for code in spelled.split("\\u")[1:]]
    at = 0
    while at < len(codes):
        pair = 0xD800 <= codes[at] < 0xDC00 and at + 1 < len(codes) and 0xDC00 <= codes[at + 1] < 0xE000
        if pair:
            said = chr(0x10000 + ((codes[at] - 0xD800) << 10) + codes[at + 1] - 0xDC00)
        else:
            said = chr(codes[at])
        size = 2 if pair else 1
        yield start + 6 * at, start + 6 * (at + size), said
        at += size
