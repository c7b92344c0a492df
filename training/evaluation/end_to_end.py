"""Essential characters that survive the real product, at equal reader tokens.

Ranking figures flatter a scorer whose product then cuts badly: here the text really goes
through `compress`, and what a baseline chooses is really cut and counted. A method is measured
against what the judge's own order keeps at the tokens the method used, so spending more buys
nothing that the judge could not have bought too; the tokens used are reported beside it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from elision.compaction.compress import compress
from elision.compaction.guard.whole_json import is_json
from elision.compaction.query import compose_query
from elision.compaction.types import Budget, TokenCounter
from elision.model.types import IntArray, Scorer, Span
from elision.training.evaluation.baselines import Ranker
from elision.training.evaluation.metrics import ESSENTIAL, Values, by_kind, mean, taken
from elision.training.labels.rows import LabelRow

RATIOS = (0.33, 0.50)


@dataclass(frozen=True, slots=True)
class Shortened:
    """What a method left of one text.

    Attributes:
        dropped: What went, in text order, not overlapping.
        tokens: Reader tokens of what is left, markers included.
    """

    dropped: tuple[Span, ...]
    tokens: int


Method = Callable[[LabelRow, float], Shortened]
"""A judged chunk and a keep ratio in, what is left of it out."""


def query_of(row: LabelRow, with_query: bool) -> str:
    """What the reader of a chunk was after, as the product would be told."""
    return compose_query(row.task, row.call, row.before) if with_query else ""


def product(scorer: Scorer, counter: TokenCounter, with_query: bool = True) -> Method:
    """The real text path, with no floor."""

    def shorten(row: LabelRow, ratio: float) -> Shortened:
        budget = Budget(keep_ratio=ratio, floor_tokens=0)
        query = query_of(row, with_query)
        receipt = compress(row.text, budget, scorer=scorer, counter=counter, query=query).receipt
        return Shortened(tuple(drop.span for drop in receipt.dropped), receipt.tokens_after)

    return shorten


def whole_lines(ranker: Ranker, counter: TokenCounter, with_query: bool = True) -> Method:
    """A baseline: the judged lines or sentences it values most, whole, within the same target.

    It pays for no markers. JSON stays whole, as the product's rule is no part of the ranking.
    """

    def shorten(row: LabelRow, ratio: float) -> Shortened:
        if is_json(row.text):
            return Shortened((), counter.count(row.text))
        spans = stretches(row)
        target = Budget(keep_ratio=ratio).target(counter.count(row.text))
        values = ranker(row.text, spans, query_of(row, with_query))
        return keep_whole(row.text, spans, values, target, counter)

    return shorten


def keep_whole(
    text: str, spans: Sequence[Span], values: Values, target: int, counter: TokenCounter
) -> Shortened:
    """Keep the best-valued spans whole, skipping what does not fit; equal values in text order.

    Args:
        text: What is shortened.
        spans: Its lines or sentences, line ends included; they partition it.
        values: Value of each, shape ``(n_spans,)``.
        target: Reader tokens that may be left; never exceeded.
        counter: Counts them.
    """
    prices = _prices(spans, counter.prefix(text))
    chosen: list[int] = []
    room = target
    for index in np.argsort(-values, kind="stable").tolist():
        if prices[index] <= room:
            chosen.append(index)
            room -= int(prices[index])
    while True:  # tokens can join or part where neighbours went
        tokens = counter.count("".join(spans[index].of(text) for index in sorted(chosen)))
        if tokens <= target:
            break
        chosen.pop()
    kept = set(chosen)
    return Shortened(tuple(span for index, span in enumerate(spans) if index not in kept), tokens)


def stretches(row: LabelRow) -> list[Span]:
    """The judged lines with the white space after each: a partition of the chunk's text."""
    starts = [0, *(line.start for line in row.lines[1:])]
    return [Span(a, b) for a, b in zip(starts, [*starts[1:], len(row.text)], strict=True)]


def survival(row: LabelRow, left: Shortened, counter: TokenCounter) -> float | None:
    """Share of the level-3 characters that survive, over what the judge's order keeps.

    The judge takes whole lines, level down, then short first, until as many tokens are spent as
    the method used; the line that crosses counts in part. None without level 3.
    """
    judged = [(line, span) for line, span in zip(row.lines, stretches(row), strict=True)]
    essential = [p for p in judged if p[0].level == ESSENTIAL and p[0].span.of(row.text).strip()]
    if not essential:
        return None
    essential.sort(key=lambda pair: len(pair[0].span))
    sizes = np.array([len(line.span) for line, _ in essential])
    prices = np.maximum(_prices([span for _, span in essential], counter.prefix(row.text)), 1)
    ceiling = float((taken(prices, left.tokens) / prices * sizes).sum())
    there = np.ones(len(row.text), dtype=np.bool_)
    for span in left.dropped:
        there[span.start : span.stop] = False
    kept = sum(int(there[line.start : line.end].sum()) for line, _ in essential)
    return kept / ceiling if ceiling else 0.0


def end_to_end(rows: Sequence[LabelRow], method: Method, counter: TokenCounter) -> dict[str, float]:
    """``e2e_essential@r`` and ``e2e_tokens@r`` for each keep ratio, overall and per kind.

    Chunks without level 3 are skipped. Tokens are the mean share of a chunk's tokens used.
    """
    rows = [row for row in rows if any(line.level == ESSENTIAL for line in row.lines)]
    figures: dict[str, float] = {}
    for ratio in RATIOS:
        pairs = [(row, method(row, ratio)) for row in rows]
        results = [
            (survival(row, left, counter), left.tokens / max(1, counter.count(row.text)))
            for row, left in pairs
        ]
        figures |= by_kind(results, [row.kind for row in rows], partial(_means, ratio))
    return figures


def _means(ratio: float, results: Sequence[tuple[float | None, float]]) -> dict[str, float]:
    essential = mean(share for share, _ in results)
    if essential is None:
        return {}
    tokens = float(np.mean([used for share, used in results if share is not None]))
    return {f"e2e_essential@{ratio:.2f}": essential, f"e2e_tokens@{ratio:.2f}": tokens}


def _prices(spans: Sequence[Span], prefix: IntArray) -> IntArray:
    prices: IntArray = prefix[[span.stop for span in spans]] - prefix[[span.start for span in spans]]
    return prices
