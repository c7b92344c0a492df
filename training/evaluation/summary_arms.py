"""Four ways to put one history into words at equal tokens, and what each still tells.

The history is the head of a real transcript with planted facts. All of it goes but a last "Go on."; what
stands for it may have the same number of tokens whichever way it is made. Only the naive way pins nothing
and checks nothing and has no sections.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import regex

from elision.compaction.compact.every_text import every_text
from elision.compaction.compact.measure import Window
from elision.compaction.compact.run import compact
from elision.compaction.compact.trigger import Cause
from elision.compaction.compact.types import Means, Occasion
from elision.compaction.conversation import Conversation, Format
from elision.compaction.counting import count
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.formats.read import read
from elision.compaction.policies.load import load
from elision.compaction.prices.situation import Situation
from elision.compaction.reduce.clip import clip, describe
from elision.compaction.summary.grounding import Evidence
from elision.compaction.summary.sources import sources
from elision.compaction.summary.types import Summariser, SummaryCall, SummaryFailed
from elision.compaction.types import TokenCounter
from elision.training.evaluation.planted import Fact, chat, planted, steps, survivors
from elision.training.transcripts.outputs import text_of
from elision.training.transcripts.types import Json, Transcript

NAIVE_PROMPT = "Summarise the conversation."
DONE: Json = {"role": "assistant", "content": "Noted."}  # what nobody has answered would stay
GO_ON: Json = {"role": "user", "content": "Go on."}
_CITES = regex.compile(r"\[m[0-9]++[a-z]*+\]")
_LONGEST_SHARE = 0.2  # of a story: one long output would leave room for nothing else
_OURS = ("select.tail_messages=1", "select.tail_share=none", "select.tail_min=0", "reduce.mask.on=false", "reduce.skeleton.on=false", "gate.enough=none")  # fmt: skip
_ADDED = {
    "template": ("summary.pins=false", "summary.check=false"),
    "pinned": (),
    "extractive": ("summary.writer=extractive",),
}


class Arm(StrEnum):
    """A way to put a history into words."""

    NAIVE = "naive"  # one sentence asks for it
    TEMPLATE = "template"  # our sections, no pins, no checks
    PINNED = "pinned"  # our policy: sections, pins, checks
    EXTRACTIVE = "extractive"  # pins, and what is beside them is chosen by rule


@dataclass(frozen=True, slots=True)
class Story:
    """The head of a transcript with facts in it, and the last message that stays."""

    id: str
    conversation: Conversation
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way left of one story.

    Attributes:
        tokens: Of what stands for the history.
        alive: Ids of the facts that are told.
        beside: Those of them that no pin tells.
        pinned: Ids of the facts that pins tell.
        invented: Identifiers, numbers and paths that the story does not have.
        by: Who wrote it.
        failed: Why there is none; empty if there is.
    """

    tokens: int
    alive: frozenset[str]
    beside: frozenset[str]
    pinned: frozenset[str]
    invented: tuple[str, ...]
    by: str
    failed: str = ""


def story(
    transcript: Transcript, facts: Sequence[Fact], tokens: int, counter: TokenCounter, seed: int
) -> Story:
    """The head of a transcript without its system's words, and facts in it: so many tokens in all."""
    spoken = [message for message in transcript.messages if message["role"] != "system"]
    room = tokens - count(chat([message for fact in facts for message in fact.messages]), counter).total
    head: list[Json] = []
    for step in steps([_shortened(message, int(room * _LONGEST_SHARE), counter) for message in spoken]):
        room -= count(chat(step), counter).total
        if room < 0:
            break
        head += step
    return Story(transcript.id, chat([*planted(head, facts, seed), DONE, GO_ON]), tuple(facts))


def outcome(arm: Arm, story: Story, tokens: int, means: Means, situation: Situation) -> Outcome:
    """Put a story into words.

    Args:
        tokens: That what stands for it may have.
        means: Counter and store, and the one who writes.
    """
    everything = sources(story.conversation, range(len(story.conversation.messages)))
    evidence = Evidence.of(f"{one.tool} {one.text}" for one in everything)
    if arm is Arm.NAIVE:
        return _naive(story, tokens, means.writers[0], means.counter, evidence)
    policy = load("elision", [*_OURS, *_ADDED[arm], f"summary.max_tokens={tokens}"])
    last = count(chat([GO_ON]), means.counter).total
    occasion = Occasion(Window(200_000), situation, Cause.REQUEST, target_tokens=tokens + last)
    try:
        done = compact(story.conversation, policy, occasion, means)
    except BudgetTooSmall as error:
        return _nothing(str(error))
    if not done.changed or not done.summary:
        return _nothing(done.detail or done.reason)
    view = every_text(read(done.raw, Format.OPENAI_CHAT))
    alive = survivors(story.facts, view)
    pinned = survivors(story.facts, view.replace(done.summary, ""))
    missing = evidence.missing(_uncited(done.summary))
    return Outcome(done.after - last, alive, alive - pinned, pinned, tuple(missing), done.by)


def _naive(
    story: Story, tokens: int, writer: Summariser, counter: TokenCounter, evidence: Evidence
) -> Outcome:
    indexes = range(len(story.conversation.messages) - 1)
    said = "\n".join(f"{one.speaker}: {one.text}" for one in sources(story.conversation, indexes))
    try:
        reply = writer(SummaryCall("", f"{NAIVE_PROMPT}\n\n{said}", tokens))
    except SummaryFailed as error:
        return _nothing(str(error))
    alive = survivors(story.facts, reply.text)
    missing = evidence.missing(reply.text)
    return Outcome(counter.count(reply.text), alive, alive, frozenset(), tuple(missing), writer.name)


def _nothing(why: str) -> Outcome:
    return Outcome(0, frozenset(), frozenset(), frozenset(), (), "", why)


def _uncited(text: str) -> str:
    return _CITES.sub("", text)


def _shortened(message: Json, tokens: int, counter: TokenCounter) -> Json:
    """A message whose text keeps its ends if it is too long."""
    text = text_of(message)
    if counter.count(text) <= tokens:
        return message
    gone = clip(text, tokens, counter)
    return message | {"content": text[: gone.start] + describe(text, gone) + text[gone.stop :]}
