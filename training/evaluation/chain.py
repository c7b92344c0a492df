"""One history that grows and is compacted again and again: what does the view still tell?

All policies get the same stream of real messages, the same planted facts and the same writer. Before each
compaction the history grows until the policy would act, and by so many tokens at least, so that one that
compacts little and often lives through as much as the others.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from elision.compaction.compact.compose import Inserted, Kept
from elision.compaction.compact.every_text import every_text
from elision.compaction.compact.measure import Window
from elision.compaction.compact.run import compact
from elision.compaction.compact.trigger import Cause, triggers_at
from elision.compaction.compact.types import CompactedHistory, Means, Occasion, Originals
from elision.compaction.conversation import Conversation
from elision.compaction.counting import count
from elision.compaction.cuts import validate
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.policies.schema import CompactionPolicy
from elision.compaction.prices.situation import Situation
from elision.compaction.prices.verdict import Decision
from elision.compaction.summary.types import Summariser, SummaryCall, SummaryReply
from elision.compaction.types import TokenCounter
from elision.training.evaluation.planted import Fact, chat, planted, steps, survivors
from elision.training.transcripts.outputs import calls_of
from elision.training.transcripts.types import Json, Transcript

TOO_SMALL = "budget_too_small"


@dataclass(frozen=True, slots=True)
class Setting:
    """What all policies have in common.

    Attributes:
        window: Of the model that reads.
        passes: How many compactions.
        grow: Tokens that the history grows by before each, at least.
        plant_within: The first facts stand in so many tokens at the beginning.
        target: Tokens that every policy has to come down to; None leaves it to the policy.
        situation: Prices and cache.
        seed: Of the places of facts.
    """

    window: Window
    passes: int
    grow: int
    plant_within: int
    situation: Situation
    target: int | None = None
    seed: int = 0


@dataclass(slots=True)
class Counted:
    """A writer and what its calls took; passes everything on."""

    writer: Summariser
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    @property
    def name(self) -> str:
        return self.writer.name

    @property
    def window(self) -> int:
        return self.writer.window

    def __call__(self, call: SummaryCall) -> SummaryReply:
        """Ask it, and count."""
        self.calls += 1
        reply = self.writer(call)
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        self.cost += reply.cost
        return reply


@dataclass(frozen=True, slots=True)
class Pass:
    """One compaction of a chain.

    Attributes:
        number: From 1.
        decision: What was done, or that the pins did not fit.
        reason: Why.
        before, after: Tokens of system and messages.
        valid: Whether a provider would take the view.
        born: In which pass each fact was planted, by id.
        alive: Ids of the facts that the view tells.
    """

    number: int
    decision: str
    reason: str
    before: int
    after: int
    valid: bool
    born: dict[str, int]
    alive: frozenset[str]


def stream(transcripts: Iterable[Transcript]) -> Iterator[list[Json]]:
    """The messages of transcripts one after the other, in pieces that may be parted.

    Calls get ids of their own, so that no two transcripts share one. Only the first keeps its system's words.
    """
    for number, transcript in enumerate(transcripts):
        spoken = [message for message in transcript.messages if number == 0 or message["role"] != "system"]
        yield from steps([_renamed(message, f"t{number}_") for message in spoken])


def chain(
    pieces: Iterator[list[Json]],
    facts: Sequence[Fact],
    policy: CompactionPolicy,
    setting: Setting,
    means: Means,
    later: Sequence[Sequence[Fact]] = (),
) -> Iterator[Pass]:
    """Compact a growing history, pass after pass; ends early where the stream does.

    Args:
        pieces: What it grows by, see `stream`.
        facts: Planted before the first pass.
        later: Facts that are planted before the second pass, the third and so on; ids are unique in all.
    """
    history = _History(means.counter)
    born = {fact.id: 1 for fact in facts}
    known = list(facts)
    first = _taken(pieces, setting.plant_within, means.counter)
    history.add(planted(first, facts, setting.seed))
    point = triggers_at(policy, setting.window) or setting.window.usable
    for number in range(1, setting.passes + 1):
        grown = _taken(pieces, max(setting.grow, point - history.tokens), means.counter)
        if not grown:
            return
        more = later[number - 2] if 1 < number < len(later) + 2 else ()
        known, born = [*known, *more], born | {fact.id: number for fact in more}
        history.add(planted(grown, more, setting.seed + number) if more else grown)
        before = history.tokens
        decision, reason = history.compacted(policy, setting, means)
        view = history.read()
        yield Pass(
            number,
            decision,
            reason,
            before,
            history.tokens,
            not validate(view),
            born,
            survivors(known, every_text(view)),
        )


@dataclass(slots=True)
class _History:
    """The view as it is sent, and all messages as they came."""

    counter: TokenCounter
    messages: list[Json] = field(default_factory=list)
    originals: list[Json] = field(default_factory=list)
    behind: list[tuple[int, ...]] = field(default_factory=list)
    tokens: int = 0
    summaries: int = 0

    def add(self, messages: Sequence[Json]) -> None:
        self.behind += [(len(self.originals) + index,) for index in range(len(messages))]
        self.originals += messages
        self.messages += messages
        self.tokens = count(self.read(), self.counter).total

    def read(self) -> Conversation:
        return chat(self.messages)

    def compacted(self, policy: CompactionPolicy, setting: Setting, means: Means) -> tuple[str, str]:
        """Compact the view; what was done and why."""
        occasion = Occasion(
            setting.window,
            setting.situation,
            Cause.REQUEST,
            target_tokens=setting.target,
            passes=self.summaries,
        )
        if policy.summary.rebuild_every:
            means = replace(means, originals=Originals(chat(self.originals), tuple(self.behind)))
        try:
            done = compact(self.read(), policy, occasion, means)
        except BudgetTooSmall as error:
            return TOO_SMALL, str(error)
        if done.changed:
            self._become(done)
        return done.decision.value, done.reason

    def _become(self, done: CompactedHistory) -> None:
        self.messages = json.loads(done.raw)["messages"]
        self.tokens = done.after
        self.summaries += done.decision is Decision.COMPACT
        behind = self.behind
        self.behind = [
            behind[piece.index] if isinstance(piece, Kept) else _behind(piece, behind)
            for piece in done.pieces
        ]
        assert len(self.behind) == len(self.messages)


def _behind(piece: Inserted, behind: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sorted({original for index in piece.covers for original in behind[index]}))


def _taken(pieces: Iterator[list[Json]], tokens: int, counter: TokenCounter) -> list[Json]:
    """The next pieces, at least one, until they have so many tokens."""
    taken: list[Json] = []
    had = 0
    for piece in pieces:
        taken += piece
        had += count(chat(piece), counter).total
        if had >= tokens:
            break
    return taken


def _renamed(message: Json, prefix: str) -> Json:
    if message["role"] == "tool" and "tool_call_id" in message:
        return message | {"tool_call_id": prefix + message["tool_call_id"]}
    if made := calls_of(message):
        return message | {"tool_calls": [call | {"id": prefix + call["id"]} for call in made]}
    return message
