"""Score a long text by a part of it, so that the text alone bounds what its scoring costs.

Most of a long output says the same over and over. So of rows that differ in their numbers, ids, times,
paths and quoted names only, a few are scored and the others are worth the same; and where even what
differs is too much, the beginning, the end, what stands next to a pin, what the query names, and an
even sample of the rest. Never by the clock: the same text always has the same sketch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from elision.compaction.guard.overlong import OVERLONG
from elision.compaction.guard.segment import Segmented
from elision.compaction.guard.templates import template
from elision.compaction.ledger import Mask
from elision.compaction.matches import mentions
from elision.compaction.pace import paced
from elision.compaction.types import Kind, Pin
from elision.compaction.values import Values
from elision.model.types import FloatArray, IntArray, Scorer, Scores, Span

# A CPU scores 9 to 11 thousand characters of a log a second; the service waits ten seconds.
SCORED = 40_000
BEGINNING, END = SCORED // 16, SCORED // 8  # outcomes stand at the end
NAMED = SCORED // 4  # for what stands next to a pin or holds a word of the query
_ENOUGH = 24  # parts of one template: more of them tell nothing new of it
_LONGEST = 2000  # characters of a group of lines that are scored for all of it
_RUN = 1000  # characters: rows are sampled with their neighbours, as the model reads them
_HELD_BY = 30  # parts: a word of the query that more of them hold is no reason to score one
_NEAR = 9  # parts of one kind, whose mean one between them is worth


@dataclass(frozen=True, slots=True)
class Parts:
    """What is scored or not: rows, or the passages of an overlong one; of a long group its beginning.

    Attributes:
        spans: Where each stands, in text order, without overlap.
        kinds: Number of the kind of each, shape ``(n_parts,)``.
        templates: Number of the template of each, shape ``(n_parts,)``; alike ones have the same.
        sizes: Characters of each, shape ``(n_parts,)``.
    """

    spans: list[Span]
    kinds: IntArray
    templates: IntArray
    sizes: IntArray


def score(
    text: str,
    segmented: Segmented,
    pins: Sequence[Pin],
    *,
    scorer: Scorer,
    query: str,
    tick: Callable[[], None],
) -> Scores:
    """Score a text, or its sketch where it is longer than `SCORED` characters.

    A part that is not in the sketch has one score, over all of it.

    Args:
        text: The visible text.
        segmented: Its rows and passages.
        pins: What stays anyway; the model judges better what is next to it with it.
        scorer: Gives keep values.
        query: What the reader was after; may be empty.
        tick: Called now and then; may raise to end it.
    """
    if len(text) <= SCORED:
        return scorer.score(text, query, tick)
    parts = _parts(text, segmented, tick)
    chosen = _chosen(parts, _named(text, parts, pins, query))
    return _spread(parts, chosen, _moved(text, _runs(parts, chosen), scorer, query, tick))


def _parts(text: str, segmented: Segmented, tick: Callable[[], None]) -> Parts:
    found = [(span, kind) for span, kind in paced(_divided(segmented), tick) if kind is not Kind.BLANK]
    kinds: dict[Kind, int] = {}
    templates: dict[tuple[Kind, str], int] = {}
    template_of = cache(template)  # long texts say the same again and again
    of_kinds = [kinds.setdefault(kind, len(kinds)) for _, kind in found]
    of_templates = [
        templates.setdefault((kind, template_of(span.of(text))), len(templates)) for span, kind in paced(found, tick)
    ]
    sizes = [len(span) for span, _ in found]
    return Parts([span for span, _ in found], *(np.array(n, dtype=np.int64) for n in (of_kinds, of_templates, sizes)))


def _divided(segmented: Segmented) -> Iterator[tuple[Span, Kind]]:
    last = -1
    for passage in segmented.passages:
        row = segmented.rows[passage.row]
        if len(row) > OVERLONG:
            yield Span(passage.span.start, min(passage.span.stop, passage.span.start + _LONGEST)), passage.kind
        elif passage.row != last:
            yield row, passage.kind
        last = passage.row


def _named(text: str, parts: Parts, pins: Sequence[Pin], query: str) -> Mask:
    """Parts with a rare word of the query, and parts in or next to a pin."""
    starts = [span.start for span in parts.spans]
    named = np.zeros(len(starts), dtype=bool)
    named[list(mentions(text, starts, query, _HELD_BY))] = True
    first = np.searchsorted(starts, [pin.span.start for pin in pins], side="right") - 1
    last = np.searchsorted(starts, [pin.span.stop for pin in pins], side="left") - 1
    for near in (first - 1, first, last, last + 1):
        named[near[(near >= 0) & (near < len(starts))]] = True
    return named


def _chosen(parts: Parts, named: Mask) -> Mask:
    """The parts of the sketch: what tells most first, as long as there is room."""
    before = np.cumsum(parts.sizes) - parts.sizes
    edges = (before < BEGINNING) | (before >= parts.sizes.sum() - END)
    chosen = np.zeros(len(parts.spans), dtype=bool)
    for wanted, most in (
        (edges, SCORED),
        (named, NAMED),
        (_first_of(parts.templates), SCORED),
        (_first_of(parts.templates[::-1])[::-1], SCORED),
        (_few_of_each(parts.templates), SCORED),
    ):
        room = min(most, SCORED - int(parts.sizes[chosen].sum()))
        chosen |= _evenly(parts, wanted & ~chosen, room)
    return chosen


def _first_of(numbers: IntArray) -> Mask:
    mask = np.zeros(len(numbers), dtype=bool)
    mask[np.unique(numbers, return_index=True)[1]] = True
    return mask


def _few_of_each(numbers: IntArray) -> Mask:
    """Of those with the same number every one, every second, third ...: `_ENOUGH` at most, from all over the text."""
    counts = np.bincount(numbers)
    order = np.argsort(numbers, kind="stable")
    which = np.empty_like(order)  # the how manieth of its number each is
    which[order] = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
    mask: Mask = which % -(-counts // _ENOUGH)[numbers] == 0
    return mask


def _evenly(parts: Parts, wanted: Mask, room: int) -> Mask:
    """As much of what is wanted as there is room for, in runs from all over the text."""
    indices = np.flatnonzero(wanted)
    ends = np.cumsum(parts.sizes[indices])
    if not len(indices) or ends[-1] <= room:
        return wanted
    taken, mask = 0, np.zeros_like(wanted)
    edges = [0, *(np.flatnonzero(np.diff(ends // _RUN)) + 1).tolist(), len(indices)]
    for first, stop in zip(edges, edges[1:], strict=False):
        size = int(ends[stop - 1] - (ends[first - 1] if first else 0))
        if taken + size <= room * ends[stop - 1] / ends[-1]:
            mask[indices[first:stop]] = True
            taken += size
    return mask


def _runs(parts: Parts, chosen: Mask) -> list[Span]:
    """The chosen parts, those that touch each other as one."""
    spans: list[Span] = []
    for index in np.flatnonzero(chosen):
        span = parts.spans[index]
        start = spans.pop().start if spans and spans[-1].stop == span.start else span.start
        spans.append(Span(start, span.stop))
    return spans


def _moved(text: str, spans: Sequence[Span], scorer: Scorer, query: str, tick: Callable[[], None]) -> Scores:
    """Score some spans of a text as one that holds nothing else; each begins a line."""
    shown = [span.of(text) if span.of(text).endswith("\n") else span.of(text) + "\n" for span in spans]
    found = scorer.score("".join(shown), query, tick)
    begins = np.cumsum([0, *map(len, shown)])
    run = np.searchsorted(begins, found.starts, side="right") - 1
    shift = np.array([span.start for span in spans], dtype=np.int64)[run] - begins[run]
    ends = np.array([span.stop for span in spans], dtype=np.int64)[run]
    return Scores(found.starts + shift, np.minimum(found.stops + shift, ends), found.values)


def _spread(parts: Parts, chosen: Mask, found: Scores) -> Scores:
    """The scores of the sketch, and one for each part outside it."""
    values = np.zeros(len(parts.spans), dtype=np.float32)
    scored, others = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    values[scored] = Values(found).of([parts.spans[index] for index in scored])
    values[others] = _estimated(parts, values, scored, others)
    starts = np.concatenate([found.starts, [parts.spans[index].start for index in others]])
    stops = np.concatenate([found.stops, [parts.spans[index].stop for index in others]])
    order = np.argsort(starts, kind="stable")
    return Scores(
        starts[order].astype(np.int64),
        stops[order].astype(np.int64),
        np.concatenate([found.values, values[others]])[order],
    )


def _estimated(parts: Parts, values: FloatArray, scored: IntArray, others: IntArray) -> FloatArray:
    """What parts outside the sketch are worth: the mean of those alike, else of those of the kind nearby.

    A mean, so that what is known to be worth much goes before what may be.
    """
    count = np.bincount(parts.templates[scored], minlength=len(values))
    total = np.bincount(parts.templates[scored], weights=values[scored], minlength=len(values))
    alike = total / np.maximum(count, 1)
    near = np.zeros(len(values))
    for kind in np.unique(parts.kinds[others]):
        mine, known = others[parts.kinds[others] == kind], scored[parts.kinds[scored] == kind]
        if len(known):
            near[mine] = _smooth(values[known])[np.minimum(np.searchsorted(known, mine), len(known) - 1)]
    estimated = np.where(count[parts.templates[others]] > 0, alike[parts.templates[others]], near[others])
    return estimated.astype(np.float32)


def _smooth(values: FloatArray) -> FloatArray:
    """The mean of each value and its neighbours."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    first = np.maximum(np.arange(len(values)) - _NEAR // 2, 0)
    stop = np.minimum(first + _NEAR, len(values))
    means: FloatArray = ((sums[stop] - sums[first]) / (stop - first)).astype(np.float32)
    return means
