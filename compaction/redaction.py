"""Replace the secrets of a text, in JSON strings too, so that nothing after this reads them."""

from collections.abc import Iterable, Iterator
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
_BEFORE = 100


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
    secrets = _joined(sorted(drop for level in levels for drop in _secrets(level)))
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
    return f'"{PLACEHOLDER}"' if bare else PLACEHOLDER


def _breaks(before: View, after: View, document: Span) -> bool:
    was, now = (view.forth(document).of(view.text) for view in (before, after))
    return was != now and parsed(was) is not None and parsed(now) is None
