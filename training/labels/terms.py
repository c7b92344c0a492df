"""The terms of a text: what may be recognised when an agent writes again what it has read.

Paths, identifiers, numbers and words, each as written and as its parts in lower case, so that
``FooBar.run`` is found again in "the run method of foo_bar". Rarity says how telling a term is.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from elision.model.types import Span

_TERM = regex.compile(
    r"(?:[\w.@+-]*/)++[\w.@+-]*\w|[\p{L}_$][\p{L}\p{N}\p{M}_$]*+(?:(?:\.|::|->|-)[\p{L}_$][\p{L}\p{N}\p{M}_$]*+)*+"
    r"|\d++(?:[.,:-]\d++)*+|(?=\p{Han})\p{Han}{1,2}"
)
_PART = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|\d{2,}")
_SHORTEST = 3  # characters of a term


@dataclass(frozen=True, slots=True)
class Term:
    """One occurrence: where it stands, as written, and its parts in lower case."""

    span: Span
    whole: str
    parts: tuple[str, ...]


def terms(text: str, start: int = 0, stop: int | None = None) -> Iterator[Term]:
    """The terms of ``text[start:stop]`` in order; single digits and letters are none."""
    for match in _TERM.finditer(text, start, len(text) if stop is None else stop):
        whole = match.group().rstrip(".-")
        if len(whole) >= _SHORTEST or not whole.isascii() or (whole.isdigit() and len(whole) > 1):
            parts = tuple(part.lower() for part in _PART.findall(whole) if len(part) >= _SHORTEST)
            yield Term(Span(match.start(), match.start() + len(whole)), whole, parts)


def keys(term: Term) -> Iterator[str]:
    """What a term is looked up by: itself, and each of its parts."""
    lowered = term.whole.lower()
    yield lowered
    yield from (part for part in term.parts if part != lowered)


def key_set(text: str) -> frozenset[str]:
    """All keys of the terms of a text."""
    return frozenset(key for term in terms(text) for key in keys(term))


class Rarity:
    """How seldom a key is met, in [0, 1]: 0 in every text, 1 in one of them."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        self._frequency: Counter[str] = Counter()
        self._texts = 0
        for found in texts:
            self._frequency.update(found)
            self._texts += 1

    def __call__(self, key: str) -> float:
        if self._texts < 2:
            return 1.0
        return 1 - math.log(max(1, self._frequency[key])) / math.log(self._texts)
