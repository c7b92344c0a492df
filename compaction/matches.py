"""Find where a text has what the query asks for by name.

The model reads the query, and makes little of it. But a name that stands in the query and in one or
two lines of a long output is what those lines were looked up for.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from elision.compaction.guard.overlong import OVERLONG
from elision.compaction.types import Kind, Passage, Pin

QUERY = "query"
# Passages with a name: in more of them, or in more than one of a short text, it tells none from the others.
RARE, _RARE_SHARE = 3, 0.05
_ARGUMENTS = regex.compile(r"\{\s?+\".*?(?:\}|\s\|\s|\Z)", regex.DOTALL)
_WORD = regex.compile(r"[^\W_]{4,}+")
_NAME = regex.compile(r"(?<![\w.\-/])[\w\-./:]{5,120}\w")
_QUOTED = regex.compile(r"`(\w[^`\s]{1,118}\w)`")
_MIXED = regex.compile(r"\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|\w[_./]\w|::")


def query_pins(text: str, passages: Sequence[Passage], query: str) -> list[Pin]:
    """Pin the passages that hold a name of the query that few of them hold.

    Args:
        text: The text.
        passages: Its passages.
        query: What the reader was after; may be empty.
    """
    starts = [passage.span.start for passage in passages]
    most = max(1, min(RARE, int(_RARE_SHARE * len(starts))))
    found = {index for name in names(query) for index in holders(text, starts, name, most)}
    return [Pin(passages[index].span, QUERY) for index in sorted(found) if _is_line(passages[index])]


def mentions(text: str, starts: Sequence[int], query: str, most: int) -> set[int]:
    """The stretches that hold a word or a name of the query that at most ``most`` of them hold.

    Args:
        text: The text.
        starts: Where each stretch of it begins.
    """
    words = dict.fromkeys([*names(query), *_WORD.findall(query)])
    return {index for word in words for index in holders(text, starts, word, most)}


def names(query: str) -> list[str]:
    """The words of a query that are names of something: mixed as no plain word is, or quoted.

    Those among the arguments of a call are left out: the agent knows them, and most outputs only echo
    them. With them pinned, and names with nothing but a hyphen, three dev outputs in 73 kept less of
    what the agent used next, and one more (scripts/next_action.py).
    """
    said = _ARGUMENTS.sub(" ", query)
    mixed = (match for match in _NAME.findall(said) if _MIXED.search(match))
    return list(dict.fromkeys([*mixed, *_QUOTED.findall(said)]))


def holders(text: str, starts: Sequence[int], word: str, most: int) -> set[int]:
    """The stretches that hold a word; none where that is more than ``most`` of them."""
    found: set[int] = set()
    for at in _places(text, word):
        found.add(bisect_right(starts, at) - 1)
        if len(found) > most:
            return set()
    return found


def _is_line(passage: Passage) -> bool:
    """Whether a passage is no more than was asked for; the header of a file in a diff brings a hunk with it."""
    return len(passage.span) <= OVERLONG and passage.kind is not Kind.DIFF


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        stop = at + len(word)
        if not _goes_on(text[max(0, at - 1) : at]) and not _goes_on(text[stop : stop + 1]):
            yield at
        at = text.find(word, stop)


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"
