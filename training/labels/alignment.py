"""Find the words that a teacher kept back in the text it read, as character spans.

An LLM gives words, a label needs places. Words are matched in order on the text as it is written,
never on lemmas: first exactly, as a longest common subsequence, then without regard to case and
typographic quotes, then as a part of a longer word. What finds no place is either invented or
displaced (moved, or said twice), and both are counted, since they tell how far an answer may be
trusted. In scripts without spaces between words every character is a word.

The measures are those of LLMLingua-2 (Pan et al., 2024, arXiv:2403.12968, appendix).
"""

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from elision.model.types import Span

_NO_SPACES = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_WORD = regex.compile(rf"{_NO_SPACES}\p{{M}}*|(?:(?!{_NO_SPACES})\S)+")
_TYPOGRAPHIC = str.maketrans("‘’‚“”„–—−", "'''\"\"\"---")
_EDGES = string.punctuation + "…。，、；：！？「」『』"


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where the kept words stand, and how well they fit.

    Attributes:
        spans: Places of the kept words in the source, in order; touching ones are one.
        words: Words of the answer.
        source_words: Words of the source.
        invented: Words of the answer that the source does not have.
        displaced: Words the source has, but not where the order of the others puts them.
    """

    spans: tuple[Span, ...]
    words: int
    source_words: int
    invented: tuple[str, ...] = ()
    displaced: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """Words of the answer that found their place."""
        return self.words - len(self.invented) - len(self.displaced)


def words_of(text: str, within: Span | None = None) -> list[Span]:
    """The words of a text, or of a stretch of it."""
    within = within or Span(0, len(text))
    return [Span(*found.span()) for found in _WORD.finditer(text, within.start, within.stop)]


def align(answer: str, text: str, within: Span | None = None) -> Alignment:
    """Give the words of ``answer`` their places in ``text``, or in the stretch ``within`` of it.

    Any subsequence of the source's words finds exactly its words. Of several places, words that
    stand together in the answer get one where they do so in the source, and the first of these.
    """
    within = within or Span(0, len(text))
    source = words_of(text, within)
    said = [span.of(answer) for span in words_of(answer)]
    places = _places(said, [span.of(text) for span in source])
    spans: list[Span | None] = [None if at is None else source[at] for at in places]
    _find_parts(spans, said, text, within)
    lost = [word for word, span in zip(said, spans, strict=True) if span is None]
    known = {_bare(span.of(text)) for span in source}
    return Alignment(
        spans=_joined([span for span in spans if span is not None]),
        words=len(said),
        source_words=len(source),
        invented=tuple(word for word in lost if _bare(word) not in known),
        displaced=tuple(word for word in lost if _bare(word) in known),
    )


def _places(said: Sequence[str], source: Sequence[str]) -> list[int | None]:
    """Of each word said, the number of its source word."""
    exact = _common(said, source)
    if None not in exact:
        return _gathered(exact, said, source)
    said, source = [_folded(word) for word in said], [_folded(word) for word in source]
    for begin, end, low, high in _gaps(exact, len(source)):
        exact[begin:end] = [
            None if at is None else at + low for at in _common(said[begin:end], source[low:high])
        ]
    folded = _common(said, source)
    best = max(exact, folded, key=lambda places: sum(at is not None for at in places))
    return _gathered(best, said, source)


def _common(said: Sequence[str], source: Sequence[str]) -> list[int | None]:
    """A longest common subsequence; of several, the one that ends last."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys([*said, *source]))}
    rows = np.array([numbers[word] for word in said], dtype=np.int64)
    columns = np.array([numbers[word] for word in source], dtype=np.int64)
    lengths = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int32)
    for i, row in enumerate(rows):
        with_it = lengths[i, :-1] + (columns == row)
        lengths[i + 1, 1:] = np.maximum.accumulate(np.maximum(lengths[i, 1:], with_it))
    places: list[int | None] = [None] * len(rows)
    i, j = len(rows), len(columns)
    while i and j:
        if rows[i - 1] == columns[j - 1]:
            i, j = i - 1, j - 1
            places[i] = j
        elif lengths[i - 1, j] >= lengths[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return places


def _gathered(places: Sequence[int | None], said: Sequence[str], source: Sequence[str]) -> list[int | None]:
    """Each run of words moved to its first place after the run before it."""
    moved = list(places)
    begin = reached = 0
    while begin < len(moved):
        first = moved[begin]
        end = begin + 1
        if first is not None:
            while end < len(moved) and moved[end] == first + end - begin:
                end += 1
            run = list(said[begin:end])
            earlier = (at for at in range(reached, first) if list(source[at : at + len(run)]) == run)
            at = next(earlier, first)
            moved[begin:end] = range(at, at + len(run))
            reached = at + len(run)
        begin = end
    return moved


def _gaps(places: Sequence[int | None], length: int) -> list[tuple[int, int, int, int]]:
    """Runs of words without a place: first, end, and the source words that may be theirs."""
    gaps = []
    begin = 0
    while begin < len(places):
        end = begin
        while end < len(places) and places[end] is None:
            end += 1
        if end > begin:
            low = places[begin - 1] if begin else -1
            high = places[end] if end < len(places) else length
            assert low is not None and high is not None
            gaps.append((begin, end, low + 1, high))
        begin = end + 1
    return gaps


def _find_parts(spans: list[Span | None], said: Sequence[str], text: str, within: Span) -> None:
    """Place words that are a part of a longer source word, such as a name without its comma."""
    reached = within.start
    for index, word in enumerate(said):
        own = spans[index]
        if own is None:
            later = next((span.start for span in spans[index:] if span is not None), within.stop)
            own = spans[index] = _part(word, text, reached, later)
        reached = own.stop if own else reached


def _part(word: str, text: str, start: int, stop: int) -> Span | None:
    bare = word.strip(_EDGES)
    for wanted in dict.fromkeys((word, bare)):
        if wanted and (found := _whole(wanted).search(text, start, stop)):
            return Span(*found.span())
    return None


def _whole(word: str) -> regex.Pattern[str]:
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return regex.compile(before + regex.escape(word) + after, regex.IGNORECASE)


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word.translate(_TYPOGRAPHIC)).casefold()


def _bare(word: str) -> str:
    folded = _folded(word)
    return folded.strip(_EDGES) or folded


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].stop == span.start:
            span = Span(joined.pop().start, span.stop)
        joined.append(span)
    return tuple(joined)
