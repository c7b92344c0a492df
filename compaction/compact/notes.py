"""What is carried from one summary to the next: pins by code, and the writer's own words to be brought up to date.

Where the session's originals are known, pins are taken from those; else the block of pins in the earlier
summary is read back, and what that message says besides is nobody's wish. Summaries of other agents are quoted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import regex

from elision.compaction.compact.earlier import earlier, told
from elision.compaction.compact.frames import Frame
from elision.compaction.compact.keeping import keep
from elision.compaction.compact.types import CompactionPlan, Fate, Means, MessagePlan, Originals
from elision.compaction.conversation import Conversation, Message
from elision.compaction.errors import BudgetTooSmall
from elision.compaction.formats.read import read
from elision.compaction.pins.check import alive
from elision.compaction.pins.collect import survey
from elision.compaction.pins.render import render
from elision.compaction.pins.reread import behind, counted, file_lists, reread
from elision.compaction.pins.shell import READ
from elision.compaction.pins.types import CARRIED, Collected, HistoryPin, LeftOut, PinKind
from elision.compaction.policies.schema import CompactionPolicy

Values = Callable[[Sequence[str]], Sequence[float]]
_CITED = regex.compile(r"\[m?(\d{1,9})[a-z]*\]")
_COMPRESS = "compress"  # why a message is shortened by the classifier
_MORE = 400  # tokens for soft pins, where hard ones fill the room


@dataclass(frozen=True, slots=True)
class Carried:
    """What stands beside a summary.

    Attributes:
        text: The block; empty if there is nothing to carry.
        pins: The pins in it.
        dropped: How many soft ones stand behind a handle.
    """

    text: str = ""
    pins: tuple[HistoryPin, ...] = ()
    dropped: int = 0


def pins_of(
    conversation: Conversation, policy: CompactionPolicy, originals: Originals | None, values: Values | None
) -> Collected:
    """All pins of a history, those of earlier summaries included, and what was too much of it."""
    if originals is not None:
        return survey(originals.conversation, values=values)
    frame = Frame.of(policy.compose)
    notes = frame.found(conversation)
    before = tuple(pin for index in notes for pin in reread(frame.held(conversation.messages[index]) or ""))
    # A summary that stands where its messages stood has what stayed of the time before them in front of it.
    since = notes[-1] if notes and policy.compose.place == "cut" else 0
    without = without_notes(conversation, frame, notes)
    found = survey(without, values=values, carried=before, since=since)
    later = numbers_on(conversation, frame)
    return replace(found, pins=tuple(_numbered(pin, later) for pin in found.pins)) if later else found


def numbers_on(conversation: Conversation, frame: Frame) -> int:
    """By how much the numbers of messages run ahead of their indexes.

    A summary cites the messages it stands for by number. What came after it goes on counting, so that no two
    messages ever have one number.
    """
    notes = frame.found(conversation)
    held = [frame.held(conversation.messages[at]) or "" for at in notes]
    texts = [behind(one) for one in held] + [pin.source for one in held for pin in reread(one)]
    cited = [int(n) for text in texts for n in _CITED.findall(text)]
    return max(0, max(cited) + 1 - (notes[-1] + 1)) if cited else 0


def _numbered(pin: HistoryPin, later: int) -> HistoryPin:
    counted = pin.index != CARRIED and pin.source == f"[{pin.index}]"
    return replace(pin, source=f"[{pin.index + later}]") if counted else pin


def without_notes(conversation: Conversation, frame: Frame, notes: Sequence[int]) -> Conversation:
    """The conversation with nothing in these summaries but what a person said beside them."""
    if not notes:
        return conversation
    firsts = [(conversation.messages[index].blocks[0].leaves[0].path, index) for index in notes]
    texts = {path: frame.rest(conversation.messages[index]) for path, index in firsts}
    return read(conversation.with_texts(texts), conversation.format)


def own_words(frame: Frame, message: Message) -> str:
    """What the writer of a summary wrote: nothing that code put there."""
    return behind(frame.held(message) or "")


def carried(
    conversation: Conversation, plan: CompactionPlan, policy: CompactionPolicy, means: Means, room: int | None
) -> Carried:
    """The block of pins for the messages that go.

    Args:
        room: Tokens for it and the summary, None if no target limits them.

    Raises:
        BudgetTooSmall: If what must stay needs more.
    """
    needed = _needed(conversation, plan, means.originals)
    if policy.summary.pins:
        before = () if means.originals else _counted(conversation, plan, policy)
        block = _block(needed, plan.beyond, before, means, plan.pin_tokens, room)
        texts = [block.text, _quoted(conversation, plan, policy, means, block, room)]
        return replace(block, text="\n\n".join(filter(None, texts)))
    if policy.compose.file_lists:
        return Carried(_file_lists(needed))
    return Carried()


def _counted(conversation: Conversation, plan: CompactionPlan, policy: CompactionPolicy) -> list[str]:
    """What did not fit into the blocks of the summaries that go, by the line that counts it."""
    assert plan.selection is not None
    frame = Frame.of(policy.compose)
    held = (frame.held(conversation.messages[index]) or "" for index in sorted(plan.selection.gone))
    return [line for notes in held if (line := counted(notes))]


def _quoted(
    conversation: Conversation,
    plan: CompactionPlan,
    policy: CompactionPolicy,
    means: Means,
    block: Carried,
    room: int | None,
) -> str:
    """What goes of other agents' summaries, in half of what pins may have and of what they leave."""
    assert plan.selection is not None
    texts = earlier(conversation, sorted(plan.selection.gone), Frame.of(policy.compose))
    left = sum(row.before for row in plan.messages if row.fate is Fate.COVER)
    left = (left if room is None else min(left, room)) - means.counter.count(block.text)
    return told(texts, min(plan.pin_tokens, left) // 2, means.counter, _handle(means))


def _handle(means: Means) -> Callable[[str], str]:
    return lambda text: keep(means.store, text, means.counter, means.redact)


def _block(
    needed: Sequence[HistoryPin],
    beyond: Sequence[LeftOut],
    before: Sequence[str],
    means: Means,
    most: int,
    room: int | None,
) -> Carried:
    def made(tokens: int) -> Carried:
        within = tokens if room is None else min(tokens, room)
        done = render(needed, within, means.counter, _handle(means), beyond, before)
        return Carried(done.text, done.kept, done.dropped)

    try:
        return made(most)
    except BudgetTooSmall as error:
        if room is not None and error.needed > room:
            raise
        return made(error.needed + _MORE)


def _needed(
    conversation: Conversation, plan: CompactionPlan, originals: Originals | None
) -> list[HistoryPin]:
    """The pins that hold and would be gone with the messages that go, or with what is taken out of the others."""
    assert plan.selection is not None
    gone = frozenset(plan.selection.gone)
    stays = [row for row in plan.messages if row.index not in gone]
    holding = [pin for pin in plan.pins if pin.holds]
    there = alive(holding, _said(conversation, stays))
    kept = frozenset(row.index for row in stays)
    if originals is not None:
        kept = frozenset(
            one for index in kept for one in originals.behind[index] if len(originals.behind[index]) == 1
        )
    # A word that stands somewhere else does not stand for the demand it was in: only its own message will do.
    return [
        pin
        for pin, found in zip(holding, there, strict=True)
        if not (found and (pin.index in kept or (pin.kind is PinKind.IDENTIFIER and pin.index != CARRIED)))
    ]


def _said(conversation: Conversation, rows: Sequence[MessagePlan]) -> str:
    """What these messages will say for certain: of one that the classifier shortens nothing."""
    return "\n".join(
        row.raw or conversation.messages[row.index].span.of(conversation.raw)
        for row in rows
        if _COMPRESS not in row.reasons
    )


def _file_lists(pins: Sequence[HistoryPin]) -> str:
    """The files that were read, as the last that was done to them, and those that were changed."""
    files = {pin.text: pin.state for pin in pins if pin.kind is PinKind.FILE and pin.state}
    read = sorted(path for path, state in files.items() if state == READ)
    return file_lists(read, sorted(set(files) - set(read)))
