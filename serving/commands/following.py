"""``elision compress --stream``: what comes on a pipe is shortened as it comes, and written at once.

Ends with its input (0), when nobody reads on (0), and on SIGINT and SIGTERM (130, 143) after what was
read is written.
"""

import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elision.serving.errors import BadInput
from elision.serving.fail_open import Shortener
from elision.serving.logs.cutting import Cutter
from elision.serving.logs.reading import Reader, is_file, listening, opened
from elision.serving.logs.shortening import LogShortener, Shortened
from elision.serving.logs.stream import stream
from elision.serving.logs.totals import Totals, log_json
from elision.serving.receipts import dumps, receipt_json
from elision.serving.streams import STANDARD, mute_stdout, say

if TYPE_CHECKING:
    from elision.compaction.logs.select import Selection
    from elision.compaction.types import Order, TokenCounter
    from elision.model.types import Scorer


@dataclass(frozen=True, slots=True)
class StreamAsked:
    """What to follow, and how.

    Attributes:
        file: Its name, or `STANDARD`.
        selection: What is wanted of it; None: everything.
        window: Characters that are shortened together at most.
        latency: Seconds that a line waits for others at most; a file's do not wait.
        counts: Whether to tell at the end what it held.
        as_json: Whether to write an object for each window.
    """

    file: str
    selection: "Selection | None"
    window: int
    latency: float
    counts: bool
    as_json: bool


def follow(asked: StreamAsked, order: "Order", scorer: "Scorer", counter: "TokenCounter") -> int:
    """Shorten a log as it comes; returns the exit code.

    Raises:
        BadInput: If it cannot be read, or is binary.
        BundleError: If there is no such bundle.
        RedactionFailed: If secrets are to be replaced, and anything of ours goes wrong.
    """
    _ = scorer.bundle  # one that is missing is told of before anything is read
    try:
        return _follow(asked, LogShortener(order, Shortener(scorer, counter, failed=_warn)))
    except BrokenPipeError:  # typer would end with 1 where it was a write that failed
        mute_stdout()
        return 0


def _follow(asked: StreamAsked, log: LogShortener) -> int:
    writer = _Writer(asked.as_json)
    with ExitStack() as stack:
        stack.callback(writer.hide)
        stop = stack.enter_context(listening())
        standard = asked.file == STANDARD
        file = _stdin() if standard else stack.enter_context(opened(asked.file))
        reader = Reader(file, stop, _stdout(), "the input" if standard else asked.file)
        cutter = Cutter(asked.window, None if is_file(file) else asked.latency, asked.selection)
        for one in stream(reader, cutter, log):
            writer.write(one, reader.decoding.replaced_bytes)
        writer.close(asked.counts, reader.decoding.replaced_bytes, reader.decoding.encoding)
    return stop.exit_code


class _Writer:
    """Writes what was shortened, and tells whoever watches how far it is."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._totals = Totals()
        self._characters = self._replaced = 0
        self._watched, self._shown = sys.stderr.isatty(), False
        self._began = time.monotonic()

    def write(self, one: Shortened, replaced: int) -> None:
        self._totals.add(one)
        text = one.compressed.text
        data = self._json(one, replaced) if self._as_json else text.encode("utf-8", "surrogatepass")
        self.hide()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        if data.endswith(b"\n"):  # else it would be written over, where both are one terminal
            self._show()

    def close(self, counts: bool, replaced: int, encoding: str) -> None:
        self.hide()
        if counts and self._as_json:
            sys.stdout.buffer.write(dumps({"counts": self._totals.json()}) + b"\n")
            sys.stdout.buffer.flush()
        elif counts:
            print(self._totals.table(), file=sys.stderr, flush=True)
        if replaced:
            say(f"{replaced} bytes are not valid {encoding}, U+FFFD stands for them", "warning")
        if self._watched:
            say(self._progress)

    def _json(self, one: Shortened, replaced: int) -> bytes:
        more: dict[str, Any] = {"window": self._totals.windows, "start": self._characters, **log_json(one)}
        if replaced > self._replaced:
            more["replaced_bytes"] = replaced - self._replaced
        self._characters, self._replaced = self._characters + one.characters, replaced
        return dumps(receipt_json(one.compressed) | more) + b"\n"

    @property
    def _progress(self) -> str:
        totals = self._totals
        share = f" ({totals.tokens_after / totals.tokens_before:.1%})" if totals.tokens_before else ""
        rate = totals.lines / max(time.monotonic() - self._began, 1e-3)
        return (
            f"{totals.lines:,} lines, {totals.tokens_before:,} -> {totals.tokens_after:,} tokens{share}, "
            f"{rate:,.0f} lines/s"
        )

    def _show(self) -> None:
        if self._watched:
            print(f"\relision: {self._progress}\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = True

    def hide(self) -> None:
        """Take the progress off the terminal."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = False


def _stdin() -> int:
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        raise BadInput("stdin is closed") from None


def _stdout() -> int | None:
    """The descriptor that is written to, if it is one."""
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return None


def _warn(error: BaseException) -> None:
    say(f"internal error, a part goes through unchanged: {type(error).__name__}: {error}", "warning")
