"""What was measured or counted, as the user or the agent said it: a number with its unit.

A summary rounds such a figure, mixes it up with another or drops it, and no log has it again once its output
is gone. Dates, versions, line numbers and statuses are none; small counts of files, lines and the like, sizes
of a layout and what names a thing (``a 32-byte id``) tell where somebody is looking, not what was found.
"""

from collections.abc import Iterable, Sequence

import regex

from elision.compaction.guard.glue import MEASURE
from elision.compaction.pins.speech import Utterance
from elision.compaction.pins.terms import without_numbers
from elision.compaction.pins.types import HistoryPin, LeftOut, PinKind

MOST = 40
_LONGEST = 300  # characters: a longer sentence tells something else besides
_EASTERN = "毫秒|秒|分钟|分鐘|分間|小时|小時|時間|天|日間|[万億亿]|行|件|个|個|回|次|円|元|밀리초|초|분|시간|일|개|건|원"
_FIGURE = regex.compile(
    rf"(?<![\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}\d_.:/#@-])(?:{MEASURE}|\d[\d.,]*+\s?(?:{_EASTERN}))",
    regex.VERBOSE,
)
_COUNT = regex.compile(
    r"(?:\d-\p{L}+|\d[\s-]?(?:x|times?|px|em|rem|pt|degrees?|rows?|lines?|files?|items?|chars?|characters?|words?|pages?|entries|errors?|warnings?"
    r"|failures?|failed|passed|skipped|tests?|people|users?|requests?|retries|attempts?|points?|m|K|ago"
    r"|行|件|个|個|回|次|개|건))$"
)
# "Phase 1's", "r=0, g=215, b=255", "100 % sure": the number is of another word, or of none.
_NO_MEASURE = regex.compile(r"\d['’]\p{L}|[.,][\s-]\p{L}|^100\s?(?:%|％|percent)")
_DIGIT = regex.compile(r"\d")
_MANY = 4  # digits of a count that nobody says by the way
_ASKS = ("?", "？", "؟")


def figures(
    said: Sequence[Utterance], pinned: Iterable[HistoryPin] = ()
) -> tuple[list[HistoryPin], list[LeftOut]]:
    """The sentences that state a figure, in order, at most the `MOST` newest.

    The same words with another number are the same figure taken again: the last one counts.

    Args:
        said: What user and assistant wrote, in order.
        pinned: Pins of other kinds; what one of them says is not said twice.
    """
    known = {pin.text for pin in pinned}
    newest: dict[tuple[str, ...], HistoryPin] = {}
    for utterance in said:
        for sentence in utterance.sentences():
            if sentence not in known and states_figure(sentence):
                about = measured(sentence)
                newest.pop(about, None)
                newest[about] = HistoryPin(PinKind.FIGURE, sentence, utterance.source, utterance.index)
    found = list(newest.values())
    rest = tuple(pin.text for pin in found[:-MOST])
    return found[-MOST:], [LeftOut(PinKind.FIGURE, "", rest)] if rest else []


def measured(sentence: str) -> tuple[str, ...]:
    """What a figure is about: the words of its sentence without the numbers."""
    return without_numbers(sentence)[0]


def states_figure(sentence: str) -> bool:
    """Whether a sentence says how much of something there is."""
    if len(sentence) > _LONGEST or not _DIGIT.search(sentence) or sentence.endswith(_ASKS):
        return False
    return any(_measures(found[0]) for found in _FIGURE.finditer(sentence))


def _measures(found: str) -> bool:
    if _NO_MEASURE.search(found):
        return False
    return not _COUNT.search(found) or len(_DIGIT.findall(found)) >= _MANY
