"""Words and subsequences, as the cases define them."""

import re
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Runs of letters, digits and ``_``; every other visible character is a word by itself."""
    return _WORD.findall(text)


def is_within(some: Iterable[str], whole: Sequence[str]) -> bool:
    """Whether ``some`` is a subsequence of ``whole``."""
    return first_stray(some, whole) is None


def first_stray(some: Iterable[str], whole: Sequence[str]) -> str | None:
    """The first of ``some`` that is not in ``whole`` behind the ones before it."""
    rest = iter(whole)
    return next((one for one in some if one not in rest), None)
