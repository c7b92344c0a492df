"""Give an original back: whole, some of its lines, or those that a pattern finds.

The same for the command line and over HTTP. Lines are the text's own and keep their ends.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import regex

from elision.compaction.guard.lines import split_lines
from elision.compaction.store import HANDLE_LENGTH, Store
from elision.compaction.types import TokenCounter
from elision.serving.errors import BadSelection, UnknownHandle

HANDLE = rf"^[0-9a-f]{{{HANDLE_LENGTH}}}$"
LINES = r"^[1-9][0-9]{0,11}(-[1-9][0-9]{0,11})?$"
_PATTERN_SECONDS = 1.0  # a pattern may backtrack without end
_LONGEST_PATTERN = 1000

Select = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Expanded:
    """What was asked for of an original, and how long the whole is."""

    handle: str
    text: str
    lines_total: int
    tokens: int


def expand(store: Store, handle: str, lines: str | None, grep: str | None, counter: TokenCounter) -> Expanded:
    """Read an original and select from it, see `selector`; ``tokens`` are those of the text returned.

    Raises:
        BadSelection: If the handle is not one, or nothing can be selected so.
        UnknownHandle: If there is no such original, or no longer.
        StoreUnavailable: If the store cannot be read.
    """
    original = read_original(store, handle)
    text = selector(lines, grep)(original)
    return Expanded(handle, text, len(split_lines(original)), counter.count(text))


def read_original(store: Store, handle: str) -> str:
    """The text behind a handle, exactly as it was; raises as `expand` does."""
    if not re.fullmatch(HANDLE, handle):
        raise BadSelection(f"{handle!r} is not a handle: those have {HANDLE_LENGTH} digits, 0-9 and a-f")
    original = store.original(handle)
    if original is None:
        raise UnknownHandle(f"no original under {handle}: never stored here, or expired")
    return original


def selector(lines: str | None = None, grep: str | None = None) -> Select:
    """What selects from a text: a range of lines, the lines that match, or all of it.

    Args:
        lines: ``A-B`` or ``A``, from 1, both included; what lies behind the last line is not missed.
        grep: A regular expression; each line it matches comes with its number, as from ``grep -n``.

    Raises:
        BadSelection: If both are given, or the one given makes no sense. What is returned raises it
            if the range begins behind the last line, or the pattern takes too long.
    """
    if lines is not None and grep is not None:
        raise BadSelection("lines and grep exclude each other, give one")
    if lines is not None:
        return partial(_range, *_numbers(lines))
    return _whole if grep is None else partial(_matching, _compiled(grep))


def _whole(text: str) -> str:
    return text


def _range(first: int, last: int, text: str) -> str:
    spans = split_lines(text)
    if first > len(spans):
        raise BadSelection(f"lines {first}-{last}: the text has {len(spans)} lines")
    return text[spans[first - 1].start : spans[min(last, len(spans)) - 1].stop]


def _matching(pattern: "regex.Pattern[str]", text: str) -> str:
    try:
        return "".join(_numbered(pattern, text))
    except TimeoutError:
        raise BadSelection(f"pattern {pattern.pattern!r} took more than {_PATTERN_SECONDS:.0f} s") from None


def _numbered(pattern: "regex.Pattern[str]", text: str) -> Iterator[str]:
    end = time.monotonic() + _PATTERN_SECONDS
    for number, span in enumerate(split_lines(text), 1):
        line = span.of(text)
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        # Concurrent: other threads, such as the event loop, go on meanwhile.
        if pattern.search(line.rstrip("\r\n"), timeout=left, concurrent=True):
            yield f"{number}:{line}"


def _numbers(lines: str) -> tuple[int, int]:
    if not re.fullmatch(LINES, lines):
        raise BadSelection(f"lines {lines!r}: give a range such as 10-20, from 1")
    first, _, last = lines.partition("-")
    if last and int(last) < int(first):
        raise BadSelection(f"lines {lines!r}: the range ends before it begins")
    return int(first), int(last or first)


def _compiled(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > _LONGEST_PATTERN:
        raise BadSelection(f"the pattern has {len(pattern)} characters, at most {_LONGEST_PATTERN} are taken")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise BadSelection(f"pattern {pattern[:80]!r} is not a regular expression: {error}") from None
