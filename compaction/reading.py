"""Read a view for its JSON: what of it stands fixed, and which string values may be shortened.

A document keeps every key, number and bracket. Its white space goes first, since that loses nothing;
then its long texts are shown decoded, real lines and quotes, and are all that may lose anything.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import regex

from elision.compaction.cut import rebuild
from elision.compaction.guard.ansi import control_spans
from elision.compaction.guard.blobs import blob_marker, find_blobs, middle
from elision.compaction.guard.json_values import LONG, Use, use_of, values
from elision.compaction.guard.whole_json import parsed, same_shape
from elision.compaction.matches import RARE, mentions
from elision.compaction.method import Folding
from elision.compaction.opening import find_documents, opened, squeezed
from elision.compaction.pins.text import caller_pins
from elision.compaction.raw_json import Node
from elision.compaction.types import Drop, Pin, TokenCounter
from elision.compaction.view import View, between
from elision.model.types import Span

ANSI, BLOB = "ansi", "blob"
_LINE_END = re.compile("\n")
# Of several documents: shorter ones, or with less text, are better left out whole.
_LONG_DOCUMENT, _MOSTLY = 2000, 0.8


@dataclass(frozen=True)
class Reading:
    """A view and what of it is JSON; all spans are of the source.

    Attributes:
        base: What is shown before any of this is known; what the JSON is checked against.
        view: What is shown.
        one: Whether the whole text is one document.
        documents: Documents whose structure stays; empty for a document our reader does not take.
        groups: Documents among other lines that stay or go as a whole.
        texts: The string values that may be shortened, shown decoded.
        others: Further string values that are shown decoded.
        pins: What the caller wants to stay.
    """

    base: View
    view: View
    one: bool = False
    documents: tuple[Span, ...] = ()
    groups: tuple[Span, ...] = ()
    texts: tuple[Span, ...] = ()
    others: tuple[Span, ...] = ()
    pins: tuple[Pin, ...] = ()

    @property
    def sealed(self) -> bool:
        """Whether nothing may be left out of it: one document without long texts."""
        return self.one and not self.texts

    def structure(self) -> list[Span]:
        """What of `view.text` must stay: the documents without their texts."""
        texts = [self.view.forth(text) for text in self.texts]
        return [
            fixed
            for document in map(self.view.forth, self.documents)
            for fixed in between([t for t in texts if document.start <= t.start < document.stop], document)
        ]

    def is_whole(self, drops: Sequence[Drop]) -> bool:
        """Whether every document comes out of ``drops`` of the source as what it was."""
        return all(_survives(self.base, document, drops) for document in self.documents)


def prepare(
    view: View,
    target: int,
    counter: TokenCounter,
    patterns: "Sequence[regex.Pattern[str]]",
    query: str,
    folds: Sequence[Folding],
    tick: Callable[[], None],
) -> Reading:
    """Read a view and take out of it what costs little, until it fits ``target`` tokens or nothing is left.

    Where nothing is hidden it is too long: its caller knows.

    Raises:
        DeadlineExceeded: If ``tick`` does.
        PinTimeout: If a pattern takes too long.
    """
    reading = _read(view)
    fits = bool(view.hidden) and counter.count(view.output()) <= target
    steps: list[Callable[[Reading], Reading]] = [_squeezed, _opened, partial(_pinned, patterns, tick)]
    steps += [*(partial(_folded, fold, query) for fold in folds), _without_blobs]
    for step in steps:
        if fits:
            break
        tick()
        before, reading = reading.view, step(reading)
        fits = reading.view is not before and counter.count(reading.view.output()) <= target
    return reading


def _read(view: View) -> Reading:
    """What a view is, before anything of it goes."""
    found = find_documents(view.text)
    spans = found.spans(view.text)
    if found.one:
        readable = parsed(view.text) is not None
        return Reading(view, view, one=True, documents=_back(view, spans) if readable else ())
    if _mostly_text(view.text, found.lines):
        return Reading(view, view, documents=_back(view, found.lines))
    long = [span for span in found.among if _mostly_text(view.text, [span])]
    groups = [span for span in found.among if span not in long]
    return Reading(view, view, documents=_back(view, long), groups=_back(view, groups))


def _squeezed(reading: Reading) -> Reading:
    return replace(reading, view=squeezed(reading.view, reading.documents)) if reading.one else reading


def _opened(reading: Reading) -> Reading:
    view, found = opened(reading.view, reading.documents, LONG, use_of)
    texts = tuple(span for span, use in found if use is Use.TEXT)
    others = tuple(span for span, use in found if use is Use.BLOB)
    return replace(reading, view=_without_inner_controls(view, texts), texts=texts, others=others)


def _pinned(
    patterns: "Sequence[regex.Pattern[str]]", tick: Callable[[], None], reading: Reading
) -> Reading:
    found = caller_pins(reading.view.text, patterns, tick)
    return replace(reading, pins=tuple(Pin(reading.view.back(pin.span), pin.reason) for pin in found))


def _folded(fold: Folding, query: str, reading: Reading) -> Reading:
    """The reading with what repeats folded, but for what the caller wants to see."""
    view = reading.view
    wanted = [view.forth(pin.span) for pin in reading.pins]
    wanted += [span for group in reading.groups if "\n" in (span := view.forth(group)).of(view.text).strip()]
    drops = [
        replace(drop, span=drop.span.moved(stretch.start))
        for stretch in _stretches(reading)
        for drop in fold(stretch.of(view.text), _fixed(stretch, view.text, wanted, query))
    ]
    if not drops:
        return reading
    folded = view.hide(drops)
    gone = [view.back(drop.span) for drop in drops]
    stops = [span.stop for span in gone]
    next_gone = [bisect_right(stops, group.start) for group in reading.groups]
    groups = tuple(
        group
        for group, at in zip(reading.groups, next_gone, strict=True)
        if at == len(gone) or gone[at].start >= group.stop
    )
    return replace(reading, view=folded, groups=groups)


def _fixed(stretch: Span, text: str, wanted: Sequence[Span], query: str) -> list[Span]:
    """What of a stretch may not be folded: what is wanted, and lines with a word of the query that few have."""
    inside = stretch.of(text)
    starts = [0, *(match.end() for match in _LINE_END.finditer(inside))] if query else []
    named = mentions(inside, starts, query, RARE) if query else ()
    fixed = [span.moved(-stretch.start) for span in wanted if _touch(span, stretch)]
    return sorted([*fixed, *(Span(starts[line], starts[line] + 1) for line in named)])


def _without_blobs(reading: Reading) -> Reading:
    view = reading.view
    drops = [_blob_drop(blob) for stretch in _stretches(reading) for blob in _blobs_in(view.text, stretch)]
    pins = [view.forth(pin.span) for pin in reading.pins]
    wanted = [drop for drop in drops if not any(_touch(drop.span, pin) for pin in pins)]
    return replace(reading, view=view.hide(wanted))


def _stretches(reading: Reading) -> list[Span]:
    """Where of the view's text blobs are looked for: everywhere but in the structure of documents."""
    view = reading.view
    documents = [view.forth(document) for document in reading.documents]
    strings = [view.forth(string) for string in (*reading.texts, *reading.others)]
    outside = [] if reading.one else between(documents, Span(0, len(view.text)))
    return sorted([*outside, *strings])


