"""What somebody still owes: results of calls, answers of the user, what was said to come."""

from collections.abc import Iterator, Sequence

from elision.compaction.conversation import Block, Conversation, Part, Role
from elision.compaction.cuts.pairs import pair
from elision.compaction.cuts.turns import awaited
from elision.compaction.pins.lexicon import hear, phrases
from elision.compaction.pins.requests import is_filler
from elision.compaction.pins.speech import Utterance, source_of
from elision.compaction.pins.terms import content_words
from elision.compaction.pins.types import HistoryPin, PinKind

MOST = 6  # of each kind of obligation, the newest
_RECENT = 10  # messages of the user in which a promise still counts
_ASKS = ("?", "？", "؟")
_SHORT = 200  # a longer answer than this says more than "later"


def open_calls(conversation: Conversation) -> list[HistoryPin]:
    """The calls whose results may still come; what is pinned is the id, or the name where there is none."""
    waiting = [
        exchange.call
        for exchange in pair(conversation).exchanges
        if not exchange.results and awaited(conversation, exchange.call.index)
    ]
    return [
        HistoryPin(
            PinKind.OPEN_CALL,
            call.called,
            source_of(conversation.messages[call.index], call.index),
            call.index,
            state=f"{call.block.name} {_arguments(conversation, call.block)}".strip(),
        )
        for call in waiting
    ]


def obligations(conversation: Conversation, said: Sequence[Utterance]) -> list[HistoryPin]:
    """What is owed at the end of the conversation.

    The assistant's questions at its end, and what it said it waits for since the user last answered; "wait"
    and "later" are no answers. Of the user, what was promised and has not been spoken of since.

    Args:
        said: What user and assistant wrote, in order.
    """
    users = [one for one in said if one.role is Role.USER]
    answered = max((one.index for one in users if not puts_off(one)), default=-1)
    since = [one for one in said if one.role is Role.ASSISTANT and one.index > answered]
    last_call = max(
        (
            at
            for at, message in enumerate(conversation.messages)
            if any(b.part is Part.CALL for b in message.blocks)
        ),
        default=-1,
    )
    owed = [pin for one in since for pin in _owed(one, one.index > last_call)]
    return [*_promised(users)[-MOST:], *owed[-MOST:]]


def _owed(utterance: Utterance, last: bool) -> Iterator[HistoryPin]:
    waiting, courtesy = phrases("waiting.toml", "owed"), phrases("waiting.toml", "courtesy")
    for text in utterance.sentences():
        heard = hear(text)
        if ((last and text.endswith(_ASKS)) or waiting.said(heard)) and not courtesy.said(heard):
            yield _pin(utterance, text)


def settles(said: Sequence[Utterance], owed: str) -> bool:
    """Whether what was said later settles what was owed before it, by the rules of `obligations`."""
    users = [one for one in said if one.role is Role.USER]
    heard = hear(owed)
    asked = owed.endswith(_ASKS) or phrases("waiting.toml", "owed").said(heard)
    if not asked and phrases("waiting.toml", "promised").said(heard):
        return any(_speaks_of(one, owed) for one in users)
    return not all(map(puts_off, users))


def _promised(users: Sequence[Utterance]) -> list[HistoryPin]:
    promising = phrases("waiting.toml", "promised")
    found: list[HistoryPin] = []
    for at, utterance in enumerate(users[-_RECENT:], max(0, len(users) - _RECENT)):
        for text in utterance.sentences():
            if promising.said(hear(text)):
                kept = next((one.source for one in users[at + 1 :] if _speaks_of(one, text)), "")
                found.append(_pin(utterance, text, kept))
    return found


def _speaks_of(utterance: Utterance, text: str) -> bool:
    return not content_words(utterance.text[:5000]).isdisjoint(content_words(text))


def puts_off(utterance: Utterance) -> bool:
    """Whether a message of the user leaves open what the assistant asked."""
    text = " ".join(part.of(utterance.text) for part in utterance.parts).strip()
    if len(text) > _SHORT or is_filler(text):
        return False
    return phrases("waiting.toml", "later").said(hear(text))


def _pin(utterance: Utterance, text: str, superseded_by: str = "") -> HistoryPin:
    return HistoryPin(
        PinKind.OBLIGATION, text, utterance.source, utterance.index, superseded_by=superseded_by
    )


def _arguments(conversation: Conversation, call: Block) -> str:
    text = call.leaves[0].text if call.leaves else call.arguments.of(conversation.raw)
    return " ".join(text[:400].split())[:200]
