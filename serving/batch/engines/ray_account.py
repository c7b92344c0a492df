"""What Ray's workers tell, and what a runner may hear of it and when.

Ray gives it in any order, and what a worker that died has told may come again from another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from elision.serving.batch.errors import WorkerDied
from elision.serving.batch.events import Event, Kept, Read, Unread

GOES_ON = "what is done stays, --resume goes on"


@dataclass(frozen=True, slots=True)
class Ended:
    """A reader is through with a source.

    Attributes:
        source: Which.
        portions: How many it read now.
        reason: Why that is not all of it; empty where it is.
    """

    source: int
    portions: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """What no other portion would survive either.

    Attributes:
        said: For the caller.
        trace: For us, where it is our mistake.
    """

    said: str
    trace: str = ""


Heard = Kept | Ended | Failed


class Account:
    """What was heard so far.

    Args:
        done: The portions of each source that were kept before.
    """

    def __init__(self, done: Mapping[int, frozenset[int]]) -> None:
        self._done = {source: len(numbers) for source, numbers in done.items()}
        self._kept: dict[int, set[int]] = {}
        self._ended: dict[int, Ended] = {}
        self.told: set[int] = set()
        """Sources of which there is nothing more to tell."""

    def events(self, heard: Iterable[Heard]) -> Iterator[Event]:
        """What can be told now: everything once, and of a source's end when all its portions are kept.

        Raises:
            WorkerDied: If a worker cannot go on.
            RuntimeError: If that is our mistake.
        """
        for what in heard:
            if isinstance(what, Failed):
                raise RuntimeError(what.trace) if what.trace else WorkerDied(f"{what.said}; {GOES_ON}")
            if isinstance(what, Ended):
                self._ended[what.source] = what
            elif what.number not in (kept := self._kept.setdefault(what.source, set())):
                kept.add(what.number)
                yield what
            yield from self._end(what.source)

    def _end(self, source: int) -> Iterator[Event]:
        ended = self._ended.get(source)
        if ended is None or source in self.told or len(self._kept.get(source, ())) < ended.portions:
            return
        self.told.add(source)
        if ended.reason:
            yield Unread(source, ended.reason)
        else:
            yield Read(source, ended.portions + self._done.get(source, 0))
