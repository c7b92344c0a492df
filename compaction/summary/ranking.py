"""Which statements belong to a topic, the best first.

Where a statement stands and who said it tells most: what the user asked for first is the goal, what the
agent said in its last few messages is the current step, or what its tools reported there if it said nothing.
Words tell the rest, and the classifier or the rarity of the words
which of many matter.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import regex

from elision.compaction.guard.negations import negation_spans
from elision.compaction.pins.types import HistoryPin, PinKind
from elision.compaction.relevance import terms
from elision.compaction.summary.candidates import Candidate, fold, sentences
from elision.compaction.summary.cues import DECIDED, DEMANDED, DONE, FAILED, NEXT, PREFERRED, QUESTION
from elision.compaction.summary.topics import Topic
from elision.compaction.summary.types import Source
from elision.model.types import Span

_KINDS = {
    Topic.GOAL: (PinKind.GOAL, PinKind.REQUEST),
    Topic.CONSTRAINTS: (PinKind.CONSTRAINT, PinKind.OBLIGATION),
    Topic.DECISIONS: (PinKind.DECISION, PinKind.REJECTED),
    Topic.NEXT: (PinKind.TODO,),
}
_IDENTIFIER = regex.compile(r"\S*(?:\d|\p{Ll}\p{Lu}|[\p{L}\d][_/\\.:@#][\p{L}\d]|`)\S*+")
_PERSONS = ("user", "system")
_LAST_TEXTS = 2  # messages of the agent that tell what it is doing
_LAST_PLANS = 2  # messages of the agent that tell what is next
_LATELY = 4  # messages of the agent, silent ones too: what it said before them is past
_REPORTED = {"error": 3.0, "result": 2.0, "last": 1.0}
# What somebody means to do about a failure is none; said before the failure, or in languages whose verb ends
# the sentence anywhere.
_INTENDS = regex.compile(
    r"""
    \b(?:let\s(?:me|us)|let['’]s|(?:i|we)(?:['’]ll|\swill|\sneed\sto|\sshould(?!\shave)|\smust|\shave\sto|\swant\sto)
    |going\sto|need\sto|ich\s(?:werde|muss|will)|wir\s(?:werden|müssen)|lass\w*\s(?:mich|uns|wir)|je\s(?:vais|dois)|il\sfaut
    |voy\sa|vamos\sa?|tengo\sque|hay\sque|déjame|vou|preciso|devo|dobbiamo|ik\s(?:ga|zal|moet)|muszę|zamierzam|spróbuję
    |я\sбуду|давай(?:те)?|нужно|надо|потрібно|треба|tôi\ssẽ|hãy|để\stôi)\b
    """,
    regex.VERBOSE | regex.IGNORECASE,
)
_INTENDS_ANYWHERE = regex.compile(
    r"让我|讓我|我将|我將|我会|我會|我来|我來|我需要|我要|しましょう|してみます|する必要|つもり|予定|하겠|할게|해야"
    r"|سأ|دعني|يجب أن|करूँगा|करूंगा|करेंगे|चाहिए|\w(?:eceğim|acağım|eceğiz|acağız)\b",
    regex.IGNORECASE,
)
_FOUND_GOOD = regex.compile(r"[✅✓✔]")
_MOST_SCORED = 4000  # statements that the classifier is asked for


class Ranking:
    """The candidates of one summary, ranked by topic."""

    def __init__(
        self,
        sources: Sequence[Source],
        listed: Sequence[Candidate],
        pins: Sequence[HistoryPin],
        values: Callable[[Sequence[str]], Sequence[float]] | None,
    ) -> None:
        self._sources, self._listed, self._values = sources, listed, values
        holding = [pin for pin in pins if not pin.superseded_by]
        self._pinned = {
            (pin.kind, fold(text)) for pin in holding for text in (pin.text, *sentences(pin.text))
        }
        self._ranked: dict[Topic, list[Candidate]] = {}

    def of(self, topic: Topic) -> list[Candidate]:
        """The candidates of a topic, best first."""
        if topic not in self._ranked:
            scored = [
                (score, -at, one)
                for at, one in enumerate(self._listed)
                if (score := self._score(topic, one)) > 0
            ]
            self._ranked[topic] = [
                one for _, _, one in sorted(scored, key=lambda found: found[:2], reverse=True)
            ]
        return self._ranked[topic]

    def _score(self, topic: Topic, one: Candidate) -> float:
        """How well a candidate stands for a topic; 0 if not at all."""
        if one.path or topic is Topic.FILES:
            return 1 + self._late(one) if one.path and topic is Topic.FILES else 0
        if one.report:
            if topic is Topic.CURRENT:
                return self._shown(one)
            reports = {
                (Topic.FAILED, "error"): 2.0,
                (Topic.DONE, "result"): 1.0,
                (Topic.KNOWLEDGE, "result"): 0.1,
            }
            found = reports.get((topic, one.report), 0)
            return found and found + self._late(one)
        if one.begun == "announced" and topic is not Topic.CURRENT:
            return 0
        if any((kind, fold(one.text)) in self._pinned for kind in _KINDS.get(topic, ())):
            return 4 + self._late(one)
        return self._said(topic, one)

    def _said(self, topic: Topic, one: Candidate) -> float:
        person, speaker = one.source.speaker in _PERSONS, one.source.speaker
        worth, late = self._worth[id(one)], self._late(one)
        match topic:
            case Topic.GOAL:
                return self._asked(one) if speaker == "user" else 0
            case Topic.USERS:
                return (2 if one.place < 3 else 1) + late if speaker == "user" else 0
            case Topic.CONSTRAINTS:
                first = one.order == self._first_request and one.place == 0  # the goal
                return (1 + worth) * (person and not first and _demands(one.text))
            case Topic.DECISIONS:
                return (1 + worth) * (speaker != "system" and _decided(one.text))
            case Topic.FAILED:
                return (0.5 + worth) * (speaker == "assistant" and _failed(one.text))
            case Topic.DONE:
                return (1 + late) * (speaker == "assistant" and _done(one.text))
            case Topic.CURRENT:
                return (1 + self._last(one)) * (one.order in self._spoke[-_LAST_TEXTS:])
            case Topic.NEXT:
                return (1 + self._last(one)) * (
                    one.order in self._planned[-_LAST_PLANS:] and self._plans(one)
                )
            case Topic.QUESTIONS:
                return (1 + late) * (bool(QUESTION.search(one.text)) and self._unanswered(one))
        return worth

    def _shown(self, one: Candidate) -> float:
        """How well a tool's line tells the current step where the agent lately said nothing; orders never do."""
        if self._spoke or one.order < self._since or _demands(one.text):
            return 0
        return _REPORTED[one.report] + self._late(one)

    def _plans(self, one: Candidate) -> bool:
        """Whether it says what comes next: not what has begun, nor what a user has spoken after."""
        return not one.begun and one.order > self._last_of("user") and bool(NEXT.search(one.text))

    def _asked(self, one: Candidate) -> float:
        """What the user asked for first, then how each later request begins."""
        if one.order == self._first_request:
            return 3 - min(one.place, 20) / 10
        return (0.5 + 0.4 * self._late(one)) * (one.place == 0)

    def _late(self, one: Candidate) -> float:
        """Where its source stands, from 0 to 1."""
        return one.order / max(len(self._sources) - 1, 1)

    def _last(self, one: Candidate) -> float:
        return one.order + one.place / (one.place + 1)

    def _unanswered(self, one: Candidate) -> bool:
        """Whether nobody whom it could be put to has spoken since."""
        return one.order > self._last_of("user" if one.source.speaker == "assistant" else "assistant")

    def _last_of(self, speaker: str) -> int:
        return max((at for at, who in self._last_spoken.items() if who == speaker), default=-1)

    @cached_property
    def _last_spoken(self) -> dict[int, str]:
        """The last source of each speaker who said something."""
        last = {one.source.speaker: one.order for one in self._listed if not one.path and not one.report}
        return {order: speaker for speaker, order in last.items()}

    @cached_property
    def _since(self) -> int:
        """Where the last few messages of the agent begin."""
        agents = [at for at, source in enumerate(self._sources) if source.speaker == "assistant"]
        return agents[-_LATELY:][0] if agents else 0

    @cached_property
    def _spoke(self) -> list[int]:
        """The sources in which the agent lately said something, in order."""
        return sorted({one.order for one in self._agents()})

    @cached_property
    def _planned(self) -> list[int]:
        return sorted({one.order for one in self._agents() if self._plans(one)})

    @cached_property
    def _first_request(self) -> int:
        users = (
            one.order
            for one in self._listed
            if one.source.speaker == "user" and not one.path and not one.report
        )
        return min(users, default=-1)

    def _agents(self) -> Iterator[Candidate]:
        return (
            one
            for one in self._listed
            if one.source.speaker == "assistant" and not one.path and one.order >= self._since
        )

    @cached_property
    def _worth(self) -> dict[int, float]:
        """What each statement of a person or the agent is worth, in [0, 1]."""
        said = [one for one in self._listed if not one.path and not one.report]
        if self._values is None:
            return dict(zip(map(id, said), _by_rule([one.text for one in said]), strict=True))
        worth = dict.fromkeys(map(id, said), 0.0)
        scored = said[-_MOST_SCORED:]
        given = self._values([one.text for one in scored]) if scored else ()
        return worth | {
            id(one): min(max(float(value), 0.0), 1.0) for one, value in zip(scored, given, strict=True)
        }


