"""The logs that were read lately, decoded and played, so that what is appended to one costs only itself.

A log only grows. What was read of it stays true as long as it is the same log, which its row and the time it
began tell.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from elision.compaction.sessions.timeline import Timeline
from elision.compaction.sessions.types import Event

MOST_BYTES = 64 * 1024 * 1024  # of decoded text


@dataclass(frozen=True, slots=True)
class ReadLog:
    """What was read of a log from its beginning.

    Attributes:
        row: Where it stands.
        began: When it began.
        events: Its first events.
        size: Bytes of these, decoded.
        timeline: Some of the events played; looked at only.
    """

    row: int
    began: float
    events: tuple[Event, ...] = ()
    size: int = 0
    timeline: Timeline | None = None

    def then(self, events: Sequence[Event], size: int) -> "ReadLog":
        """With the events that follow."""
        if not events:
            return self
        return replace(self, events=(*self.events, *events), size=self.size + size)

    def played(self) -> "ReadLog":
        """With a timeline of all events.

        Raises:
            BadEvent, StaleLog, CompactionRunning: If no log can read like that.
        """
        timeline = self.timeline or Timeline()
        if self.timeline and timeline.seq == len(self.events):
            return self
        timeline = timeline.copy()
        for event in self.events[timeline.seq :]:
            timeline.add(event)
        return replace(self, timeline=timeline)


class RecentLogs:
    """The logs read last, up to a number of bytes, and the very last however large; for one thread at a time."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._bytes = most_bytes, 0
        self._logs: OrderedDict[int, ReadLog] = OrderedDict()

    def get(self, row: int, began: float) -> ReadLog:
        """What was read of a log; nothing, if it is not the one that was."""
        found = self._logs.get(row)
        if found is None or found.began != began:
            return ReadLog(row, began)
        self._logs.move_to_end(row)
        return found

    def put(self, log: ReadLog) -> None:
        """Keep what was read, and let go of what was not asked for longest."""
        self._drop(log.row)
        self._logs[log.row] = log
        self._bytes += log.size
        # One that is over the limit by itself would else be decoded anew for everything that is asked of it.
        while self._bytes > self._most and len(self._logs) > 1:
            self._drop(next(iter(self._logs)))

    def clear(self) -> None:
        """Keep nothing."""
        self._logs.clear()
        self._bytes = 0

    def _drop(self, row: int) -> None:
        found = self._logs.pop(row, None)
        self._bytes -= found.size if found else 0
