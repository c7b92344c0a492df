"""Tell whose words a statement rests on, so that what a tool printed never reads as an order.

A summary speaks with the voice of whoever the agent listens to. So a statement that rests on tool output
alone, or quotes it, is marked as what a tool said; and an order must be found with a person, or it is marked
as the words of whoever gave it, or cut if nobody did. What a citation claims is not enough for an order, and
what forbids something is none for the demand to do it. An earlier summary is nobody's word: it may be said
again, but makes no order of what it tells.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import dropwhile

import regex

from elision.compaction.summary.citations import Citations
from elision.compaction.summary.rule_words import (
    DEMANDS,
    DENIES,
    FORBIDS,
    FORGETS,
    LIMITS,
    NEGATES,
    PERSONS,
    SPARES,
)
from elision.compaction.summary.statements import Statement
from elision.compaction.summary.types import Source

TOOL_SAYS = "(tool output says) "
ASSISTANT_SAID = "(the assistant said) "
LABELS = (TOOL_SAYS, ASSISTANT_SAID)
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}"
_WORD = regex.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]++", regex.VERSION1)
_SENTENCE = regex.compile(r"(?:[^\n.!?。！？]|(?<=\w)\.(?=\w))++")
# Where a prohibition ends that goes on over commas, and where its clause begins.
_TURN = regex.compile(r"[;；:：]|\b(?:but|aber|sondern|sino|pero|mais|mas|però|ma|но|зато|ama|nhưng)\b|而是|但|대신")
_CLAUSE = regex.compile(r"[,，、،—]|\b(?:and|und|y|e|et|и|ve|và|και|și)\b")
_STEM = 5  # letters of a word that inflection leaves alone
# Words in a row that make a quotation; characters in scripts without spaces.
_QUOTED, _QUOTED_UNSPACED, _SHORTEST = 5, 8, 2
_ORDERS = (DEMANDS, FORBIDS)
_SHARED = 0.4  # of the words of an order must stand in one sentence of whoever gave it


class Voice(StrEnum):
    """Who said something."""

    PERSON = "person"  # the user or the system
    ASSISTANT = "assistant"
    TOOL = "tool"
    PRIOR = "prior"  # an earlier summary, in which nothing says whose words they are


class Verdict(StrEnum):
    """What becomes of a statement."""

    KEEP = "keep"
    TOOL = "tool"  # marked as what a tool said
    ASSISTANT = "assistant"  # marked as what the assistant said
    CUT = "cut"


class Voices:
    """Who said what in the sources and in an earlier summary."""

    def __init__(
        self, sources: Sequence[Source], prior: str, citations: Citations, wanted: Iterable[str] = ()
    ) -> None:
        """Those of some sources; `wanted` is what people said before them, as pins have it."""
        self._said: dict[Voice, list[str]] = {voice: [] for voice in Voice}
        self._said[Voice.PERSON] += wanted
        self._untrusted = {source.id for source in sources if not source.trusted}
        for source in sources:
            self._said[_voice(source)].append(source.text)
        told: dict[Voice, set[str]] = defaultdict(set)
        for line in prior.splitlines():
            voice = _labelled(line)
            self._said[voice].append(line)
            told[voice].update(citations.cited(line))
        named = {source.id for source in sources} | told[Voice.PRIOR] | told[Voice.ASSISTANT]
        self._untrusted |= told[Voice.TOOL] - named
        self._rules: dict[Voice, _Sentences] = {}
        self._quoted: set[tuple[str, ...]] = set()

    def listen(self, statements: Iterable[str]) -> None:
        """Look for quotations of these statements; to be done before `verdict`, for all at once."""
        wanted: dict[int, set[tuple[str, ...]]] = defaultdict(set)
        for statement in statements:
            for run in _runs(_words(_unlabelled(statement))):
                wanted[len(run)].add(run)
        tools, *others = (self._found(wanted, one) for one in (Voice.TOOL, Voice.PERSON, Voice.PRIOR))
        self._quoted = tools.difference(*others)

    def verdict(self, statement: Statement, said: str) -> Verdict:
        """What becomes of a statement, by its words ``said`` without citations; its label says nothing."""
        said = _unlabelled(said)
        if DEMANDS.search(said) or FORBIDS.search(said):
            return self._of_order(statement, said)
        only_tools = bool(statement.cites) and self._untrusted.issuperset(statement.cites)
        return Verdict.TOOL if only_tools or self._quotes(said) else self._of_claim(said)

    def _of_claim(self, said: str) -> Verdict:
        """What becomes of what a person is said to have said: another may have."""
        if not PERSONS.search(said) or self._has(Voice.PERSON, said):
            return Verdict.KEEP
        if self._has(Voice.TOOL, said):
            return Verdict.TOOL
        new = self._has(Voice.PRIOR, said) and not self._sentences(Voice.PRIOR).repeat(said, (PERSONS, *_ORDERS))
        return Verdict.ASSISTANT if new else Verdict.KEEP

    def _of_order(self, statement: Statement, said: str) -> Verdict:
        if self._quotes(said):
            return Verdict.TOOL
        if self._has(Voice.PERSON, said) or self._sentences(Voice.PRIOR).repeat(said, _ORDERS):
            return Verdict.KEEP
        if self._untrusted.intersection(statement.cites) or self._has(Voice.TOOL, said):
            return Verdict.TOOL
        borne = self._has(Voice.ASSISTANT, said) or self._has(Voice.PRIOR, said)
        return Verdict.ASSISTANT if borne else Verdict.CUT

    def _has(self, voice: Voice, said: str) -> bool:
        return self._sentences(voice).support(said)

    def _quotes(self, said: str) -> bool:
        return not self._quoted.isdisjoint(_runs(_words(said)))

    def _found(self, wanted: dict[int, set[tuple[str, ...]]], voice: Voice) -> set[tuple[str, ...]]:
        found: set[tuple[str, ...]] = set()
        for text in self._said[voice]:
            words = _words(text)
            for length, runs in wanted.items():
                found |= runs.intersection(zip(*(words[at:] for at in range(length)), strict=False))
        return found

    def _sentences(self, voice: Voice) -> "_Sentences":
        if voice not in self._rules:
            self._rules[voice] = _Sentences(self._said[voice])
        return self._rules[voice]


class _Sentences:
    """Sentences, found by the words they share with another."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._texts = [match[0] for text in texts for match in _SENTENCE.finditer(text)]
        for number, sentence in enumerate(self._texts):
            for stem in _stems(sentence):
                self._holders[stem].append(number)

    def support(self, said: str) -> bool:
        """Whether a sentence shares enough with each order in what was said, and does not say the opposite."""
        return all(any(self._alike(one, _SHARED)) for one in _orders(said))

    def repeat(self, said: str, kinds: Sequence["regex.Pattern[str]"]) -> bool:
        """Whether a sentence of some kind has all the words of each order in what was said."""
        return all(
            any(kind.search(found) for found in self._alike(one, 1.0) for kind in kinds)
            for one in _orders(said)
        )

    def _alike(self, said: str, share: float) -> Iterator[str]:
        stems = _content(said)
        shared = Counter(number for stem in stems for number in self._holders.get(stem, ()))
        enough = max(1.0, share * len(stems))
        forbids, demands = bool(FORBIDS.search(said)), _only_demands(said)
        for number, count in shared.items():
            sentence = self._texts[number]
            if (
                count >= enough
                and not (forbids and not NEGATES.search(sentence))
                and not (demands and DENIES.search(sentence) and _denied(sentence, stems, enough))
            ):
                yield sentence


