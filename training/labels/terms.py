"""The terms of a text: what may be recognised when an agent writes again what it has read.

Paths, identifiers, numbers and words, each as written and as its parts in lower case, so that
``FooBar.run`` is found again in "the run method of foo_bar". Rarity says how telling a term is.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

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
    """One occurrence: where it stands, and as written."""

    span: Span
    whole: str


def terms(text: str, start: int = 0, stop: int | None = None) -> Iterator[Term]:
    """The terms of ``text[start:stop]`` in order; single digits and letters are none."""
    for match in _TERM.finditer(text, start, len(text) if stop is None else stop):
        whole = match.group().rstrip(".-")
        if _tells(whole):
            yield Term(Span(match.start(), match.start() + len(whole)), whole)


@lru_cache(maxsize=65_536)  # most terms of a session were there before
def keys(whole: str) -> tuple[str, ...]:
    """What a term is looked up by: itself, and each of its parts, in lower case."""
    lowered = whole.lower()
    parts = (part.lower() for part in _PART.findall(whole) if len(part) >= _SHORTEST)
    return (lowered, *(part for part in parts if part != lowered))


def key_set(text: str) -> frozenset[str]:
    """All keys of the terms of a text."""
    found = {whole.rstrip(".-") for whole in _TERM.findall(text)}
    return frozenset(key for whole in found if _tells(whole) for key in keys(whole))


def line_counts(text: str) -> Counter[str]:
    """In how many lines of a text each key stands."""
    counts: Counter[str] = Counter()
    for line, times in Counter(text.splitlines()).items():
        for key in key_set(line):
            counts[key] += times
    return counts


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


def _tells(whole: str) -> bool:
    return len(whole) >= _SHORTEST or not whole.isascii() or (whole.isdigit() and len(whole) > 1)
