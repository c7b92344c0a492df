"""Find where a text has what the query asks for by name.

The model reads the query, and makes little of it. But a name that stands in the query and in one or
two lines of a long output is what those lines were looked up for.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from elision.compaction.types import Passage, Pin

QUERY = "query"
RARE = 3  # passages with a name: in more of them, it tells none from the others
_LONGEST = 1200  # characters of a passage that is pinned: a file or a hunk is more than was asked for
_WORD = regex.compile(r"[^\W_]{4,}+")
_NAME = regex.compile(r"(?<![\w.\-/])[\w\-./:]{5,120}\w")
_QUOTED = regex.compile(r"`(\w[^`\s]{1,118}\w)`|(?<!\w)'(\w[^'\s]{1,118}\w)'|\"(\w[^\"\s]{1,118}\w)\"(?!\s?:)")
_MIXED = regex.compile(r"\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|\w[_\-./]\w|::")


def query_pins(text: str, passages: Sequence[Passage], query: str) -> list[Pin]:
    """Pin the passages that hold a name of the query that few of them hold.

    Args:
        text: The text.
        passages: Its passages.
        query: What the reader was after; may be empty.
    """
    starts = [passage.span.start for passage in passages]
    found = {index for name in names(query) for index in holders(text, starts, name, RARE)}
    return [Pin(passages[index].span, QUERY) for index in sorted(found) if len(passages[index].span) <= _LONGEST]


def mentions(text: str, starts: Sequence[int], query: str, most: int) -> set[int]:
    """The stretches that hold a word or a name of the query that at most ``most`` of them hold.

    Args:
        text: The text.
        starts: Where each stretch of it begins.
    """
    words = dict.fromkeys([*names(query), *_WORD.findall(query)])
    return {index for word in words for index in holders(text, starts, word, most)}


def names(query: str) -> list[str]:
    """The words of a query that are names of something: mixed as no plain word is, or quoted."""
    mixed = (match for match in _NAME.findall(query) if _MIXED.search(match))
    quoted = (next(filter(None, groups)) for groups in _QUOTED.findall(query))
    return list(dict.fromkeys([*mixed, *quoted]))


def holders(text: str, starts: Sequence[int], word: str, most: int) -> set[int]:
    """The stretches that hold a word; none where that is more than ``most`` of them."""
    found: set[int] = set()
    for at in _places(text, word):
        found.add(bisect_right(starts, at) - 1)
        if len(found) > most:
            return set()
    return found


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        stop = at + len(word)
        if not _goes_on(text[max(0, at - 1) : at]) and not _goes_on(text[stop : stop + 1]):
            yield at
        at = text.find(word, stop)


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"
