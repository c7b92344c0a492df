"""Shorten the windows of one log, one after the other, with one memory.

What is not wanted at the edges of windows is counted until something wanted comes: hours of it leave one
marker. What goes wrong on our side costs the saving of a window, never its text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from elision.compaction.compress import NOT_SELECTED
from elision.compaction.guard.markers import marker
from elision.compaction.logs.window import NO_LEVEL, LogCounts, compress_window
from elision.compaction.reduce.memory import Memory
from elision.compaction.types import Compressed, Drop, Order, Receipt
from elision.model.types import Span
from elision.serving.fail_open import INTERNAL_ERROR, RAISED, Shortener
from elision.serving.logs.cutting import Window
from elision.serving.logs.templates import OTHER

_NOTHING = LogCounts(0, {}, {})


@dataclass(frozen=True, slots=True)
class Shortened:
    """What became of a stretch of a log.

    Attributes:
        compressed: The text and its receipt, whose offsets are of the stretch.
        characters: Length of the stretch.
        lines: Lines of the stretch, those that are not wanted included.
        left_out: Lines that are not wanted.
        counts: The others; they add up to ``lines - left_out``.
    """

    compressed: Compressed
    characters: int
    lines: int
    left_out: int
    counts: LogCounts


def lines_of(text: str) -> int:
    """Lines of a text; what follows its last line end is one as well."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


class LogShortener:
    """Shortens one log; the same windows give the same bytes."""

    def __init__(self, order: Order, shortener: Shortener) -> None:
        self._order, self._shortener = order, shortener
        self._memory = Memory()
        self._unwanted: _Unwanted | None = None

    def shorten(self, window: Window) -> Iterator[Shortened]:
        """What there is to show once a window came: nothing if none of it is wanted.

        Raises:
            RedactionFailed: If secrets are to be replaced, and anything of ours goes wrong.
        """
        text, spans = window.text, window.left_out
        first = spans[0].stop if spans and not spans[0].start else 0
        last = spans[-1].start if spans and spans[-1].stop == len(text) else len(text)
        self._leave_out(text[:first])
        if first < last:
            yield from self.close()
            inner = tuple(span.moved(-first) for span in spans if first < span.start < last)
            yield self.shortened(text[first:last], inner)
            self._leave_out(text[last:])

    def close(self) -> Iterator[Shortened]:
        """The marker of the lines that are not wanted so far, if there are any."""
        if self._unwanted:
            yield self._unwanted.shown(self._order, self._shortener)
        self._unwanted = None

    def shortened(self, text: str, left_out: tuple[Span, ...] = ()) -> Shortened:
        """The next stretch of the log, shortened as it is."""
        shortener, lines = self._shortener, lines_of(text)
        gone = sum(lines_of(span.of(text)) for span in left_out)
        try:
            done = compress_window(
                text,
                self._order,
                memory=self._memory,
                left_out=left_out,
                scorer=shortener.scorer,
                counter=shortener.counter,
            )
        except (*RAISED, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in a Rust library is no Exception
            shortener.failed(error)
            whole = shortener.untouched(text, self._order, INTERNAL_ERROR, left_out)
            return Shortened(whole, len(text), lines, gone, _untold(_NOTHING, lines - gone))
        return Shortened(done.compressed, len(text), lines, gone, _untold(done.counts, lines - gone))

    def _leave_out(self, text: str) -> None:
        if text:
            self._unwanted = self._unwanted or _Unwanted()
            self._unwanted.add(text, self._shortener)


class _Unwanted:
    """Lines that are not wanted and follow each other."""

    def __init__(self) -> None:
        self._characters = self._lines = self._tokens = 0
        self._end = ""

    def add(self, text: str, shortener: Shortener) -> None:
        goes_on = self._characters and not self._end
        self._characters += len(text)
        self._lines += lines_of(text) - bool(goes_on)
        self._tokens += shortener.counter.count(text)
        self._end = "\n" if text.endswith("\n") else ""

    def shown(self, order: Order, shortener: Shortener) -> Shortened:
        left = marker(self._lines) + self._end
        tokens = shortener.counter.count(left)
        receipt = Receipt(
            tokens_before=self._tokens,
            tokens_after=tokens,
            target_tokens=tokens,
            target_met=True,
            changed=True,
            reason="",
            dropped=(Drop(Span(0, self._characters), left, NOT_SELECTED),),
            pinned=(),
            bundle=shortener.scorer.bundle,
            runner=shortener.scorer.runner,
            encoding=shortener.counter.encoding,
            exact=shortener.counter.exact,
        )
        return Shortened(Compressed(left, receipt), self._characters, self._lines, self._lines, _NOTHING)


def _untold(counts: LogCounts, lines: int) -> LogCounts:
    """The counts with lines that nothing is told about."""
    more = lines - counts.lines
    if not more:
        return counts
    levels = counts.levels | {NO_LEVEL: counts.levels.get(NO_LEVEL, 0) + more}
    before, stay = counts.templates.get(OTHER, (0, 0))
    return LogCounts(lines, levels, counts.templates | {OTHER: (before + more, stay + more)})
