"""Facts planted in real transcripts, to see which of them a compacted history still tells.

A fact is one or two messages and the exact strings that tell it. Nobody judges: a fact is alive where all
its strings stand near one another, whatever the case and the white space. Planting never changes the
transcript's own messages and never parts a call from its results.
"""

import json
import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from elision.compaction.conversation import Conversation, Format
from elision.compaction.formats.read import read
from elision.training.transcripts.outputs import calls_of
from elision.training.transcripts.types import Json

NEAR = 400  # characters: strings further apart tell nothing together


class Kind(StrEnum):
    """What a fact is."""

    GOAL = "goal"  # what the user wants in the end
    CONSTRAINT = "constraint"  # what the user demands or forbids
    FILE = "file"  # a path that a tool call read or changed
    NUMBER = "number"  # a measured value with its unit
    ERROR = "error"  # in a tool's output, with nothing that resolves it
    DECISION = "decision"
    REJECTED = "rejected"  # an option that was turned down, with the reason


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a session said.

    Attributes:
        id: Unique in a set of facts.
        kind: What it is.
        keys: Strings that tell it; white space and case do not count.
        messages: Chat messages that say it: one of the user or the agent, or a call and its result.
    """

    id: str
    kind: Kind
    keys: tuple[str, ...]
    messages: tuple[Json, ...]


def alive(fact: Fact, text: str) -> bool:
    """Whether a text still tells a fact."""
    return _told(fact, _folded(text))


def survivors(facts: Iterable[Fact], text: str) -> frozenset[str]:
    """Ids of the facts that a text still tells."""
    folded = _folded(text)
    return frozenset(fact.id for fact in facts if _told(fact, folded))


def planted(
    messages: Sequence[Json], facts: Sequence[Fact], seed: int = 0, within: tuple[float, float] = (0.0, 1.0)
) -> list[Json]:
    """The transcript with facts in it, spread evenly in an order that the seed shuffles.

    The first goal comes before everything else that is said, as goals do.

    Args:
        messages: Chat messages; they stay as they are.
        within: Where the others go, as shares of the transcript.
    """
    places = legal_places(messages)
    first = next((fact for fact in facts if fact.kind is Kind.GOAL), None)
    others = [fact for fact in facts if fact is not first]
    random.Random(seed).shuffle(others)
    goes: dict[int, list[Json]] = {places[0]: list(first.messages) if first else []}
    begin, end = within
    for number, fact in enumerate(others):
        share = begin + (end - begin) * (number + 0.5) / len(others)
        goes.setdefault(_nearest(places, share * len(messages)), []).extend(fact.messages)
    spread: list[Json] = []
    for index in range(len(messages) + 1):
        spread += [*goes.get(index, ()), *messages[index : index + 1]]
    return spread


def legal_places(messages: Sequence[Json]) -> list[int]:
    """Indexes before which a message may be put: behind the system's words, not between a call and its results.

    There always is one.
    """
    start = next((i for i, message in enumerate(messages) if message["role"] != "system"), len(messages))
    places, waiting = list[int](), set[str]()
    for index, message in enumerate(messages):
        result = message["role"] == "tool"
        if index >= start and not waiting and not result:
            places.append(index)
        if result:
            waiting.discard(message.get("tool_call_id", ""))
        else:
            waiting = {call["id"] for call in calls_of(message)} if message["role"] == "assistant" else set()
    return places if waiting else [*places, len(messages)]


def steps(messages: Sequence[Json]) -> Iterator[list[Json]]:
    """The transcript in the smallest pieces that may be parted; joined they are all of it."""
    borders = sorted({0, *legal_places(messages), len(messages)})
    for start, stop in zip(borders, borders[1:], strict=False):
        yield list(messages[start:stop])


def chat(messages: Sequence[Json]) -> Conversation:
    """Chat messages as a request."""
    return read(json.dumps({"messages": list(messages)}, ensure_ascii=False), Format.OPENAI_CHAT)


def _nearest(places: Sequence[int], at: float) -> int:
    after = bisect_left(places, at)
    near = places[max(0, after - 1) : after + 1]
    return min(near, key=lambda place: (abs(place - at), place))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _told(fact: Fact, folded: str) -> bool:
    rarest, *others = sorted(map(_folded, fact.keys), key=lambda key: (-len(key), key))
    at = folded.find(rarest)
    while at >= 0:
        near = folded[max(0, at - NEAR) : at + len(rarest) + NEAR]
        if all(key in near for key in others):
            return True
        at = folded.find(rarest, at + 1)
    return False
