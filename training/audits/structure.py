"""Find structure that a shortening broke: JSON of another shape, hunks that no longer apply, stray rows.

What belongs together is told here by the text alone, not by the guard that should have kept it
together. Each function lists what is broken, as a stretch of text that shows it.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from elision.compaction.types import Drop
from elision.model.types import Span

Kept = NDArray[np.bool_]
"""Which characters of a text were kept, shape ``(len(text),)``, bool."""

_HUNK = regex.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_FILE = regex.compile(r"(?:\.{0,2}/|[A-Za-z]:[\\/])?[\w@+.~\-]+(?:[/\\][\w@+.~\-]+)*(?:/|\.\w{1,6}):?$")
_ROW = regex.compile(r"\s*\d+(?::\d+)?(?:[:|│→\t-]|\s{2,})")
_BETWEEN = regex.compile(r"--$")
_RULE = regex.compile(r"\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")


def reshaped(before: str, after: str) -> str:
    """Where the output of JSON is not JSON or has other keys, types, numbers or lengths; empty if nowhere."""
    try:
        new = json.loads(after)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    try:
        return _reshaped(json.loads(before), new, "")
    except RecursionError:
        return ""  # deeper than can be compared


def broken_hunks(text: str, kept: Kept) -> Iterator[str]:
    """Hunks that were whole and of which a part is left, or that are left under another file's name."""
    rows = [span.of(text) for span in line_spans(text)]
    left = [_left(text, kept, span) for span in line_spans(text)]
    for first, stop, named in hunks(rows):
        there = [left[at] == rows[at] for at in range(first, stop)]
        if not any(part.strip() for part in left[first:stop]):
            continue
        if not all(there):
            yield f"{sum(there)} of {len(there)} lines of {rows[first].strip()}"
        elif named is not None and not all(left[at] == rows[at] for at in (named, named + 1)):
            yield f"{rows[first].strip()} without {rows[named].strip()}"


def hunks(rows: Sequence[str]) -> Iterator[tuple[int, int, int | None]]:
    """First line, end, and the line of ``---`` above it, of each hunk as long as its header says."""
    named, at = None, 0
    while at < len(rows):
        if rows[at].startswith("--- ") and rows[at + 1 : at + 2] and rows[at + 1].startswith("+++ "):
            named = at
        header = _HUNK.match(rows[at])
        stop = _hunk_end(rows, at, header) if header else None
        if stop is not None:
            yield at, stop, named
        at = stop or at + 1


def stray_rows(text: str, kept: Kept) -> Iterator[str]:
    """Rows such as ``12: text`` that are left without the file heading that they stood under."""
    heading: int | None = None
    left_heading: int | None = None
    spans = line_spans(text)
    rows = [span.of(text).rstrip("\r\n") for span in spans]
    for at, row in enumerate(rows):
        if _FILE.match(row) and at + 1 < len(rows) and _ROW.match(rows[at + 1]):
            heading = at
            left_heading = at if kept[spans[at].start : spans[at].stop].all() else left_heading
        elif heading is not None and (_ROW.match(row) or _BETWEEN.match(row)):
            if _ROW.match(row) and _solid(text, kept, spans[at]) and left_heading != heading:
                yield f"{row.strip()[:120]!r} without {rows[heading]!r}"
        else:
            heading = None


def headless_rows(text: str, kept: Kept) -> Iterator[str]:
    """Rows of a Markdown table that are left without its head."""
    spans = line_spans(text)
    rows = [span.of(text) for span in spans]
    head: int | None = None
    for at, row in enumerate(rows):
        if "|" not in row:
            head = None
        elif head is None and at + 1 < len(rows) and "|" in rows[at + 1] and _RULE.match(rows[at + 1]):
            head = at
        elif head is not None and at > head + 1 and _solid(text, kept, spans[at]):
            if not all(kept[spans[i].start : spans[i].stop].all() for i in (head, head + 1)):
                yield f"{row.strip()[:120]!r} without {rows[head].strip()[:120]!r}"


def joined_lines(text: str, dropped: Sequence[Drop]) -> Iterator[str]:
    """Drops over a line end that let what stood on different lines stand on one."""
    for drop in dropped:
        if "\n" not in drop.span.of(text) or "\n" in drop.replacement:
            continue
        before, after = text[: drop.span.start][-1:], text[drop.span.stop :][:1]
        begun = bool(drop.replacement) or before not in ("", "\n")
        if begun and after not in ("", "\n", "\r"):
            yield f"{text[max(0, drop.span.start - 40) : drop.span.start]!r} {drop.replacement!r} {text[drop.span.stop :][:40]!r}"


def line_spans(text: str) -> list[Span]:
    """Lines that end with a line feed, which is what tools count."""
    starts = [0, *(match.end() for match in regex.finditer("\n", text))]
    return [Span(a, b) for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if a < b]


def _hunk_end(rows: Sequence[str], at: int, header: "regex.Match[str]") -> int | None:
    old, new = (int(count) if count is not None else 1 for count in header.groups())
    stop = at + 1
    while (old > 0 or new > 0) and stop < len(rows):
        sign = rows[stop][:1]
        if sign not in (" ", "+", "-", "\\") and rows[stop].strip():
            return None
        old -= sign in ("", " ", "-", "\n", "\r")
        new -= sign in ("", " ", "+", "\n", "\r")
        stop += 1
    return stop if old == new == 0 else None


def _reshaped(one: Any, other: Any, at: str) -> str:
    if type(one) is not type(other):
        return f"{at or 'root'}: {type(one).__name__} became {type(other).__name__}"
    if isinstance(one, dict):
        if list(one) != list(other):
            return f"{at or 'root'}: other keys"
        pairs = [(one[key], other[key], f"{at}/{key}") for key in one]
    elif isinstance(one, list):
        if len(one) != len(other):
            return f"{at or 'root'}: {len(one)} elements became {len(other)}"
        pairs = [(a, b, f"{at}/{index}") for index, (a, b) in enumerate(zip(one, other, strict=True))]
    else:
        same = isinstance(one, str) or repr(one) == repr(other)
        return "" if same else f"{at}: {one!r} became {other!r}"
    return next((found for pair in pairs if (found := _reshaped(*pair))), "")


def _left(text: str, kept: Kept, span: Span) -> str:
    return "".join(text[i] for i in range(span.start, span.stop) if kept[i])


def _solid(text: str, kept: Kept, span: Span) -> bool:
    """Whether anything but white space of a line is left."""
    return any(kept[i] and not text[i].isspace() for i in range(span.start, span.stop))
