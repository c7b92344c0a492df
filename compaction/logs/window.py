"""Compress one stretch of a log: fold what repeats, and choose among the rest only if that is not enough.

A log is read window by window, and what was seen in one is remembered for the next, so an endless one
takes as much memory as a short one. The same windows give the same output, whoever cut them.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from elision.compaction.compress import NOT_SELECTED
from elision.compaction.cut import rebuild
from elision.compaction.guard.lines import split_lines
from elision.compaction.logs.rarity import line_counts, rare_first
from elision.compaction.logs.records import records
from elision.compaction.method import Method
from elision.compaction.orders import carried_out
from elision.compaction.reduce.envelopes import envelope_drops
from elision.compaction.reduce.fold import Folded, Record, fold
from elision.compaction.reduce.memory import Memory
from elision.compaction.reduce.variables import HOLE
from elision.compaction.types import Compressed, Drop, Order, Passage, TokenCounter
from elision.model.types import FloatArray, IntArray, Scorer, Span, nothing

WINDOW = 1_000_000  # characters
NO_LEVEL = "-"
_TOKEN = 40  # characters: no token of a log is as long on average
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
    floor = order.budget.floor_tokens
    if len(text) < floor * _TOKEN and counter.count(text) < floor:
        order = replace(order, fold_only=True, budget=replace(order.budget, floor_tokens=0))
    done = carried_out(
        text,
        order,
        scorer=scorer,
        counter=counter,
        left_out=left_out,
        method=Method((folding, _without_envelopes), folding.worth, thins=False),
        tick=tick,
    )
    selected = rebuild(text, [Drop(span, "", NOT_SELECTED) for span in left_out])
    folded = folding.of(selected) or fold(selected, Memory() if folding.done else memory)
    return CompressedWindow(done, _counts(folded))


@dataclass
class _Folding:
    """Folds all that repeats, and remembers how."""

    memory: Memory
    done: list[tuple[str, Folded]] = field(default_factory=list, init=False)

    def __call__(self, text: str, fixed: Sequence[Span]) -> Sequence[Drop]:
        self.done.append((text, fold(text, self.memory, fixed=fixed)))
        return self.done[-1][1].drops

    def worth(self, text: str, passages: Sequence[Passage], costs: IntArray, values: FloatArray) -> FloatArray:
        """What is best to keep of what was not folded."""
        counts = line_counts("\n".join(before for before, _ in self.done))
        return rare_first(counts, text, passages, costs, values)

    def of(self, selected: str) -> Folded | None:
        """How all of a text was folded; None where it was not, or only stretches of it were."""
        if len(self.done) != 1:
            return None
        text, folded = self.done[0]
        markers = sum(record.is_marker for record in folded.records)
        return folded if text.count("\n") - markers == selected.count("\n") else None


def _without_envelopes(text: str, fixed: Sequence[Span]) -> Sequence[Drop]:
    """Of structured lines in one envelope the messages."""
    if not text.startswith("{") and "\n{" not in text:
        return []
    lines = split_lines(text)
    starts = [line.start for line in lines]
    stays = {bisect_right(starts, at) - 1 for span in fixed for at in (span.start, span.stop - 1)}
    return envelope_drops(text, [line for at, line in enumerate(lines) if at not in stays])


def _counts(folded: Folded) -> LogCounts:
    by_kind: dict[int, list[Record]] = defaultdict(list)
    for record in folded.records:
        if not record.is_marker:  # what was not selected is no part of the log
            by_kind[id(record.kind)].append(record)
    levels: Counter[str] = Counter()
    templates: dict[str, tuple[int, int]] = {}
    gone = _gone(folded)
    for alike in by_kind.values():
        lines, name = sum(len(record.lines) for record in alike), shown_as(alike[0].kind.template)
        levels[alike[0].kind.level or NO_LEVEL] += lines
        before, stayed = templates.get(name, (0, 0))
        went = sum(gone[record.lines.start] for record in alike) if gone else 0
        templates[name] = (before + lines, stayed + lines - went)
    return LogCounts(levels.total(), dict(levels), templates)


def _gone(folded: Folded) -> Counter[int]:
    """How many lines of each record went; by its first line."""
    gone: Counter[int] = Counter()
    starts = [record.span.start for record in folded.records]
    for one in folded.folds:
        at = bisect_right(starts, one.span.start) - 1
        if one.span.start > starts[at]:  # inside a record
            gone[folded.records[at].lines.start] += len(one.records)
            continue
        for record in folded.records[at : at + len(one.records)]:
            gone[record.lines.start] += len(record.lines)
    return gone


def shown_as(template: str) -> str:
    """A kind of record as a report shows it: stars for variables, no last line end."""
    return template.removesuffix("\n").replace(HOLE, "*")
