"""Replace the secrets of a text, in JSON strings too, so that nothing after this reads them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import regex

from elision.compaction.clean import CONTROL, without_controls
from elision.compaction.errors import RedactionFailed
from elision.compaction.guard.json_values import Use, is_document
from elision.compaction.guard.secret_words import PLACEHOLDER
from elision.compaction.guard.secrets import find_secrets
from elision.compaction.guard.whole_json import parsed
from elision.compaction.opening import LEVELS, find_documents, opened
from elision.compaction.types import Drop
from elision.compaction.view import View
from elision.model.types import Span

SECRET = "secret"
# A member whose value has no quotes: what stands for it must bring its own.
_BARE = regex.compile(r'"\s*+:\s*+(?P<value>[\w.+\-]++)')
_QUOTED = f'"{PLACEHOLDER}"'
_BEFORE = 100
_ESCAPE = regex.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)", regex.DOTALL)
_LONGEST_ESCAPE = 6
_STRING = regex.compile(r'"(?:[^"\\]|\\.)*+"', regex.DOTALL)


def redacted(view: View) -> View:
    """The view with `PLACEHOLDER` in place of every secret.

    Strings of JSON are read as they are spelled and as what they say, level by level: a quote in a
    password ends it in one reading alone.

    Raises:
        RedactionFailed: If a JSON document would be none any more.
    """
    shown = without_controls(view, CONTROL)
    documents = [shown.back(document) for document in find_documents(shown.text).spans(shown.text)]
    levels = [opened(shown, documents, 1, _any_use, levels=level)[0] for level in range(LEVELS + 1)]
    found = [drop for level in levels for drop in _secrets(level)]
    quotes = list(_quotes(shown, documents)) if found else []
    secrets = _joined(sorted(part for drop in found for part in _between(view.source, drop, quotes)))
    hidden = view.hide(replace(drop, span=view.forth(drop.span)) for drop in secrets)
    if any(_breaks(view, hidden, document) for document in documents):
        raise RedactionFailed("a document with its secrets replaced is not JSON")
    return hidden


def without_secrets(text: str) -> str:
    """The text with `PLACEHOLDER` in place of every secret, and nothing else changed."""
    return redacted(View.of(text)).output()


def _any_use(value: str) -> Use:
    return Use.NESTED if is_document(value) else Use.TEXT


def _secrets(shown: View) -> Iterator[Drop]:
    """Drops of the source."""
    parts = [part for secret in find_secrets(shown.text) for part in _parts(shown, secret)]
    drops = shown.drops_in_source(Drop(part, _replacement(shown.text, part), SECRET) for part in parts)
    return (drop for drop in drops if drop.reason == SECRET)


def _quotes(shown: View, documents: Iterable[Span]) -> Iterator[int]:
    """Where in the source a quote begins or ends a key or a string of a document, in order."""
    for document in map(shown.forth, documents):
        for string in _STRING.finditer(shown.text, document.start, document.stop):
            yield from (shown.back(Span(at, at + 1)).start for at in (string.start(), string.end() - 1))


def _between(source: str, drop: Drop, quotes: Sequence[int]) -> Iterator[Drop]:
    """The drop, or where it goes across keys and strings of a document, what of it each holds."""
    first, last = bisect_left(quotes, drop.span.start), bisect_left(quotes, drop.span.stop)
    starts = [drop.span.start, *(quote + 1 for quote in quotes[first:last])]
    stops = [*quotes[first:last], drop.span.stop]
    for index, (start, stop) in enumerate(zip(starts, stops, strict=True), first):
        if index % 2 and start < stop:  # an odd number of quotes before: in a string
            replacement = PLACEHOLDER if drop.replacement == _QUOTED else drop.replacement
            part = Span(_escape_at(source, start).start, _escape_at(source, stop).stop)
            yield Drop(part, replacement, drop.reason)
        elif first == last:
            yield drop


def _escape_at(source: str, at: int) -> Span:
    """The escape of a JSON string that ``at`` would cut in two; empty where it cuts none."""
    slash = source.rfind("\\", max(0, at - _LONGEST_ESCAPE), at)
    escape = _ESCAPE.match(source, slash) if slash >= 0 and not _escaped(source, slash) else None
    return Span(*escape.span()) if escape and at < escape.end() else Span(at, at)


def _escaped(source: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before."""
    first = at
    while first and source[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _joined(drops: Iterable[Drop]) -> Iterator[Drop]:
    """The drops in order, those that overlap as one."""
    pending: Drop | None = None
    for drop in drops:
        if pending and drop.span.start < pending.span.stop:
            pending = replace(pending, span=Span(pending.span.start, max(pending.span.stop, drop.span.stop)))
            continue
        if pending:
            yield pending
        pending = drop
    if pending:
        yield pending


def _parts(shown: View, secret: Span) -> Iterator[Span]:
    """The secret, or where it goes across several strings of a document, what of it each holds."""
    depths = shown.places[secret.start : secret.stop, 2]
    cuts = [0, *(np.flatnonzero(np.diff(depths)) + 1).tolist(), len(secret)]
    for start, stop in pairwise(cuts):
        part = Span(secret.start + start, secret.start + stop)
        if any(map(str.isalnum, part.of(shown.text))):
            yield part


def _replacement(text: str, secret: Span) -> str:
    before = max(0, secret.start - _BEFORE)
    bare = any(match.start("value") == secret.start for match in _BARE.finditer(text, before, secret.stop))
    return _QUOTED if bare else PLACEHOLDER


def _breaks(before: View, after: View, document: Span) -> bool:
    was, now = (view.forth(document).of(view.text) for view in (before, after))
    return was != now and parsed(was) is not None and parsed(now) is None
