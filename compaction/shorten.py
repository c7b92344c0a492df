"""The text path itself: from a text and a target to the drops that meet it.

Scored once (a long text by a sketch of it), chosen a few times: prices of passages are read off the whole
text's tokens, which is near but not exact once neighbours are gone, so the choice is made again with the
difference until the output fills the target without passing it.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from elision.compaction.choose import Mask, choose, thin
from elision.compaction.coverage import PassageWords
from elision.compaction.cut import Thinned, cut
from elision.compaction.guard.markers import marker
from elision.compaction.guard.names import is_name
from elision.compaction.guard.negations import negation_spans
from elision.compaction.guard.segment import Segmented, segment
from elision.compaction.guard.units import unit_spans
from elision.compaction.matches import query_pins
from elision.compaction.method import Method
from elision.compaction.pins.text import find_pins
from elision.compaction.reading import Reading
from elision.compaction.relevance import relevance
from elision.compaction.sketch import score
from elision.compaction.types import Drop, Kind, Pin, TokenCounter
from elision.compaction.values import Values, with_ends
from elision.compaction.view import View
from elision.model.types import IntArray, Scorer, Span

ATTEMPTS = 5
SLACK = 0.01  # of the target: a fill this close is good enough
HOLLOW = 0.1  # of the target: an output with less in it tells nothing, so one passage may exceed the target
# What the most relevant passage gains over its keep value. Measured by scripts/answer_survival.py: more
# than a keep value's whole range helps no further, and a call's words would hurt scripts/next_action.py.
ASKED = 1.0
# What a name or a number gains in a passage that stays in part: it cannot be guessed back.
NAMED = 0.5
NEGATION = "negation"
JSON = "json"


def shorten(
    reading: Reading,
    target: int,
    *,
    scorer: Scorer,
    counter: TokenCounter,
    query: str,
    asked: bool,
    method: Method,
    tick: Callable[[], None],
) -> tuple[tuple[Drop, ...], list[Pin]]:
    """The drops and pins that bring a text down to ``target`` tokens; both in the source's offsets.

    Args:
        asked: Whether the query is the reader's own question, so that its words count.
        method: How the text is gone about.

    Raises:
        DeadlineExceeded: If ``tick`` raises it.
    """
    view = reading.view
    segmented, pins = examine(reading, query, tick)
    segmented = segmented if method.thins else _unthinned(segmented)
    values = Values(score(view.text, segmented, pins, scorer=scorer, query=query, tick=tick))
    sheet = _Sheet(view, segmented, pins, values, counter)
    if asked:
        sheet.values += ASKED * relevance(view.text, [passage.span for passage in segmented.passages], query)
    sheet.values = method.worth(view.text, segmented.passages, sheet.costs, sheet.values)
    filled = _fill(sheet, target, tick)
    kept_pins = [Pin(view.back(pin.span), pin.reason) for pin in [*sheet.pins, *filled.negations]]
    return view.drops_in_source(filled.drops), sorted(kept_pins)


def examine(reading: Reading, query: str, tick: Callable[[], None]) -> tuple[Segmented, list[Pin]]:
    """What can be known of a text without its scores: its passages, and what must stay; all of the view.

    Raises:
        DeadlineExceeded: If ``tick`` raises it.
    """
    view, structure = reading.view, reading.structure()
    groups = [view.forth(group) for group in reading.groups]
    segmented = segment(view.text, tick, sorted([*structure, *groups]))
    pins = [*find_pins(view.text, segmented.lines, segmented.kinds, tick), *_given(reading, structure)]
    return segmented, sorted([*pins, *query_pins(view.text, segmented.passages, query)])


def _unthinned(segmented: Segmented) -> Segmented:
    """The same with every line whole that is one passage."""
    of_row = Counter(passage.row for passage in segmented.passages)
    whole = [passage if of_row[passage.row] > 1 else replace(passage, whole=True) for passage in segmented.passages]
    return replace(segmented, passages=whole)


def _given(reading: Reading, structure: Sequence[Span]) -> Iterator[Pin]:
    """The pins that were known before the text was read line by line."""
    yield from (Pin(span, JSON) for span in structure)
    for pin in reading.pins:
        shown = reading.view.forth(pin.span)
        if len(shown):
            yield Pin(shown, pin.reason)


@dataclass(frozen=True, slots=True)
class _Filled:
    """One attempt: its drops, what it comes to, and the negations pinned in what was thinned."""

    drops: list[Drop]
    tokens: int
    negations: list[Pin]


def _fill(sheet: "_Sheet", target: int, tick: Callable[[], None]) -> _Filled:
    """Choose until the output is as near below ``target`` as whole passages allow."""
    aim = target
    best = filled = sheet.filled(aim)
    for _ in range(ATTEMPTS - 1):
        missing = target - filled.tokens
        if 0 <= missing <= max(2, SLACK * target) or aim + missing < 1:
            break
        tick()
        aim += missing
        filled = sheet.filled(aim)
        if best.tokens < filled.tokens <= target or filled.tokens < best.tokens > target:
            best = filled
    return best if best.tokens >= HOLLOW * target else sheet.with_one_too_large()


@dataclass
class _Sheet:
    """A text's passages with what each costs and is worth: all that choosing needs."""

    view: View
    segmented: Segmented
    pins: list[Pin]
    word_values: Values
    counter: TokenCounter

    def __post_init__(self) -> None:
        self.text = self.view.text
        self.replacements = self.view.replacements()
        passages = self.segmented.passages
        spans = [passage.span for passage in passages]
        self.prefix = self.counter.prefix(self.text)
        self.costs = self._prices(spans)
        self.values = with_ends(self.word_values.of(spans), self.costs)
        self.words = PassageWords(self.text, spans)
        self.marker_cost = self.counter.count(marker(100) + "\n")
        self.forced = np.zeros(len(passages), dtype=bool)
        self.known: dict[Span, tuple[list[Span], Mask, list[Pin]]] = {}  # each attempt asks again
        follows = np.array([passage.continues and passage.divisible for passage in passages], dtype=bool)
        self.long_sentences = np.flatnonzero(~follows[:-1] & follows[1:]).tolist()
        starts = np.array([span.start for span in spans], dtype=np.int64)
        for pin in self.pins:
            first = int(np.searchsorted(starts, pin.span.start, side="right")) - 1
            last = int(np.searchsorted(starts, pin.span.stop, side="left"))
            self.forced[first:last] = True

    def filled(self, target: int) -> _Filled:
        """Choose for ``target`` tokens as priced, and count what that really comes to."""
        args = (self.segmented.passages, self.values, self.costs, self.forced, target, self.marker_cost)
        for choice in choose(*args, self.words):
            if choice.partly is None:
                break
            units, fixed, negations = self._units(self.segmented.passages[choice.partly].span)
            named = np.array([is_name(unit.of(self.text)) for unit in units], dtype=np.float32)
            worth = self.word_values.of(units) + NAMED * named
            kept = thin(worth, self._prices(units), fixed, choice.room)
            if kept is not None:
                return self._filled(choice.kept, {choice.partly: Thinned(units, kept)}, negations)
        return self._filled(choice.kept, {}, [])

    def with_one_too_large(self) -> _Filled:
        """The best passage, though it is larger than the target, such as the only hunk of a diff."""
        says = np.array([passage.kind is not Kind.BLANK for passage in self.segmented.passages], dtype=bool)
        free = np.flatnonzero(~self.forced & says)
        if len(free):
            self.forced[free[np.argmax(self.values[free])]] = True
        return self.filled(1)

    def _filled(self, kept: Mask, thinned: dict[int, Thinned], negations: list[Pin]) -> _Filled:
        kept, thinned, negations = kept.copy(), dict(thinned), list(negations)
        for index in self._gone_in_part(kept):
            units, fixed, pins = self._units(self.segmented.passages[index].span)
            if pins:
                kept[index], thinned[index] = True, Thinned(units, fixed)
                negations += pins
        drops = cut(self.text, self.segmented, kept, thinned)
        return _Filled(drops, self.counter.count(self.view.output(drops)), negations)

    def _gone_in_part(self, kept: Mask) -> Iterator[int]:
        """Gone stretches of overlong sentences of which another stretch stays: their negations must too."""
        for first in self.long_sentences:
            last = first + 1
            while last < len(kept) and self.segmented.passages[last].continues:
                last += 1
            if kept[first:last].any():
                yield from (int(index) for index in range(first, last) if not kept[index])

    def _units(self, span: Span) -> tuple[list[Span], Mask, list[Pin]]:
        """A passage's units, those of them that may not leave it while it stays, and its negations."""
        if span not in self.known:
            self.known[span] = self._read(span)
        return self.known[span]

    def _read(self, span: Span) -> tuple[list[Span], Mask, list[Pin]]:
        units = unit_spans(self.text, span)
        negations = negation_spans(self.text, span, units)
        fixed = np.array([not unit.of(self.text).strip() for unit in units], dtype=bool)
        inside = [r for r in self.replacements if r.start < span.stop and span.start < r.stop]
        starts, stops = [unit.start for unit in units], [unit.stop for unit in units]
        for stays in [*negations, *inside]:
            fixed[bisect_right(stops, stays.start) : bisect_left(starts, stays.stop)] = True
        return units, fixed, [Pin(negation, NEGATION) for negation in negations]

    def _prices(self, spans: Sequence[Span]) -> IntArray:
        edges = np.array([(span.start, span.stop) for span in spans], dtype=np.int64).reshape(-1, 2)
        return np.asarray(self.prefix[edges[:, 1]] - self.prefix[edges[:, 0]])
