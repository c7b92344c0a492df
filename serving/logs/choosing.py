"""Tell of text that waits in a buffer which of it is wanted, as far as that is decided.

Offsets are of the buffer: what was taken from its beginning is forgotten.
"""

from copy import deepcopy
from typing import Protocol

from elision.compaction.logs.select import Selection, Selector
from elision.model.types import Span


class Choice(Protocol):
    """Decides about the text of a buffer, from its beginning on.

    Attributes:
        decided: So many characters are decided.
    """

    decided: int

    def push(self, text: str) -> None:
        """The buffer has more text."""

    def hurry(self) -> None:
        """What is wanted by all that is known so far does not wait any longer."""

    def close(self) -> None:
        """There is no more text: decide the rest."""

    def wanted(self) -> int:
        """Where the first text stands that is wanted, or may be and was not asked for by `hurry`."""

    def take(self, stop: int) -> tuple[Span, ...]:
        """Forget the text before ``stop``; returns the whole lines of it that are not wanted."""


class Everything:
    """All of it is wanted."""

    def __init__(self) -> None:
        self.decided = 0

    def push(self, text: str) -> None:
        self.decided += len(text)

    def hurry(self) -> None:
        return None

    def close(self) -> None:
        return None

    def wanted(self) -> int:
        return 0

    def take(self, stop: int) -> tuple[Span, ...]:
        self.decided -= stop
        return ()


class Chosen:
    """What a selection wants.

    A record is decided once the next one begins. One that is wanted as it stands can be had before; what
    is not wanted as it stands may still be near a match, and waits for it.

    Args:
        selection: What is wanted.
        longest: A line of more characters is taken apart.
    """

    def __init__(self, selection: Selection, longest: int) -> None:
        self.decided = 0
        self._selector, self._longest = Selector(selection), longest
        self._line = ""
        self._pushed = 0  # characters that the selector knows
        self._hurried = 0
        self._told = 0  # lines that were decided before the selector said so
        self._left_out: list[Span] = []

    def push(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        self._push([line + "\n" for line in lines])
        while len(self._line) > self._longest:
            part, self._line = self._line[: self._longest], self._line[self._longest :]
            self._push([part])

    def hurry(self) -> None:
        self._hurried = self._pushed
        # As if the text had ended: what stays then stays whatever comes.
        now = deepcopy(self._selector).close()[self._told :]
        last = max((at for at, (_, stays) in enumerate(now) if stays), default=-1)
        for line, stays in now[: last + 1]:
            self._decide(line, stays)
        self._told += last + 1

    def close(self) -> None:
        self._push([self._line] if self._line else [])
        self._line = ""
        self._learn(self._selector.close())

    def wanted(self) -> int:
        first = self._left_out[0] if self._left_out else Span(0, 0)
        at = 0 if first.start else first.stop
        return at if at < self.decided else max(self.decided, self._hurried)

    def take(self, stop: int) -> tuple[Span, ...]:
        taken = tuple(Span(one.start, min(one.stop, stop)) for one in self._left_out if one.start < stop)
        self._left_out = [
            Span(max(one.start, stop) - stop, one.stop - stop) for one in self._left_out if one.stop > stop
        ]
        self.decided, self._pushed = self.decided - stop, self._pushed - stop
        self._hurried = max(0, self._hurried - stop)
        return taken

    def _push(self, lines: list[str]) -> None:
        self._pushed += sum(map(len, lines))
        self._learn(self._selector.push(lines))

    def _learn(self, decided: list[tuple[str, bool]]) -> None:
        told = min(self._told, len(decided))
        self._told -= told
        for line, stays in decided[told:]:
            self._decide(line, stays)

    def _decide(self, line: str, stays: bool) -> None:
        start, self.decided = self.decided, self.decided + len(line)
        if not stays and line:
            start = self._left_out.pop().start if self._left_out and self._left_out[-1].stop == start else start
            self._left_out.append(Span(start, self.decided))
