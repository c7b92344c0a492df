"""Shorten a portion of a log, window by window; what was seen in one is remembered for the next."""

from collections.abc import Iterator, Sequence

from elision.compaction.errors import RedactionFailed
from elision.compaction.logs.window import NO_LEVEL, windows
from elision.model.types import Span
from elision.serving.batch.forms.work import Work
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import Portion, SetAside
from elision.serving.logs.shortening import LogShortener, lines_of
from elision.serving.logs.templates import OTHER


def shorten_log(portion: Portion, work: Work, tally: Tally) -> tuple[bytes, tuple[SetAside, ...]]:
    """The portion shortened; a window whose secrets could not be replaced is set aside."""
    assert isinstance(portion.data, str)
    log, line = LogShortener(work.order, work.shortener), portion.first
    parts: list[str] = []
    set_aside: list[SetAside] = []
    for window in windows(portion.data):
        text = window.of(portion.data)
        lines = lines_of(text)
        try:
            one = log.shortened(text, tuple(_within(portion.left_out, window)))
        except RedactionFailed as error:
            set_aside.append(SetAside(line, str(error), "", lines))
            tally.kinds({NO_LEVEL: lines}, {OTHER: (lines, 0)})  # they count, and none of them stays
        else:
            parts.append(one.compressed.text)
            tally.text(one.compressed.receipt)
            tally.kinds(one.counts.levels, one.counts.templates)
            tally.left_out += one.left_out
        tally.records, tally.lines, line = tally.records + lines, tally.lines + lines, line + lines
    return "".join(parts).encode("utf-8", "surrogatepass"), tuple(set_aside)


def _within(spans: Sequence[Span], window: Span) -> Iterator[Span]:
    """The parts of some spans in a window, counted from its beginning."""
    for span in spans:
        start, stop = max(span.start, window.start), min(span.stop, window.stop)
        if start < stop:
            yield Span(start - window.start, stop - window.start)
