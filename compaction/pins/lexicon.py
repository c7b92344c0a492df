r"""Phrases of many languages, read from a data file: does a sentence say such a thing?

The languages are applied together, since guessing the language of one sentence fails more often than a
foreign phrase does harm. Where a phrase of one language is a word of another, its entry says what must
stand in the sentence besides. A phrase is only tried where a word begins as it does, so hundreds of them
cost little more than one.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import regex

from elision.compaction.pins.heads import alternatives, heads

_PACKAGE = "elision.compaction.pins"
_ENDING = regex.compile(r"(?<!\\)(\p{L})\*")
_OPEN_END = regex.compile(
    r"(?:\\[wd][*+]?|[\]$:]|\(\?[=!].*\))$"
)  # nothing to add to where such a phrase ends
_BEFORE, _AFTER = r"(?<![\w\p{M}])", r"(?![\w\p{M}])"
_FLAGS = regex.IGNORECASE
_WORD = regex.compile(r"[\w\p{M}]++")
_MARK = regex.compile(r"[.!?:;,)]\s|[。！？；：，、…—–(\n]|\s-\s")
_SHORT_MARKS = frozenset("。！？；：，、…—–(\n")
_EMPHASIS = regex.compile(
    r"(?<![\w*])(?P<marks>\*{1,3}|_{1,3})(?=[^\s*_])(?P<said>[^*_\n]{1,300})(?<!\s)(?P=marks)(?![\w*])"
)
_LONGEST_HEAD = 3
# A phrase is shorter. Without an end the engine looks through all the text for what a phrase cannot do without.
_REACH = 300


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence, ready for many questions.

    Attributes:
        text: The sentence.
        words: Where its words begin, each with the letters it begins with: three, two and one, in lower case.
        starts: Those of them that begin a clause.
    """

    text: str
    words: tuple["_Word", ...]
    starts: tuple["_Word", ...]


_Word = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True)
class Tried:
    """Patterns by the letters a word must begin with for them to be tried there.

    Attributes:
        by_head: Of one to three letters in lower case.
        anywhere: What can begin with anything.
    """

    by_head: Mapping[str, "regex.Pattern[str]"]
    anywhere: "regex.Pattern[str] | None"

    def first(self, text: str, words: Sequence[_Word]) -> int:
        """The first of these words at which one of them matches, -1 if there is none."""
        get, anywhere = self.by_head.get, self.anywhere
        if not self.by_head and anywhere is None:
            return -1
        for start, three, two, one in words:
            for pattern in (get(three), get(two), get(one), anywhere):
                if pattern is not None and pattern.match(text, start, start + _REACH):
                    return start
        return -1


