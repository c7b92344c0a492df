"""A summary made of what was said, with nobody who writes: the last stage, which never fails.

It has the sections of the policy. Each gets the statements that its topic is about, ranked by rules or by
the classifier, as many as its share of the room pays for, in the order in which they were said. Statements
are slices of the sources, cite their message, and are never cut; words of tools stand in quotes, and it is
said that they are a tool's.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from elision.compaction.pins.types import HistoryPin
from elision.compaction.policies.telling import Summary
from elision.compaction.summary.authority import TOOL_SAYS
from elision.compaction.summary.candidates import Candidate, candidates, fold, sentences
from elision.compaction.summary.ranking import Ranking
from elision.compaction.summary.sections import EMPTY, sections, split_sections, written
from elision.compaction.summary.topics import Topic, topics
from elision.compaction.summary.types import Section, Source
from elision.compaction.types import TokenCounter

Scorer = Callable[[Sequence[str]], Sequence[float]]

# Of the room, in proportion.
_WEIGHTS = {
    Topic.GOAL: 3,
    Topic.USERS: 3,
    Topic.CONSTRAINTS: 3,
    Topic.DECISIONS: 3,
    Topic.FAILED: 3,
    Topic.FILES: 2,
    Topic.DONE: 2,
    Topic.CURRENT: 2,
    Topic.NEXT: 1,
    Topic.QUESTIONS: 1,
    Topic.KNOWLEDGE: 2,
}
# Where more would say less: the last few things said are the current step.
_MOST = {Topic.GOAL: 6, Topic.DONE: 12, Topic.CURRENT: 4, Topic.NEXT: 4, Topic.QUESTIONS: 6}
_ANY = 10_000
# What is told by its words chooses before what is told by its place, and what matters of the rest comes last.
_TURNS = (
    Topic.CONSTRAINTS,
    Topic.DECISIONS,
    Topic.QUESTIONS,
    Topic.NEXT,
    Topic.FAILED,
    Topic.CURRENT,
    Topic.GOAL,
    Topic.DONE,
    Topic.FILES,
    Topic.USERS,
    Topic.KNOWLEDGE,
)
_QUOTES = (('"', '"'), ("“", "”"), ("«", "»"), ("「", "」"), ("`", "`"))
_LEAST = 6  # tokens of the shortest statement
_MISSES = 50  # statements in a row that are too long: then the room counts as full


def extract(
    sources: Sequence[Source],
    summary: Summary,
    pins: Sequence[HistoryPin],
    room_tokens: int,
    counter: TokenCounter,
    values: Scorer | None = None,
) -> str:
    """Write the summary that the sources themselves give.

    Args:
        summary: Its sections and how they are written. All are there; one with nothing to say says so.
        pins: What they say is attached by code and not said again, if the policy attaches pins; else they tell
            which sentences are constraints, decisions and the rest.
        room_tokens: For all of it. Headings alone can take more.
        values: Keep values of texts, each in [0, 1]; rules take their place.
    """
    attached = (
        {fold(text) for pin in pins for text in (pin.text, *sentences(pin.text))} if summary.pins else set()
    )
    listed = [
        one for one in candidates(sources, pins) if fold(one.text) not in attached and _sayable(one, summary)
    ]
    wanted = sections(summary)
    chosen = _Chosen(Ranking(sources, listed, pins, values), counter)
    slots = _with_done([(at, topic) for at, section in enumerate(wanted) for topic in _topics(section)])
    slots.sort(key=lambda slot: _TURNS.index(slot[1]))
    chosen.fill(slots, room_tokens - counter.count(chosen.text(wanted, summary)))
    while counter.count(text := chosen.text(wanted, summary)) > room_tokens and chosen.drop():
        continue
    return text


def without_empty(text: str, summary: Summary) -> str:
    """A summary without the optional sections that have nothing to say; unchanged if none would be left."""
    told = [
        (section, body)
        for section, body in split_sections(text, summary)
        if body not in ("", EMPTY) or not section.optional
    ]
    return written(told, summary) or text


def _topics(section: Section) -> tuple[Topic, ...]:
    """What a section holds; of running text all there is, of a heading that says nothing what matters most."""
    if not section.heading:
        return tuple(dict.fromkeys((*topics(section), *Topic)))
    return topics(section) or (Topic.KNOWLEDGE,)


def _with_done(slots: list[tuple[int, Topic]]) -> list[tuple[int, Topic]]:
    """What was done stands with the current step where it has no section: it tells how far that is."""
    if any(topic is Topic.DONE for _, topic in slots):
        return slots
    return slots + [(at, Topic.DONE) for at, topic in slots if topic is Topic.CURRENT][:1]


class _Chosen:
    """The statements of each section so far."""

    def __init__(self, ranking: Ranking, counter: TokenCounter) -> None:
        self._ranking, self._counter = ranking, counter
        self._said: dict[int, list[Candidate]] = {}
        self._taken: set[str] = set()
        self._counts: Counter[tuple[int, Topic]] = Counter()

    def fill(self, slots: Sequence[tuple[int, Topic]], room: int) -> None:
        """Give every topic its share, and then what others left, in the same order."""
        weights = sum(_WEIGHTS[topic] for _, topic in slots)
        for at, topic in slots:
            room -= self._take(at, topic, room * _WEIGHTS[topic] // weights)
            weights -= _WEIGHTS[topic]
        for at, topic in slots:
            room -= self._take(at, topic, room)

    def text(self, wanted: Sequence[Section], summary: Summary) -> str:
        """The summary, in the order in which things were said."""
        told = (
            sorted(self._said.get(at, ()), key=lambda one: (one.order, one.place))
            for at in range(len(wanted))
        )
        bodies = ("\n".join(map(_line, said)) for said in told)
        return written(list(zip(wanted, bodies, strict=True)), summary)

    def drop(self) -> bool:
        """Take back the statement chosen last of the section that has most; whether there was one."""
        longest = max(self._said.values(), key=len, default=[])
        return bool(longest and longest.pop())

    def _take(self, at: int, topic: Topic, room: int) -> int:
        """Add the best statements that there is room for; what they cost."""
        spent, missed = 0, 0
        for one in self._ranking.of(topic):
            full = self._counts[at, topic] >= _MOST.get(topic, _ANY)
            if full or missed > _MISSES or spent + _LEAST > room:
                break
            if (key := fold(one.text)) in self._taken:
                continue
            cost = self._counter.count(_line(one)) + 1
            if spent + cost > room:
                missed += 1
                continue
            self._taken.add(key)
            self._said.setdefault(at, []).append(one)
            self._counts[at, topic] += 1
            spent, missed = spent + cost, 0
        return spent


def _line(one: Candidate) -> str:
    cites = "".join(f"[{id}]" for id in one.cites)
    if one.report:
        ran = f", of {one.call}" if one.call else ""
        return f"- {TOOL_SAYS}{_quoted(one.text)}{ran} {cites}"
    return f"- {one.path}{': ' * bool(one.path)}{one.text} {cites}"


def _quoted(text: str) -> str:
    """The text in quotes that it does not close itself; empty if there are none such."""
    for opening, closing in _QUOTES:
        if closing not in text:
            return f"{opening}{text}{closing}"
    return ""


def _sayable(one: Candidate, summary: Summary) -> bool:
    """Whether it can be said without being taken for something else."""
    return not (one.report and not _quoted(one.text)) and not (summary.style == "xml" and "</" in one.text)
