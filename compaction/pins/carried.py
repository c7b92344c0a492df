"""Pins of an earlier compaction beside those of what is there now.

A message that was summarised away is not read again, so what it pinned is carried from pass to pass, word for
word. What there is one of, comes from where it is known best.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from elision.compaction.pins import shell
from elision.compaction.pins.figures import measured
from elision.compaction.pins.open_ends import settles
from elision.compaction.pins.requests import first_and_newest
from elision.compaction.pins.speech import Utterance
from elision.compaction.pins.types import CARRIED, HistoryPin, PinKind

_RECOMPUTED = frozenset({PinKind.OPEN_CALL, PinKind.ERROR})  # known from the calls that are there


def joined(
    carried: Sequence[HistoryPin], fresh: Sequence[HistoryPin], said: Sequence[Utterance], since: int = 0
) -> list[HistoryPin]:
    """The carried pins that still count, then the fresh ones.

    Args:
        carried: Pins of the compaction before, in order.
        fresh: Pins of what is there now, in order.
        said: What user and assistant wrote in it.
        since: Index from which on all that is there was said after what was carried.
    """
    if not carried:
        return list(fresh)
    known = {(pin.kind, pin.text) for pin in fresh}
    later = [pin for pin in fresh if pin.index >= since]
    answers = [one for one in said if one.index >= since]
    kept = [
        replace(pin, index=CARRIED)
        for pin in carried
        if (pin.kind, pin.text) not in known
        and pin.kind not in _RECOMPUTED
        and not _replaced(pin, fresh if pin.kind is PinKind.FILE else later, answers)
    ]
    pins = [*kept, *_after(fresh, carried)]
    goals = [pin for pin in pins if pin.kind is PinKind.GOAL]
    return [*first_and_newest(goals), *(pin for pin in pins if pin.kind is not PinKind.GOAL)]


def _after(fresh: Sequence[HistoryPin], carried: Sequence[HistoryPin]) -> Iterator[HistoryPin]:
    goals = {pin.text for pin in carried if pin.kind is PinKind.GOAL}
    changed = {_path(pin) for pin in carried if pin.kind is PinKind.FILE and pin.state == shell.CHANGED}
    for pin in fresh:
        if pin.kind is PinKind.REQUEST and pin.text in goals:
            continue
        if pin.kind is PinKind.FILE and pin.state == shell.READ and _path(pin) in changed:
            yield replace(pin, state=shell.CHANGED)
        else:
            yield pin


def _replaced(pin: HistoryPin, others: Sequence[HistoryPin], said: Sequence[Utterance]) -> bool:
    """Whether one of these pins, or what was said later, takes a carried pin's place."""
    match pin.kind:
        case PinKind.FILE:
            return any(one.kind is PinKind.FILE and _path(one) == _path(pin) for one in others)
        case PinKind.REQUEST | PinKind.TODO:
            return any(one.kind is pin.kind for one in others)
        case PinKind.FIGURE:
            return any(
                one.kind is PinKind.FIGURE and measured(one.text) == measured(pin.text) for one in others
            )
        case PinKind.OBLIGATION:
            return settles(said, pin.text)
    return False


def _path(pin: HistoryPin) -> str:
    return pin.text.removeprefix("./")