def _decided(text: str) -> bool:
    return not QUESTION.search(text) and bool(DECIDED.search(text) or PREFERRED.search(text))


def _done(text: str) -> bool:
    """Whether something is said to be done, and not to be about to be."""
    done = DONE.search(text)
    return done is not None and not QUESTION.search(text) and not _intended(text, done.end())


def _failed(text: str) -> bool:
    """Whether something is said to have failed, and not what is to be done about it, asked or found good."""
    failed = FAILED.search(text)
    if not failed or QUESTION.search(text) or _FOUND_GOOD.search(text):
        return False
    return not _intended(text, failed.end())


def _intended(text: str, until: int) -> bool:
    return bool(_INTENDS.search(text, 0, until) or _INTENDS_ANYWHERE.search(text))


def _demands(text: str) -> bool:
    return bool(DEMANDED.search(text)) or bool(negation_spans(text, Span(0, len(text))))


def _by_rule(texts: Sequence[str]) -> list[float]:
    """Statements with names and figures, and with words that the others do not use, are worth more."""
    words = [set(terms(text)) for text in texts]
    holding = Counter(word for found in words for word in found)
    return [_worth(text, found, holding, len(texts)) for text, found in zip(texts, words, strict=True)]


def _worth(text: str, words: set[str], holding: "Counter[str]", count: int) -> float:
    rare = sum(1 - holding[word] / (count + 1) for word in words) / max(len(words), 1)
    names = sum(1 for _ in _IDENTIFIER.finditer(text))
    return 0.5 * rare + 0.4 * min(names, 4) / 4 + 0.1 * min(len(words), 12) / 12
