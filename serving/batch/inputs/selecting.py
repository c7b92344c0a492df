"""Take the records that a selection leaves out of the portions of a log, across all borders between them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from elision.compaction.logs.select import Selection, Selector
from elision.model.types import Span
from elision.serving.batch.types import Portion


def selected(portions: Iterator[Portion], selection: Selection) -> Iterator[Portion]:
    """The portions, each once it is decided what of it stays: a few later if context is asked for.

    Raises:
        BadAround: If the pattern takes too long.
    """
    selector, waiting = Selector(selection), deque[_Waiting]()
    for portion in portions:
        assert isinstance(portion.data, str)
        waiting.append(_Waiting(portion))
        lines = portion.data.split("\n")
        _decide(waiting, selector.push([*(line + "\n" for line in lines[:-1]), *filter(None, lines[-1:])]))
        while waiting and waiting[0].decided:
            yield waiting.popleft().portion
    _decide(waiting, selector.close())
    for one in waiting:
        yield one.portion


class _Waiting:
    """A portion whose lines are decided one by one."""

    def __init__(self, portion: Portion) -> None:
        self._portion, self._at = portion, 0
        self._left_out: list[Span] = []

    @property
    def portion(self) -> Portion:
        return replace(self._portion, left_out=tuple(self._left_out))

    @property
    def decided(self) -> bool:
        return self._at >= len(self._portion.data)

    def decide(self, line: str, stays: bool) -> None:
        start, self._at = self._at, self._at + len(line)
        if not stays and self._left_out and self._left_out[-1].stop == start:
            start = self._left_out.pop().start
        if not stays:
            self._left_out.append(Span(start, self._at))


def _decide(waiting: deque[_Waiting], lines: list[tuple[str, bool]]) -> None:
    undecided = iter([one for one in waiting if not one.decided])
    here = next(undecided, None)
    for line, stays in lines:
        assert here is not None, "a line that is in no portion"
        here.decide(line, stays)
        if here.decided:
            here = next(undecided, None)
