"""Compress one stretch of a log: fold what repeats, and choose among the rest only if that is not enough.

A log is read window by window, and what was seen in one is remembered for the next, so an endless one
takes as much memory as a short one. The same windows give the same output, whoever cut them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from elision.compaction.guard.stamps import level
from elision.compaction.logs.records import records
from elision.compaction.orders import carried_out
from elision.compaction.reduce.fold import Folded, fold
from elision.compaction.reduce.memory import Memory
from elision.compaction.reduce.variables import HOLE
from elision.compaction.types import Compressed, Drop, Order, TokenCounter
from elision.model.types import Scorer, Span, nothing

WINDOW = 1_000_000  # characters
NO_LEVEL = "-"
_TAIL = 50_000  # characters before a border in which the beginning of a record is looked for


@dataclass(frozen=True, slots=True)
class LogCounts:
    """What a window holds; all counts are of lines of the log.

    Attributes:
        lines: All but those that were left out from the beginning.
        levels: By the level that their record declares, `NO_LEVEL` where it declares none.
        templates: By kind of record, variables as stars: how many lines there were, and how many of them
            were not folded. The first come to ``lines``.
    """

    lines: int
    levels: dict[str, int]
    templates: dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class CompressedWindow:
    """A window's outcome, and what it held."""

    compressed: Compressed
    counts: LogCounts


def windows(text: str, size: int = WINDOW) -> Iterator[Span]:
    """Cut a log between records, into stretches of at most ``size`` characters where lines allow it."""
    start = 0
    while len(text) - start > size:
        stop = border(text, start, start + size)
        yield Span(start, stop)
        start = stop
    if start < len(text):
        yield Span(start, len(text))


def border(text: str, start: int, limit: int) -> int:
    """Where the last record begins that begins after ``start`` and not after ``limit``.

    Where none does, the end of the last line; of a line longer than that, ``limit``.
    """
    end = text.rfind("\n", start, limit) + 1
    if end <= start:
        return limit
    tail = max(start, text.rfind("\n", start, max(start, end - _TAIL)) + 1)
    lines = text[tail:end].split("\n")[:-1]
    last = records([*lines, text[end : text.find("\n", end) % (len(text) + 1)]])[-1]
    at = end - sum(len(line) + 1 for line in lines[last.start :]) if last.start < len(lines) else end
    return at if at > start else end


def compress_window(
    text: str,
    order: Order,
    *,
    memory: Memory,
    left_out: Sequence[Span] = (),
    scorer: Scorer,
    counter: TokenCounter,
    tick: Callable[[], None] = nothing,
) -> CompressedWindow:
    """Compress the next window of a log.

    What repeats is folded in a window of any size; below the budget's floor nothing else goes.

    Args:
        text: Whole lines; records are not cut.
        order: What is wanted of it.
        memory: What was seen of the log so far; learns of this window.
        left_out: Whole lines that a selection leaves out; each stretch leaves a marker.

    Raises:
        RedactionFailed: If the order is to redact and anything of ours goes wrong.
    """
    folding = _Folding(memory)
    if order.budget.floor_tokens and counter.count(text) < order.budget.floor_tokens:
        order = replace(order, fold_only=True, budget=replace(order.budget, floor_tokens=0))
    done = carried_out(
        text, order, scorer=scorer, counter=counter, left_out=left_out, fold=folding, tick=tick
    )
    folded = folding.folded or fold(_selected(text, left_out), memory)
    return CompressedWindow(done, _counts(folded))


@dataclass
class _Folding:
    """Folds all that repeats, and remembers how."""

    memory: Memory
    folded: Folded | None = field(default=None, init=False)

    def __call__(self, text: str, fixed: Sequence[Span]) -> Sequence[Drop]:
        self.folded = fold(text, self.memory, fixed=fixed)
        return self.folded.drops


def _selected(text: str, left_out: Sequence[Span]) -> str:
    edges = [0, *(edge for span in left_out for edge in (span.start, span.stop)), len(text)]
    return "".join(text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True))


def _counts(folded: Folded) -> LogCounts:
    levels: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for record in folded.records:
        lines[record.said.template] += len(record.lines)
    for one in folded.folds:
        for said in one.records:
            gone[said.template] += max(1, said.template.count("\n"))
    for template, count in lines.items():
        levels[level(template.partition("\n")[0]) or NO_LEVEL] += count
    shown: dict[str, tuple[int, int]] = {}
    for template, count in lines.items():
        before, stayed = shown.get(shown_as(template), (0, 0))
        shown[shown_as(template)] = (before + count, stayed + count - gone[template])
    return LogCounts(sum(lines.values()), dict(levels), shown)


def shown_as(template: str) -> str:
    """A kind of record as a report shows it: stars for variables, no last line end."""
    return template.removesuffix("\n").replace(HOLE, "*")