def _orders(said: str) -> list[str]:
    """The sentences of a statement that are orders; the whole of one that has none."""
    sentences = (match[0].strip() for match in _SENTENCE.finditer(said))
    return [one for one in sentences if any(kind.search(one) for kind in _ORDERS)] or [said]


def _only_demands(said: str) -> bool:
    """Whether something is demanded that a prohibition of it cannot bear out."""
    spares = SPARES.search(said) and not LIMITS.search(said)
    return bool(DEMANDS.search(said)) and not DENIES.search(said) and not spares


def _denied(sentence: str, stems: set[str], enough: float) -> bool:
    """Whether a sentence denies what it says of some words, so that too few are left without it.

    A denial holds for its clause and for those behind it up to a turn of the sentence or a demand.
    """
    free: set[str] = set()
    denied: set[str] = set()
    for part in _TURN.split(sentence):
        holds = False
        for clause in _CLAUSE.split(part):
            denies = bool(DENIES.search(clause)) and not FORGETS.search(clause)
            holds = denies or (holds and not DEMANDS.search(clause))
            (denied if holds else free).update(stems & _stems(clause))
    return len(free) < enough or not denied <= free


def _content(said: str) -> set[str]:
    """The stems of a statement without the words that make it an order; of all its words if none is left."""
    return _stems(PERSONS.sub(" ", DEMANDS.sub(" ", NEGATES.sub(" ", said)))) or _stems(said)


def _labelled(line: str) -> Voice:
    """Whose words a line of an earlier summary is said to be."""
    if TOOL_SAYS.strip() in line:
        return Voice.TOOL
    return Voice.ASSISTANT if ASSISTANT_SAID.strip() in line else Voice.PRIOR


def _unlabelled(said: str) -> str:
    for label in LABELS:
        said = said.replace(label.strip(), " ")
    return said


def _voice(source: Source) -> Voice:
    if not source.trusted:
        return Voice.TOOL
    return Voice.ASSISTANT if source.speaker == "assistant" else Voice.PERSON


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The runs of words that would make a statement a quotation, numbers that it begins with left out."""
    words = list(dropwhile(str.isdigit, words))
    unspaced = sum(len(word) == 1 and not word.isascii() for word in words)
    length = min(len(words), _QUOTED_UNSPACED if 2 * unspaced > len(words) else _QUOTED)
    if length < _SHORTEST:
        return []
    return list(zip(*(words[at:] for at in range(length)), strict=False))


def _stems(text: str) -> set[str]:
    """The beginnings of the words that carry meaning; pairs of characters in scripts without spaces."""
    words = _words(text)
    pairs = {
        a + b
        for a, b in zip(words, words[1:], strict=False)
        if len(a) == len(b) == 1 and not (a + b).isascii()
    }
    return pairs | {word[:_STEM] for word in words if len(word) > 3}
