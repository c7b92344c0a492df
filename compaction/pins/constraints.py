"""What the user and the system demanded and forbade.

Read sentence by sentence out of what people wrote, by phrases of many languages. A prohibition is taken even
out of a question; a demand is not, for "must I ...?" demands nothing.
"""

from collections.abc import Sequence

from elision.compaction.pins.lexicon import Phrases, hear, phrases
from elision.compaction.pins.speech import Utterance, sentences, with_list
from elision.compaction.pins.types import HistoryPin, LeftOut, PinKind
from elision.model.types import Span

MOST = 40  # of one message: more is a pasted specification, which has a file or a message of its own
_ASKS = ("?", "？", "؟")


def constraints(said: Sequence[Utterance]) -> tuple[list[HistoryPin], list[LeftOut]]:
    """The constraints in what was said, in order, and those beyond the most that a message may have.

    Of a message with too many the prohibitions go first, then what comes first.
    """
    pins: list[HistoryPin] = []
    left: list[LeftOut] = []
    for utterance in said:
        found = _found(utterance)
        order = sorted(range(len(found)), key=lambda at: (not found[at][1], at))
        kept = set(order[:MOST])
        texts = [span.of(utterance.text) for span, _ in found]
        pins += [
            HistoryPin(PinKind.CONSTRAINT, text, utterance.source, utterance.index)
            for at, text in enumerate(texts)
            if at in kept
        ]
        if rest := tuple(text for at, text in enumerate(texts) if at not in kept):
            left.append(LeftOut(PinKind.CONSTRAINT, utterance.source, rest))
    return pins, left


def forbids(text: str) -> bool:
    """Whether a sentence forbids something."""
    heard = hear(text)
    return _forbid().leads(heard) if asks(text) else _forbid().said(heard)


def demands(text: str) -> bool:
    """Whether a sentence demands something."""
    return not asks(text) and _demand().said(hear(text))


def asks(text: str) -> bool:
    """Whether a sentence is a question."""
    return text.rstrip("\"'”’»)*_ ").endswith(_ASKS)


def _found(utterance: Utterance) -> list[tuple[Span, bool]]:
    """Sentences that demand or forbid, and whether they forbid."""
    found: list[tuple[Span, bool]] = []
    text = utterance.text
    for line in utterance.lines:
        heard = hear(line.of(text))
        if not (_forbid().said(heard) or _demand().said(heard)):
            continue
        for sentence in sentences(text, line):
            if found and sentence.start < found[-1][0].stop:
                continue  # it stands in the list of the sentence before
            body = sentence.of(text)
            forbidding = forbids(body)
            if forbidding or demands(body):
                found.append((with_list(text, sentence), forbidding))
    return found


def _forbid() -> Phrases:
    return phrases("constraints.toml", "forbid")


def _demand() -> Phrases:
    return phrases("constraints.toml", "demand")
