"""Shorten a portion of a log, window by window; what was seen in one is remembered for the next."""

from collections.abc import Iterator, Sequence

from elision.compaction.errors import RedactionFailed
from elision.compaction.logs.window import NO_LEVEL, LogCounts, compress_window, windows
from elision.compaction.reduce.memory import Memory
from elision.compaction.types import Compressed
from elision.model.types import Span
from elision.serving.batch.tally import Tally
from elision.serving.batch.types import OTHER, Portion, SetAside
from elision.serving.batch.work import Work
from elision.serving.fail_open import INTERNAL_ERROR, RAISED


def shorten_log(portion: Portion, work: Work, tally: Tally) -> tuple[bytes, tuple[SetAside, ...]]:
    """The portion shortened; a window whose secrets could not be replaced is set aside."""
    assert isinstance(portion.data, str)
    memory, line = Memory(), portion.first
    parts: list[str] = []
    set_aside: list[SetAside] = []
    for window in windows(portion.data):
        text = window.of(portion.data)
        left_out = list(_within(portion.left_out, window))
        lines, gone = lines_of(text), sum(lines_of(span.of(text)) for span in left_out)
        counts = LogCounts(0, {}, {})
        try:
            done, counts = _shortened(text, left_out, memory, work)
        except RedactionFailed as error:
            set_aside.append(SetAside(line, str(error), "", lines))
        else:
            tally.text(done.receipt)
            parts.append(done.text)
        tally.records, tally.lines, line = tally.records + lines, tally.lines + lines, line + lines
        tally.left_out += gone
        tally.kinds(counts.levels, counts.templates)
        if untold := lines - gone - counts.lines:  # they count all the same
            tally.kinds({NO_LEVEL: untold}, {OTHER: (untold, untold)})
    return "".join(parts).encode("utf-8", "surrogatepass"), tuple(set_aside)


def lines_of(text: str) -> int:
    """Lines of a text; what follows its last line end is one as well."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _shortened(text: str, left_out: Sequence[Span], memory: Memory, work: Work) -> tuple[Compressed, LogCounts]:
    shortener = work.shortener
    try:
        done = compress_window(
            text,
            work.order,
            memory=memory,
            left_out=left_out,
            scorer=shortener.scorer,
            counter=shortener.counter,
        )
    except (*RAISED, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic in a Rust library is no Exception
        shortener.failed(error)
        return shortener.untouched(text, work.order, INTERNAL_ERROR), LogCounts(0, {}, {})
    return done.compressed, done.counts


def _within(spans: Sequence[Span], window: Span) -> Iterator[Span]:
    """The parts of some spans in a window, counted from its beginning."""
    for span in spans:
        start, stop = max(span.start, window.start), min(span.stop, window.stop)
        if start < stop:
            yield Span(start - window.start, stop - window.start)
