"""Find what a terminal would not show, so that nothing later has to read it.

Escape sequences, characters overstruck by a backspace and progress bars redrawn with a
carriage return cost tokens and say nothing. Only spans are returned; the caller cuts.
Newlines and ``\\r\\n`` are never touched. A text without any newline is taken to end its
lines with ``\\r`` (old Mac files), so there ``\\r`` redraws nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

import regex

from elision.model.types import Span

_TROUBLE = regex.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]|\r(?!\n)")
_CONTROL = regex.compile(
    r"""
      \x1b\] [^\x07\x1b\r\n]*+ (?:\x07|\x1b\\)           # OSC: titles, hyperlinks
    | \x1b[PX^_] [^\x1b\r\n]*+ \x1b\\                    # DCS, SOS, PM, APC
    | \x1b\[ [0-?]*+ [\x20-/]*+ [@-~]?                   # CSI: colours, cursor
    | \x1b [\x20-/]++ [0-~]?                             # character sets
    | \x1b [0-~]?
    | [\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]              # \b is read with its neighbours
    """,
    regex.VERBOSE,
)
_OVERSTRIKE_LINE = regex.compile(r"[^\r\n\x08]*+\x08[^\r\n]*+")
_REDRAWN_LINE = regex.compile(r"[^\r\n]*+\r(?!\n)(?:[^\r\n]|\r(?!\n))*+")


def control_spans(text: str) -> list[Span]:
    """List what to take out of ``text`` before anything else reads it.

    Returns:
        Sorted, disjoint, non-adjacent spans; empty for text without control characters.
    """
    if not _TROUBLE.search(text):
        return []
    spans = [Span(*match.span()) for match in _CONTROL.finditer(text)]
    if "\b" in text:
        spans = _merged([*spans, *_overstrikes(text, spans)])
    if "\n" in text:
        spans = _merged([*spans, *_redraws(text, spans)])
    return _merged(spans)


def _overstrikes(text: str, hidden: list[Span]) -> Iterator[Span]:
    """What each backspace wipes out; backspaces that end a line only move the cursor."""
    for line in _OVERSTRIKE_LINE.finditer(text):
        shown: list[int] = []
        last = max(_shown(text, line.start(), line.end(), hidden), default=-1)
        pending = iter(_shown(text, line.start(), line.end(), hidden, keep_backspace=True))
        for at in pending:
            if text[at] != "\b":
                shown.append(at)
                continue
            yield Span(at, at + 1)
            if shown and at < last:
                wiped = shown.pop()
                yield Span(wiped, wiped + 1)


def _shown(text: str, start: int, stop: int, hidden: list[Span], keep_backspace: bool = False) -> Iterator[int]:
    at = start
    for gap in [*_within(hidden, start, stop), Span(stop, stop)]:
        for i in range(at, gap.start):
            if keep_backspace or text[i] != "\b":
                yield i
        at = gap.stop


def _redraws(text: str, hidden: list[Span]) -> Iterator[Span]:
    """Everything of a redrawn line but its last state that shows anything."""
    for line in _REDRAWN_LINE.finditer(text):
        states = _states(text, line.start(), line.end())
        chosen = next((s for s in reversed(states) if _shows(text, s, hidden)), states[-1])
        yield Span(line.start(), chosen.start)
        yield Span(chosen.stop, line.end())


def _states(text: str, start: int, stop: int) -> list[Span]:
    states = []
    while (cut := text.find("\r", start, stop)) >= 0:
        states.append(Span(start, cut))
        start = cut + 1
    return [*states, Span(start, stop)]


def _shows(text: str, state: Span, hidden: list[Span]) -> bool:
    at = state.start
    for gap in [*_within(hidden, state.start, state.stop), Span(state.stop, state.stop)]:
        if not text[at : gap.start].isspace() and at < gap.start:
            return True
        at = gap.stop
    return False


def _within(spans: list[Span], start: int, stop: int) -> list[Span]:
    """The sorted ``spans`` that lie in ``[start, stop)``; no escape crosses a ``\\r``."""
    low = bisect_left(spans, Span(start, start))
    high = bisect_left(spans, Span(stop, stop))
    return spans[low:high]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if not len(span):
            continue
        if merged and span.start <= merged[-1].stop:
            merged[-1] = Span(merged[-1].start, max(merged[-1].stop, span.stop))
        else:
            merged.append(span)
    return merged
