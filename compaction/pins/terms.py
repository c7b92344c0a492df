"""The words by which two sentences are about the same thing."""

from collections.abc import Iterator
from functools import cache

import regex

from elision.compaction.pins.lexicon import table

_WORD = regex.compile(r"[\p{L}\p{M}\d][\p{L}\p{M}\d_./@+#-]*+|\d++")
_KANA = regex.compile(r"\p{Hiragana}++")  # endings and particles
_UNSPACED = regex.compile(r"\p{Han}++|\p{Katakana}[\p{Katakana}ー]*+|\p{Thai}++")
_HANGUL = regex.compile(r"\p{Hangul}++")
_SAYING_NOTHING = regex.compile(
    r"[絶绝絕]对?[対對]?|千万|千萬|永[远遠]|[不要别別禁止必须須可以现在現了的请請勿能只准许許得也都和与在吧吗你我他用你您]"
)
# A number that is part of a name, as in table_1, v2 or #12, is no value that could change.
_NUMBER = regex.compile(r"(?<![\p{Latin}\p{Greek}\p{Cyrillic}\d_#/@-])\d[\d.,:]*+")
_BEFORE = regex.compile(r"([\p{L}\p{M}]++)\s*+$")
_ENDING = regex.compile(r"(?:ing|en|ed|es|s)$")
_SIGNS = regex.compile(r"(?<=\p{Devanagari})[\p{M}ओएँ]++$")  # vowels behind the last consonant


def content_words(text: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without their endings; of scripts without spaces, pairs."""
    return frozenset(words_in_order(text))


def words_in_order(text: str) -> tuple[str, ...]:
    """`content_words` in the order of the text, repeated ones included."""
    return tuple(word for word in _words(text) if word not in _stop())


def telling_words(text: str) -> tuple[str, ...]:
    """The words of a sentence that forbids or allows, in order, but those that only forbid or allow.

    Unlike `words_in_order` with the small words that say which way or how much: in, out, up, down, any, all.
    """
    return tuple(word for word in _words(text) if word not in _soft())


def _words(text: str) -> Iterator[str]:
    folded = _KANA.sub(" ", text.casefold())
    pairs: list[str] = []
    for run in _UNSPACED.findall(folded):
        bare = _SAYING_NOTHING.sub(" ", run)
        pairs += [piece[at : at + 2] for piece in bare.split() for at in range(max(1, len(piece) - 1))]
    # Particles are written onto Korean words, and onto foreign ones.
    pairs += [run[:2] for run in _HANGUL.findall(folded) if len(run) > 1]
    spaced = (
        _stem(word.strip("./-_#@+")) for word in _WORD.findall(_HANGUL.sub(" ", _UNSPACED.sub(" ", folded)))
    )
    return (word for word in (*spaced, *pairs) if word)


def named_words(text: str) -> frozenset[str]:
    """The words of a text that takes something back which say what."""
    return content_words(text) - _revoking()


def without_numbers(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a sentence with its numbers taken out, and the numbers."""
    return words_in_order(_NUMBER.sub(" ", text)), tuple(_NUMBER.findall(text))


def values(text: str) -> tuple[str, ...]:
    """The numbers of a sentence that say how much; one right behind a noun, as in step 3, names one of several."""
    small = _stop() | frozenset(table("revisions.toml")["measures"].split())
    found = []
    for match in _NUMBER.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - 40), match.start())
        if before is None or before[1].casefold() in small:
            found.append(match.group())
    return tuple(found)


def _stem(word: str) -> str:
    word = word if word in _stop() else _SIGNS.sub("", word)
    if word in _stop() or len(word) <= 3 or not word.isalpha():
        return word
    if word.isascii():
        return _ENDING.sub("", word) if len(word) > 4 else word.removesuffix("s")
    return word[:5]


@cache
def _stop() -> frozenset[str]:
    return frozenset(table("speech.toml")["stop"].split())


@cache
def _revoking() -> frozenset[str]:
    return frozenset(_stem(word) for word in table("speech.toml")["revoking"].split())


@cache
def _soft() -> frozenset[str]:
    lists = table("revisions.toml")
    soft = frozenset(lists["soft"].split())
    return (_stop() - frozenset(lists["telling"].split())) | soft | {_stem(word) for word in soft}
