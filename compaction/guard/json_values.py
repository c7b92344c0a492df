"""Read the string values of JSON where they stand: which hold text, and what their characters spell.

Works on documents that are known to be valid, by one pass over their literals: nothing depends on how
deep they are nested.
"""

import json
from collections.abc import Iterator
from enum import Enum, auto

import numpy as np
import regex

from elision.compaction.errors import NotJson
from elision.compaction.guard.blobs import find_blobs
from elision.compaction.guard.prose import is_prose
from elision.compaction.raw_json import parse
from elision.model.types import IntArray, Span

LONG = 200  # characters: a shorter value is a name, a label or a message and costs little
_LONGEST_WORDS = 15  # characters a word of running text has on average, at most
_LINES = 3  # so many lines are an output, whatever they hold
_REACH = 300
_LITERAL = regex.compile(r'"((?:[^"\\]++|\\.)*+)"(?P<key>[ \t\r\n]*+:)?', regex.DOTALL)
_SPACE = regex.compile(r'"(?:[^"\\]++|\\.)*+"|[ \t\r\n]++', regex.DOTALL)
_ESCAPE = regex.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)")

# base64 and hex wrapped to lines of one width, as in keys and mail.
_ARMOURED = regex.compile(
    r"\s*+(?:-----.*\n)?(?:[A-Za-z0-9+/=]{40,100}\s++)*+[A-Za-z0-9+/=]*+\s*+(?:-----.*\s*+)?"
)


class Use(Enum):
    """What a string value is to whoever shortens."""

    CLOSED = auto()  # stays as it is
    TEXT = auto()  # may lose lines and words
    BLOB = auto()  # may lose the middle of its blobs
    NESTED = auto()  # is a JSON document itself


def values(text: str, document: Span) -> Iterator[Span]:
    """The insides of a document's string values, without the quotes, in text order; keys are not values."""
    for match in _LITERAL.finditer(text, document.start, document.stop):
        if not match["key"] and match.end(1) > match.start(1):
            yield Span(*match.span(1))


def insignificant(text: str, document: Span) -> Iterator[Span]:
    """White space between the tokens of a document."""
    for match in _SPACE.finditer(text, document.start, document.stop):
        if text[match.start()] != '"':
            yield Span(*match.span())


def decoded(inside: str) -> tuple[str, IntArray]:
    """What the inside of a string literal says, and where the spelling of each character starts.

    Returns:
        The string, and its edges: character ``i`` is spelled ``inside[edges[i]:edges[i + 1]]``,
        shape ``(len(string) + 1,)``.
    """
    said: str = json.loads(f'"{inside}"', strict=False)
    lengths = np.ones(len(said), dtype=np.int64)
    escapes = np.array([match.span() for match in _ESCAPE.finditer(inside)], dtype=np.int64).reshape(-1, 2)
    extra = escapes[:, 1] - escapes[:, 0] - 1
    lengths[escapes[:, 0] - np.cumsum(extra) + extra] += extra
    return said, np.concatenate([[0], np.cumsum(lengths)])


def use_of(value: str) -> Use:
    """What may be done with a string value of a document."""
    if len(value) < LONG:
        return Use.CLOSED
    if is_document(value):
        return Use.NESTED
    if find_blobs(value):
        return Use.TEXT if reads_like_text(value) else Use.BLOB
    return Use.TEXT if reads_like_text(value) else Use.CLOSED


def is_document(value: str) -> bool:
    """Whether a string spells a JSON object or array."""
    body = value.strip()
    if body[:1] + body[-1:] not in ("{}", "[]"):
        return False
    try:
        parse(value)
    except NotJson:
        return False
    return True


def reads_like_text(value: str) -> bool:
    """Whether a long string is words or lines rather than an id, a URL or a blob."""
    words = len(value.split())
    if words * _LONGEST_WORDS >= len(value) or is_prose(value[:_REACH]):
        return True
    return value.count("\n") >= _LINES and not _ARMOURED.fullmatch(value)
