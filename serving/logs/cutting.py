"""Cut what comes into windows: when there is enough for one, or when its first line has waited long enough.

With time to spare the windows are those of `compaction.logs.window.windows`, however the text comes.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from elision.compaction.logs.records import LONGEST, records
from elision.compaction.logs.select import Selection
from elision.compaction.logs.window import WINDOW, border
from elision.model.types import Span
from elision.serving.logs.choosing import Choice, Chosen, Everything

_LOOK = 1_000  # characters of a line by which is judged whether it begins a record


@dataclass(frozen=True, slots=True)
class Window:
    """The next stretch of a log.

    Attributes:
        text: Whole lines; a line is cut only where it is longer than a window.
        left_out: Whole lines of it that are not wanted: sorted, not touching.
    """

    text: str
    left_out: tuple[Span, ...] = ()


class Cutter:
    """Holds what came until it is time; times are seconds of any clock.

    A wanted line waits for at most ``latency`` seconds once it is complete. A record that may still go on
    is kept together for as long. An incomplete line waits for its end, and keeps no other from going.

    Args:
        size: Characters of a window at most.
        latency: None if there is time enough.
        selection: What is wanted of the log; by default all.
    """

    def __init__(
        self, size: int = WINDOW, latency: float | None = None, selection: Selection | None = None
    ) -> None:
        self._size, self._latency = size, latency
        self._text = ""
        self._choice: Choice = Chosen(selection, size) if selection and selection.selects else Everything()
        # From which character on the text came when.
        self._starts: list[int] = []
        self._times: list[float] = []

    @property
    def due(self) -> float | None:
        """When something has to go even if nothing more comes."""
        at = self._choice.wanted()
        if self._latency is None or self._text.find("\n", at) < 0:
            return None
        return self._came(at) + self._latency

    def push(self, text: str, now: float) -> Iterator[Window]:
        """The windows that are ready now that ``text`` came; it may be empty."""
        if text:
            self._starts.append(len(self._text))
            self._times.append(now)
            self._text += text
            self._choice.push(text)
        while stop := self._full():
            yield self._take(stop)
        while self.due is not None and self.due <= now and (stop := self._overdue(now)):
            yield self._take(stop)

    def close(self) -> Iterator[Window]:
        """The rest: nothing more comes."""
        self._choice.close()
        while len(self._text) > self._size:
            yield self._take(border(self._text, 0, self._size))
        if self._text:
            yield self._take(len(self._text))

    def _full(self) -> int:
        """Where a window ends that has its size; 0 if none has, or if it cannot be told yet."""
        text, size = self._text, self._size
        if len(text) <= size:
            return 0
        after = text.rfind("\n", 0, size) + 1
        if after and len(text) - after < _LOOK and text.find("\n", after) < 0:
            return 0
        stop = border(text, 0, size)
        return stop if stop <= self._choice.decided else 0

    def _overdue(self, now: float) -> int:
        """Where a window ends whose first line has waited for long enough; 0 if it is not wanted after all."""
        assert self._latency is not None
        self._choice.hurry()
        stop = min(self._choice.decided, self._text.rfind("\n") + 1)
        if stop > self._size:
            return border(self._text, 0, self._size)
        if not stop:
            return 0
        last = _last_record(self._text, stop)
        return last if 0 < last < stop and self._came(last) + self._latency > now else stop

    def _came(self, at: int) -> float:
        return self._times[bisect_right(self._starts, at) - 1]

    def _take(self, stop: int) -> Window:
        window = Window(self._text[:stop], self._choice.take(stop))
        self._text = self._text[stop:]
        first = max(0, bisect_right(self._starts, stop) - 1)
        self._starts = [max(0, start - stop) for start in self._starts[first:]]
        self._times = self._times[first:]
        return window


def _last_record(text: str, stop: int) -> int:
    """Where the last record begins before ``stop``, a line's end; ``stop`` if it is over."""
    start = stop
    for _ in range(LONGEST):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
    lines = text[start:stop].split("\n")[:-1]
    following = text[stop : stop + _LOOK].partition("\n")[0]
    if following.strip():
        lines.append(following)
    while lines and not lines[-1].strip():  # whether the record goes on after them is not known
        lines.pop()
    if not lines:
        return stop
    last = records(lines)[-1]
    return start + sum(len(line) + 1 for line in lines[: last.start])
