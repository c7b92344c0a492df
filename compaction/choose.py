"""Choose the passages of a text that stay.

Best mean value first, less what is already said, each paid in reader tokens, until the budget is
spent. What goes is not free either: a run of lines left out leaves a marker, so taking one line out of
the middle of a run costs a second marker, and closing a small gap pays for itself. A run that is
cheaper than its marker stays. Where the last room is not enough for a whole passage, one may stay in
part. No passage stands without its head: whoever goes in brings what it lacks, and pays for it.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from elision.compaction.coverage import PassageWords, Said
from elision.compaction.ledger import Ledger, Mask, runs
from elision.compaction.types import Kind, Passage
from elision.model.types import FloatArray, IntArray

__all__ = ["Choice", "Mask", "choose", "thin"]

# What a passage loses when all its words already stay. Measured by scripts/next_action.py against
# `elision evaluate --end-to-end`: more keeps more of what agents use next, and fewer essential lines.
REPETITION = 0.8
LEAST = 0.5  # of a passage's tokens: with less of it left, a line is fragments and goes whole
# A part of one passage must beat the whole passages that would fill the same room by this factor.
BETTER = 1.1
_LOOKED_AT = 12  # passages that did not fit whole, looked at again for a part


@dataclass(frozen=True, slots=True)
class Choice:
    """What stays.

    Attributes:
        kept: Passages that stay, shape ``(n_passages,)``, bool.
        partly: The one passage that stays in part, where the last room was not enough for all of it.
        room: Tokens that part may cost.
    """

    kept: Mask
    partly: int | None
    room: int


def choose(
    passages: Sequence[Passage],
    values: FloatArray,
    costs: IntArray,
    forced: Mask,
    target: int,
    marker: int,
    words: PassageWords,
) -> Iterator[Choice]:
    """Choose the passages that stay within ``target`` tokens.

    Forced passages always stay and are paid for first, with what they cannot stand without, so many
    of them can exceed the target.

    Args:
        passages: In text order; they partition the text.
        values: Mean keep value of each, shape ``(n_passages,)``.
        costs: Reader tokens of each, shape ``(n_passages,)``.
        forced: Passages that must stay, shape ``(n_passages,)``, bool.
        target: Reader tokens allowed, markers included.
        marker: Reader tokens of a marker.
        words: The passages' words.

    Yields:
        The best choice, and then the next best ones, for when the part of a passage turns out not to be
        worth it; the last one has no passage in part.
    """
    draft = _Draft(passages, costs, marker, words)
    draft.force(forced)
    missed: dict[int, Choice | None] = {}
    for index in draft.best_first(values):
        price = draft.price(index)
        over = draft.tokens + price - target
        if over <= 0:
            draft.take(index, price)
        elif len(missed) < _LOOKED_AT and passages[index].divisible:
            missed[index] = draft.partly(index, over, target)
    while choice := _in_part(draft, missed, values, target):
        yield draft.closed(choice)
        missed = {index: instead for index, instead in missed.items() if index != choice.partly}
    yield draft.closed(Choice(draft.kept, None, 0))


def _in_part(
    draft: "_Draft", missed: Mapping[int, Choice | None], values: FloatArray, target: int
) -> Choice | None:
    """The best choice with a part of one of ``missed``: the first instead of what came after it, or any beside it."""
    instead = next(iter(missed.values()), None)
    if instead and draft.is_outdone(instead, values):
        return instead
    filled = (draft.partly(index, draft.tokens + draft.price(index) - target, target) for index in missed)
    return next(filter(None, filled), None)


def thin(values: FloatArray, costs: IntArray, fixed: Mask, room: int) -> Mask | None:
    """Choose the units of one passage that fit into ``room`` tokens, best value first.

    Args:
        values: Keep value of each unit, shape ``(n_units,)``.
        costs: Reader tokens of each, shape ``(n_units,)``.
        fixed: Units that stay whatever they cost, shape ``(n_units,)``, bool.
        room: Tokens allowed.

    Returns:
        Mask of shape ``(n_units,)``, or None where nothing fits beside what is fixed.
    """
    kept = fixed.copy()
    spent = int(costs[kept].sum())
    for index in np.argsort(-values, kind="stable"):
        if not kept[index] and spent + int(costs[index]) <= room:
            kept[index] = True
            spent += int(costs[index])
    return kept if spent <= room and (kept & ~fixed).any() else None


class _Draft:
    """What stays so far and what it comes to; no passage in it lacks its head."""

    def __init__(self, passages: Sequence[Passage], costs: IntArray, marker: int, words: PassageWords) -> None:
        self.costs: list[int] = costs.tolist()
        self.said = Said(words)
        self.heads = [passage.head for passage in passages]
        self.hunks = _hunks(passages)
        self.row_of = np.fromiter((passage.row for passage in passages), dtype=np.int64, count=len(passages))
        self.rows: list[int] = self.row_of.tolist()
        self.ledger = Ledger(np.bincount(self.row_of, weights=costs).astype(np.int64), marker)
        self.kept = np.zeros(len(passages), dtype=bool)
        self.tokens = self.ledger.markers()

    def force(self, forced: Mask) -> None:
        """Take what is forced, whatever it costs; of a file header's hunks the cheapest, if none is."""
        for index in np.flatnonzero(forced):
            self._add(int(index))
        headers = [header for header in self.hunks if self.kept[header]]
        while headers:
            hunks = self.hunks[headers.pop()]
            if not self.kept[hunks].any():
                hunk = min(hunks, key=self.costs.__getitem__)
                self._add(hunk)
                headers += [hunk] if hunk in self.hunks else []
        self.tokens = sum(compress(self.costs, self.kept)) + self.ledger.markers()

    def price(self, index: int) -> int:
        """By how many tokens the draft grows with passage ``index`` and the heads it lacks."""
        head = self.heads[index]
        if head < 0 or self.kept[head]:
            return self.costs[index] + self.ledger.change_of(self.rows[index])
        brought = self._brought(index)
        change = self.ledger.change([self.rows[passage] for passage in brought])
        return sum(self.costs[passage] for passage in brought) + change

    def take(self, index: int, price: int) -> None:
        """Passage ``index`` and the heads it lacks stay, and are paid."""
        self.tokens += price
        self._add(index)

    def best_first(self, values: FloatArray) -> Iterator[int]:
        """Passages not in the draft by value, less what is said by then.

        A passage's worth can only fall, so it is looked at again when its turn comes. A file header
        has no turn of its own: it comes with its hunks.
        """
        worths: list[float] = values.tolist()
        by_value = np.argsort(-values, kind="stable").tolist()
        waiting = [i for i in reversed(by_value) if not self.kept[i] and i not in self.hunks]
        again: list[tuple[float, int]] = []  # a heap of those that turned out to be worth less
        while waiting or again:
            if again and (not waiting or again[0] < (-worths[waiting[-1]], waiting[-1])):
                _, index = heapq.heappop(again)
            else:
                index = waiting.pop()
            worth = worths[index] * (1 - REPETITION * self.said.share(index))
            if (waiting and worth < worths[waiting[-1]]) or (again and worth < -again[0][0]):
                heapq.heappush(again, (-worth, index))
            elif not self.kept[index]:
                yield index

    def partly(self, index: int, over: int, target: int) -> Choice | None:
        """The draft with a part of passage ``index``, all of which is ``over`` too long.

        None where the part would be fragments, or where all of it stays already.
        """
        room = self.costs[index] - over
        # A passage that is more than the whole text may keep can only stay in part.
        fragments = room < LEAST * self.costs[index] and not (self.costs[index] > target and room > 0)
        if fragments or self.kept[index]:
            return None
        kept = self.kept.copy()
        kept[self._brought(index)] = True
        return Choice(kept, index, room)

    def is_outdone(self, choice: Choice, values: FloatArray) -> bool:
        """Whether the part that ``choice`` has is worth more than the passages that filled its room since."""
        others = float((values * self.costs)[self.kept & ~choice.kept].sum())
        return choice.partly is not None and bool(values[choice.partly] * choice.room > BETTER * others)

    def closed(self, choice: Choice) -> Choice:
        """``choice`` with the runs that are cheaper than their marker and can stand where they are."""
        kept = choice.kept.copy()
        gone = np.ones(len(self.ledger.gone), dtype=bool)
        gone[self.row_of[kept]] = False
        for first, last in runs(gone):
            if self.ledger.cost(first, last) <= self.ledger.marker:
                run = np.arange(np.searchsorted(self.row_of, first), np.searchsorted(self.row_of, last, side="right"))
                kept[run] = True
                kept[run] = self._stand(run, kept)
        return Choice(kept, choice.partly, choice.room)

    def _brought(self, index: int) -> list[int]:
        """Passage ``index`` and the heads it lacks."""
        brought: list[int] = []
        # Rows of several lines may head each other.
        while index >= 0 and not self.kept[index] and index not in brought:
            brought.append(index)
            index = self.heads[index]
        return brought

    def _add(self, index: int) -> None:
        for passage in self._brought(index):
            self.kept[passage] = True
            self.ledger.gone[self.rows[passage]] = False
            self.said.add(passage)

    def _stand(self, run: IntArray, kept: Mask) -> bool:
        """Whether each passage of ``run`` has what it may not stand without."""
        headed = all(self.heads[index] < 0 or kept[self.heads[index]] for index in run)
        return headed and all(kept[self.hunks[index]].any() for index in run.tolist() if index in self.hunks)


def _hunks(passages: Sequence[Passage]) -> dict[int, list[int]]:
    """The hunks of each file header of a diff that has any: without one, nothing applies."""
    hunks: dict[int, list[int]] = defaultdict(list)
    for index, passage in enumerate(passages):
        if passage.kind is Kind.DIFF and passage.head >= 0 and passages[passage.head].kind is Kind.DIFF:
            hunks[passage.head].append(index)
    return dict(hunks)
