"""Take sentences and words out of rows that stay, so that what is left reads as written.

A row keeps its indentation and its line end, and no space is left doubled or leading where words went.
What goes out of minified code is no sentence: without a marker, what is left would read as one statement.
"""

from collections.abc import Iterator, Sequence

import regex

from elision.compaction.guard.blobs import blob_marker
from elision.compaction.types import Drop, Passage
from elision.model.types import Span

_SPACE = regex.compile(r"[^\S\r\n]*+")
_LINE_END = regex.compile(r"[\r\n]*+\Z")


def body(text: str, row: Span, passage: Passage) -> Span:
    """The passage without the indentation and the line end, which stay with the rest of its row."""
    start, stop = passage.span.start, passage.span.stop
    if start == row.start:
        start = _SPACE.match(text, start, stop).end()  # type: ignore[union-attr]  # matches the empty string
    if stop == row.stop:
        stop = max(start, _LINE_END.search(text, start, stop).start())  # type: ignore[union-attr]
    return Span(start, stop)


def tidied(text: str, row: Span, drops: Sequence[Drop]) -> Iterator[Drop]:
    """Neighbouring drops of one row as one, with the spaces that would be left doubled or leading it.

    Where they leave a marker, it counts what all of them took.
    """
    pending: Drop | None = None
    for drop in drops:
        if not len(drop.span):
            continue
        if pending and pending.span.stop == drop.span.start:
            pending = _joined(pending, drop)
            continue
        if pending:
            yield _with_spaces(text, row, pending, drop.span.start)
        pending = drop
    if pending:
        yield _with_spaces(text, row, pending, row.stop)


def _joined(drop: Drop, following: Drop) -> Drop:
    span = Span(drop.span.start, following.span.stop)
    return Drop(span, blob_marker(len(span)) if drop.replacement else "", drop.reason)


def _with_spaces(text: str, row: Span, drop: Drop, limit: int) -> Drop:
    start, stop = drop.span.start, drop.span.stop
    if drop.replacement or (start > row.start and not text[start - 1].isspace()):
        return drop
    end = _SPACE.match(text, stop, limit).end()  # type: ignore[union-attr]
    return Drop(Span(start, end), "", drop.reason)
