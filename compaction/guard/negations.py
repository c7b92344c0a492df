"""Find the words that may not be cut out of a sentence that stays.

Losing "not", "only" or "unless" makes a short sentence say the opposite of the long one.
Word lists of all languages that share a script are applied together: guessing the language
of one sentence fails more often than a foreign word costs a token.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import regex

from elision.compaction.guard import negation_words as words
from elision.compaction.guard.units import unit_spans
from elision.model.types import Span

_LISTED = sorted(frozenset[str]().union(*words.SPACED.values()))
_WORDS = "|".join(
    (
        r"\w{1,20}n['’‘ʼ`´]t",  # don't, don’t
        *words.ENGLISH_PHRASES,
        r"\L<listed>",
        r"[وفبل]{1,2}(?:لا|لم|لن|ليس|ليست|غير|بدون|دون)",  # "and", "so", "by" are written onto the word
    )
)
_CLITICS = r"n['’](?=\p{L})|nu?-(?=\p{L})"  # French n', Romanian n-
_SPACED = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\d_])(?:{_WORDS})(?![\p{{L}}\p{{M}}\d_])|(?<![\p{{L}}\d_])(?:{_CLITICS})",
    regex.IGNORECASE,
    listed=_LISTED,
)
_TURKISH_LETTER = regex.compile(r"[ğışĞİŞ]")
_TURKISH_VERB = regex.compile(rf"(?<!\p{{L}})(?:{words.TURKISH_ENDINGS})(?!\p{{L}})", regex.IGNORECASE)
_UNSPACED = regex.compile(
    rf"{words.CHINESE}|{words.JAPANESE}|{words.KOREAN_STEMS}|{words.THAI}"
)
_UNSPACED_SCRIPT = regex.compile(r"[\p{Han}\p{Hiragana}\p{Hangul}\p{Thai}]")


def negation_spans(text: str, span: Span, units: Sequence[Span] = ()) -> list[Span]:
    """List the units of ``span`` that carry a negation or a modal.

    Args:
        text: Any string.
        span: A line or a sentence.
        units: ``unit_spans(text, span)``, if they are known already.

    Returns:
        Sorted, disjoint spans, each made of whole units of ``unit_spans(text, span)``.
    """
    found = _matches(text, span)
    if not found:
        return []
    units = units or unit_spans(text, span)
    starts = [unit.start for unit in units]
    covered: list[Span] = []
    for start, stop in sorted(found):
        first = bisect_right(starts, start) - 1
        last = bisect_left(starts, stop) - 1
        whole = Span(units[first].start, units[last].stop)
        if covered and whole.start < covered[-1].stop:
            covered[-1] = Span(covered[-1].start, max(covered[-1].stop, whole.stop))
        else:
            covered.append(whole)
    return covered


def _matches(text: str, span: Span) -> list[tuple[int, int]]:
    found = [match.span() for match in _SPACED.finditer(text, span.start, span.stop)]
    if text[span.start : span.stop].isascii():
        return found
    if _TURKISH_LETTER.search(text, span.start, span.stop):
        found += [match.span() for match in _TURKISH_VERB.finditer(text, span.start, span.stop)]
    if _UNSPACED_SCRIPT.search(text, span.start, span.stop):
        found += [match.span() for match in _UNSPACED.finditer(text, span.start, span.stop)]
    return found
