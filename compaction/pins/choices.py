"""What was decided and what was turned down, as the user or the agent said it."""

from collections.abc import Callable, Sequence

from elision.compaction.pins.lexicon import hear, phrases
from elision.compaction.pins.speech import Utterance, sentences
from elision.compaction.pins.types import HistoryPin, LeftOut, PinKind

MOST = 40  # of each kind
Values = Callable[[Sequence[str]], Sequence[float]]
_ASKS = ("?", "？", "؟")


def choices(
    said: Sequence[Utterance], values: Values | None = None
) -> tuple[list[HistoryPin], list[LeftOut]]:
    """The decisions and the rejected options, in order.

    Said twice it is pinned once, where it was said last. Beyond `MOST` those of the highest value stay, or
    without values the newest.

    Args:
        said: What user and assistant wrote, in order.
        values: Keep values of texts, such as the classifier's.
    """
    pins: list[HistoryPin] = []
    left: list[LeftOut] = []
    for kind, found in _found(said).items():
        kept = _best([pin.text for pin in found], values)
        pins += [pin for at, pin in enumerate(found) if at in kept]
        if rest := tuple(pin.text for at, pin in enumerate(found) if at not in kept):
            left.append(LeftOut(kind, "", rest))
    return pins, left


def _found(said: Sequence[Utterance]) -> dict[PinKind, list[HistoryPin]]:
    newest: dict[PinKind, dict[str, HistoryPin]] = {PinKind.DECISION: {}, PinKind.REJECTED: {}}
    decided, rejected = phrases("choices.toml", "decided"), phrases("choices.toml", "rejected")
    for utterance in said:
        for line in utterance.lines:
            heard = hear(line.of(utterance.text))
            if not (decided.said(heard) or rejected.said(heard)):
                continue
            for sentence in sentences(utterance.text, line):
                text = sentence.of(utterance.text)
                heard = hear(text)
                kind = PinKind.DECISION if decided.said(heard) else PinKind.REJECTED
                if text.endswith(_ASKS) or (kind is PinKind.REJECTED and not rejected.said(heard)):
                    continue
                newest[kind].pop(text, None)
                newest[kind][text] = HistoryPin(kind, text, utterance.source, utterance.index)
    return {kind: list(found.values()) for kind, found in newest.items()}


def _best(texts: Sequence[str], values: Values | None) -> set[int]:
    if len(texts) <= MOST:
        return set(range(len(texts)))
    if values is None:
        return set(range(len(texts) - MOST, len(texts)))
    worth = values(texts)
    return set(sorted(range(len(texts)), key=lambda at: (-worth[at], -at))[:MOST])
