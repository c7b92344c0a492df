"""Next-action support: is what the agent used next still in the shortened output?

Of the identifiers, paths, numbers and phrases in the agent's next five texts and calls, those
count that stood in this output and nowhere earlier: the agent can only have them from here. No
LLM judges anything, so any method can be compared, on any transcript.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import regex

from elision.training.evaluation.resampling import DRAWS, SEED, Interval, draw, interval
from elision.training.transcripts.outputs import ToolOutput


class Sort(StrEnum):
    """What a mention is."""

    PATH = "path"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    PHRASE = "phrase"


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Something the agent wrote that it may have read."""

    sort: Sort
    text: str


_PATTERNS = (
    (Sort.PATH, regex.compile(r"\w+://[^\s\"'`<>)\]}]+|(?:[A-Za-z]:)?[~.\w@+-]*(?:[/\\][\w.@+-]+)+|[\w-]+\.[a-z]\w{0,4}\b")),
    (Sort.IDENTIFIER, regex.compile(r"[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|-)[\p{L}\p{N}_$]+)*")),
    (Sort.NUMBER, regex.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")),
    (Sort.PHRASE, regex.compile(r'(?<=")[^"\n]{4,80}(?=")|(?<=`)[^`\n]{4,80}(?=`)|(?<=\')[^\'\n]{4,80}(?=\')')),
)  # fmt: skip
# Ordinary words are no identifiers: one needs a digit, an underscore, an inner capital or a "::".
_TELLING = regex.compile(r"\d|_|::|\p{Ll}\p{Lu}|\p{L}\.\p{L}|\p{Lu}\p{Lu}\p{Lu}")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}'’]*")
_SHINGLE = 3
_COMMON = 0.05  # a word in more outputs or agent texts than this is not rare


def mentions(text: str, common: frozenset[str] = frozenset()) -> set[Mention]:
    """Collect the paths, identifiers, numbers and phrases of one text of an agent.

    Phrases are quoted strings, and any three words in a row that are all of four letters or
    more and not ``common``.
    """
    found = {
        Mention(sort, match)
        for sort, pattern in _PATTERNS
        for match in (match.rstrip(".,:;") for match in pattern.findall(text))
        if _counts(sort, match)
    }
    words = [word.lower() for word in _WORD.findall(text)]
    runs = zip(*(words[shift:] for shift in range(_SHINGLE)), strict=False)
    rare = (run for run in runs if all(len(word) > 3 and word not in common for word in run))
    return found | {Mention(Sort.PHRASE, " ".join(run)) for run in rare}


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that stand in more than 5 % of the texts."""
    texts = list(texts)
    frequency = Counter(word for text in texts for word in {w.lower() for w in _WORD.findall(text)})
    return frozenset(word for word, count in frequency.items() if count > _COMMON * len(texts))


class Haystack:
    """A text that can be asked what stands in it, whole and between word borders."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = f" {' '.join(word.lower() for word in _WORD.findall(text))} "

    def has(self, mention: Mention) -> bool:
        if mention.sort is Sort.PHRASE and f" {mention.text} " in self.words:
            return True
        at = self.text.find(mention.text)
        while at >= 0:
            if self._bounded(at, at + len(mention.text), mention.sort):
                return True
            at = self.text.find(mention.text, at + 1)
        return False

    def _bounded(self, start: int, stop: int, sort: Sort) -> bool:
        before, after = self.text[max(0, start - 2) : start], self.text[stop : stop + 2]
        if _wordlike(before[-1:]) or _wordlike(after[:1]):
            return False
        if sort is not Sort.NUMBER:
            return True
        # 123 does not stand in 4.123 or 123,456
        return not (before[-1:] in (".", ",") and before[:1].isdigit()) and not (
            after[:1] in (".", ",") and after[1:].isdigit()
        )


def needed(output: ToolOutput, common: frozenset[str]) -> set[Mention]:
    """What the agent used next and can only have from this output; what reads alike counts once."""
    said = {mention for text in output.later for mention in mentions(text, common)}
    here, earlier = Haystack(output.text), Haystack(output.earlier)
    new = sorted(mention for mention in said if here.has(mention) and not earlier.has(mention))
    return set({mention.text.lower(): mention for mention in new}.values())


def supported(wanted: Iterable[Mention], text: str) -> set[Mention]:
    """Those of the mentions that still stand in ``text``."""
    here = Haystack(text)
    return {mention for mention in wanted if here.has(mention)}


def means_by(groups: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """Mean of the values of each group."""
    return {
        group: float(np.mean([value for its, value in zip(groups, values, strict=True) if its == group]))
        for group in sorted(set(groups))
    }


def bootstrap(
    values: Sequence[float], groups: Sequence[str], draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """95 % interval of the mean, drawing whole groups with replacement.

    Outputs of one transcript share their task and their agent, so they are not drawn apart.
    """
    return interval(draw(groups, draws, seed).means(np.array(values)))


def _counts(sort: Sort, text: str) -> bool:
    match sort:
        case Sort.IDENTIFIER:
            return len(text) > 3 and bool(_TELLING.search(text))
        case Sort.NUMBER:
            return sum(c.isdigit() for c in text) > 2 or "." in text
        case Sort.PATH:
            return len(text) > 3
        case Sort.PHRASE:
            return bool(_WORD.search(text)) and text == text.strip()


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"