@dataclass(frozen=True, slots=True)
class Group:
    """The phrases of the languages that share a condition.

    Attributes:
        lead: Tried where a clause begins.
        words: Tried where a word begins.
        inside: Searched for.
        condition: What the sentence must hold besides, if anything.
    """

    lead: Tried
    words: Tried
    inside: "regex.Pattern[str] | None"
    condition: "regex.Pattern[str] | None"

    def counts(self, sentence: str) -> bool:
        """Whether the sentence holds what it must; asked only where a phrase was found, which is rare."""
        return self.condition is None or self.condition.search(sentence) is not None


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases that say one thing, in all languages."""

    groups: tuple[Group, ...]

    def said(self, heard: Heard) -> bool:
        """Whether the sentence says it."""
        return self.first(heard) >= 0

    def leads(self, heard: Heard) -> bool:
        """Whether a clause of the sentence begins with it, or the script knows no words to begin with."""
        text = heard.text
        return any(
            (group.lead.first(text, heard.starts) >= 0 or _search(group.inside, text) >= 0)
            and group.counts(text)
            for group in self.groups
        )

    def first(self, heard: Heard) -> int:
        """Where it is said, -1 if it is not."""
        text = heard.text
        for group in self.groups:
            at = group.lead.first(text, heard.starts)
            at = at if at >= 0 else group.words.first(text, heard.words)
            at = at if at >= 0 else _search(group.inside, text)
            if at >= 0 and group.counts(text):
                return at
        return -1


def hear(text: str) -> Heard:
    """Find the words of a sentence and where its clauses begin: at the start, behind a mark or an opening word.

    Marks of emphasis become spaces, so that every place stays where it was.
    """
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(_blanked, text)
    single, several, last_of_several = _openers()
    lowered = text.lower()
    lower = lowered if len(lowered) == len(text) else text  # a capital of few letters has a longer small one
    words: list[_Word] = []
    starts: list[_Word] = []
    stop, before = 0, ""
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = (start, lower[start : start + 3], lower[start : start + 2], lower[start : start + 1])
        words.append(word)
        if not before or before in single or _parted(text, stop, start):
            starts.append(word)
        elif before in last_of_several and lower[max(0, start - 20) : start].rstrip().endswith(several):
            starts.append(word)
        stop, before = end, lower[start:end]
    return Heard(text, tuple(words), tuple(starts))


def _blanked(match: "regex.Match[str]") -> str:
    marks = " " * len(match["marks"])
    return f"{marks}{match['said']}{marks}"


def _parted(text: str, stop: int, start: int) -> bool:
    if start - stop == 1:
        return text[stop] in _SHORT_MARKS
    return _MARK.search(text, stop, start) is not None


@cache
def phrases(file: str, name: str) -> Phrases:
    """The phrases that a file has under a name, those of all its languages."""
    spoken = list(table(file)[name].values())
    plain = [one for one in spoken if "if" not in one]
    return Phrases(tuple(_group(ones) for ones in (plain, *([one] for one in spoken if "if" in one)) if ones))


@cache
def table(file: str) -> Mapping[str, Any]:
    """A data file of this package."""
    return tomllib.loads(files(_PACKAGE).joinpath(file).read_text("utf-8"))


@cache
def only(file: str, name: str) -> "regex.Pattern[str]":
    """Matches a text that consists of such phrases and of marks between them."""
    listed = [
        p for spoken in table(file)[name].values() for key in ("any", "inside") for p in spoken.get(key, [])
    ]
    return regex.compile(
        rf"[^\p{{L}}\d]*+(?:(?:{'|'.join(map(_spelled, listed))})(?:[^\p{{L}}\d]++|\Z))+", _FLAGS
    )


def _spelled(phrase: str) -> str:
    """The regular expression of a phrase."""
    gaps = phrase.replace(" … ", r"(?:\s+\S+){0,6}?\s+")
    spelled = _ENDING.sub(r"\1\\w*", gaps).replace(" ", r"\s+")
    return "|".join(one if _OPEN_END.search(one) else f"{one}{_AFTER}" for one in alternatives(spelled))


def _group(spoken: Sequence[Mapping[str, Any]]) -> Group:
    def listed(key: str) -> list[str]:
        return [phrase for one in spoken for phrase in one.get(key, [])]

    condition = next((regex.compile(one["if"], _FLAGS) for one in spoken if "if" in one), None)
    inside = (
        regex.compile("|".join(listed("inside")).replace(" ", r"\s+"), _FLAGS) if listed("inside") else None
    )
    return Group(_tried(listed("lead")), _tried(listed("any")), inside, condition)


def _tried(listed: Iterable[str]) -> Tried:
    by_head: dict[str, list[str]] = {}
    anywhere: list[str] = []
    for phrase in listed:
        spelled = _spelled(phrase)
        begins = heads(phrase)
        for head in begins:
            by_head.setdefault(head[:_LONGEST_HEAD], []).append(spelled)
        if not begins:
            anywhere.append(spelled)
    compiled = {head: regex.compile("|".join(ones), _FLAGS) for head, ones in by_head.items()}
    return Tried(compiled, regex.compile("|".join(anywhere), _FLAGS) if anywhere else None)


def _search(pattern: "regex.Pattern[str] | None", sentence: str) -> int:
    if pattern is None or sentence.isascii():  # all scripts without spaces are beyond ASCII
        return -1
    found = pattern.search(sentence)
    return found.start() if found else -1


@cache
def _openers() -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """Words that open a clause: single ones, those of several words, and the last words of these."""
    listed = [word.lower() for word in table("constraints.toml")["leads"]]
    several = tuple(one for one in listed if " " in one)
    last = frozenset(word for one in several for word in _WORD.findall(one)[-1:])
    return frozenset(one for one in listed if " " not in one), several, last
