"""Where the secrets of a text stand, and what may take their place so that JSON stays JSON.

A secret is looked for in the text as it is spelled, and in the strings of its JSON documents as what they
say, documents in strings too. One that runs over quotes of a document is taken string by string.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from elision.compaction.guard.json_values import decoded
from elision.compaction.guard.secrets import find_secrets
from elision.compaction.opening import LEVELS, find_documents
from elision.compaction.raw_json import spell
from elision.model.types import Span

HERE = "\ufdd0"  # where the placeholder goes

_STRING = regex.compile(r'"(?:[^"\\]++|\\.)*+"', regex.DOTALL)
_SCALAR = regex.compile(r"-?[0-9][0-9.eE+-]*+")
_ESCAPE = regex.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Spot:
    """One secret where it stands.

    Attributes:
        span: Of its spelling.
        value: What it says.
        around: What has to stand there, with `HERE` for the placeholder: a bare value of JSON needs quotes.
    """

    span: Span
    value: str
    around: str = HERE


@dataclass(frozen=True, slots=True)
class _Strings:
    """The strings of a text's documents, in order, quotes included."""

    spans: tuple[Span, ...]
    documents: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> "_Strings":
        documents = find_documents(text).spans(text)
        found = (match.span() for one in documents for match in _STRING.finditer(text, one.start, one.stop))
        return cls(tuple(Span(*span) for span in found), documents)

    def touching(self, span: Span) -> Sequence[Span]:
        """Those that have a character in common with the span."""
        first = bisect_right(self.spans, span.start, key=lambda one: one.stop)
        last = bisect_left(self.spans, span.stop, key=lambda one: one.start)
        return self.spans[first:last]

    def hold(self, at: int) -> bool:
        """Whether a document does."""
        before = bisect_right(self.documents, at, key=lambda one: one.start) - 1
        return before >= 0 and at < self.documents[before].stop


def spots(text: str, known: "regex.Pattern[str] | None" = None, levels: int = LEVELS) -> list[Spot]:
    """Where secrets stand, in order, not overlapping.

    Args:
        known: Finds secrets that are known already, wherever they stand.
        levels: So many times a string is read as what it says.
    """
    strings = _Strings.of(text)
    found = [part for secret in find_secrets(text) for part in _parts(text, secret, strings)]
    if levels:
        found += [spot for string in strings.spans for spot in _inside(text, string, levels)]
    labelled = list(_apart(found))
    if known is None:
        return labelled
    matches = (Span(*match.span()) for match in known.finditer(text))
    bare = (part for span in matches for part in _parts(text, span, strings) if part.span == span)
    taken = _Strings(tuple(spot.span for spot in labelled), ())
    return sorted(
        [*labelled, *(spot for spot in bare if not taken.touching(spot.span))], key=lambda one: one.span
    )


def _parts(text: str, secret: Span, strings: _Strings) -> Iterator[Spot]:
    """The secret, or what of it each string of a document holds; a bare number takes quotes."""
    touching = strings.touching(secret)
    for string in touching:
        part = Span(max(secret.start, string.start + 1), min(secret.stop, string.stop - 1))
        if len(part) and any(map(str.isalnum, part.of(text))):
            part = _whole_escapes(text, part, string)
            yield Spot(part, _said(part.of(text)))
    if not touching and not strings.hold(secret.start):
        yield Spot(secret, secret.of(text))
    elif not touching:
        scalar = _SCALAR.match(text, secret.start, secret.stop)
        if scalar and scalar.end() == secret.stop:
            yield Spot(secret, secret.of(text), f'"{HERE}"')


def _inside(text: str, string: Span, levels: int) -> Iterator[Spot]:
    """The secrets of what a string says, where they are spelled; without an escape it says what it spells."""
    inside = string.of(text)[1:-1]
    if "\\" not in inside:
        return
    said, edges = decoded(inside)
    for spot in spots(said, levels=levels - 1):
        start, stop = (string.start + 1 + int(edges[at]) for at in (spot.span.start, spot.span.stop))
        yield replace(spot, span=Span(start, stop), around=spell(spot.around)[1:-1])


def _whole_escapes(text: str, part: Span, string: Span) -> Span:
    """The part with the whole of the escapes that it begins or ends in."""
    escapes = (
        Span(*found.span())
        for found in _ESCAPE.finditer(text, max(string.start + 1, _slash(text, part.start)), string.stop - 1)
    )
    for escape in escapes:
        if escape.start >= part.stop:
            break
        if escape.start < part.start < escape.stop or escape.start < part.stop < escape.stop:
            part = Span(min(part.start, escape.start), max(part.stop, escape.stop))
    return part


def _slash(text: str, at: int) -> int:
    """Where reading escapes has to begin so that none before ``at`` is missed."""
    start = at
    for _ in range(6):  # the longest escape
        if start and text[start - 1] != "\\":
            start -= 1
    while start and text[start - 1] == "\\":
        start -= 1
    return start


def _said(spelling: str) -> str:
    """What a stretch of a string says; as it is spelled, if it cannot be told."""
    if "\\" not in spelling:
        return spelling
    try:
        said: str = json.loads(f'"{spelling}"', strict=False)
    except ValueError:
        return spelling
    return said


def _apart(found: Iterable[Spot]) -> Iterator[Spot]:
    """The spots in order; of those that overlap one, as long as all together. Quotes go before none."""
    pending: Spot | None = None
    for spot in sorted(found, key=lambda one: (one.span.start, -one.span.stop, one.around == HERE)):
        if pending and spot.span.start < pending.span.stop:
            if spot.span.stop > pending.span.stop:
                pending = replace(pending, span=Span(pending.span.start, spot.span.stop))
            continue
        if pending:
            yield pending
        pending = spot
    if pending:
        yield pending