def _blobs_in(text: str, stretch: Span) -> Iterator[Span]:
    for blob in find_blobs(stretch.of(text)):
        yield Span(stretch.start + blob.start, stretch.start + blob.stop)


def _blob_drop(blob: Span) -> Drop:
    gone = middle(blob)
    return Drop(gone, blob_marker(len(gone)), BLOB)


def _without_inner_controls(view: View, texts: Sequence[Span]) -> View:
    """Text in JSON has its own colours and redraws, spelled as escapes."""
    drops: list[Drop] = []
    for text in map(view.forth, texts):
        inner = control_spans(text.of(view.text))
        drops += [Drop(Span(text.start + span.start, text.start + span.stop), "", ANSI) for span in inner]
    return view.hide(drops)


def _mostly_text(text: str, documents: Sequence[Span]) -> bool:
    total = sum(map(len, documents))
    strings = (inside for document in documents for inside in values(text, document))
    long = sum(len(inside) for inside in strings if len(inside) >= LONG)
    return total >= _LONG_DOCUMENT * max(1, len(documents)) and long >= _MOSTLY * total


def _back(view: View, spans: Sequence[Span]) -> tuple[Span, ...]:
    return tuple(view.back(span) for span in spans)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.stop and other.start < one.stop


def _survives(base: View, document: Span, drops: Sequence[Drop]) -> bool:
    """Whether a document is what it was, but for the long strings that drops lie in."""
    shown = base.forth(document)
    before = shown.of(base.text)
    inside = [drop for drop in drops if document.start <= drop.span.start and drop.span.stop <= document.stop]
    starts = [drop.span.start for drop in inside]

    def may_change(node: Node) -> bool:
        source = base.back(Span(shown.start + node.span.start, shown.start + node.span.stop))
        at = bisect_left(starts, source.start)
        return len(node.span) >= LONG and at < len(starts) and starts[at] < source.stop

    first = document.start
    moved = [replace(drop, span=Span(drop.span.start - first, drop.span.stop - first)) for drop in inside]
    return same_shape(before, rebuild(document.of(base.source), moved), may_change)
