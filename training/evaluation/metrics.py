"""Ranking quality on judged labels: does a value put what matters first?

Pure functions over numbers, so that a scorer, a baseline and a second judge are measured by the
same ruler. Everything is measured inside one chunk first and averaged over chunks, because that
is where the product chooses; the pooled figures show whether values mean the same everywhere.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import regex
from numpy.typing import NDArray

from elision.model.types import IntArray, Scores, Span
from elision.training.labels.rows import LEVELS, LabelRow

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]

T = TypeVar("T")

SHARES = (0.25, 0.33, 0.50)
ESSENTIAL = LEVELS[-1]
RANKING = (
    *(f"{how}_auc_ge{level}" for level in LEVELS[1:] for how in ("line", "pooled")),
    *(f"essential@{share:.2f}" for share in SHARES),
    "word_auc",
)
"""Every ranking figure, in the order they are printed."""

# Chinese, Japanese and the scripts of South-East Asia put no spaces between words.
_NO_SPACES = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_WORD = regex.compile(rf"{_NO_SPACES}\p{{M}}*|(?:(?!{_NO_SPACES})\S)+")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One judged chunk and the values something gave it; lines without text are left out.

    Attributes:
        kind: What the text is.
        levels: Level of each line, shape ``(n_lines,)``, 0 to 3.
        sizes: Characters of each line, shape ``(n_lines,)``.
        values: Value of each line, shape ``(n_lines,)``; the highest stays longest.
        word_kept: Of each judged word, whether the judge kept it, shape ``(n_words,)``.
        word_values: Its value, shape ``(n_words,)``; empty where words were not valued.
    """

    kind: str
    levels: IntArray
    sizes: IntArray
    values: Values
    word_kept: Mask
    word_values: Values


Valuer = Callable[[Sequence[Span]], Values]


def ranked(row: LabelRow, value: Valuer, value_words: Valuer | None = None) -> Ranked:
    """Value the lines of a chunk, and its judged words when ``value_words`` is given."""
    lines = [line for line in row.lines if line.span.of(row.text).strip()]
    kept, words = judged_words(row) if value_words else ([], [])
    return Ranked(
        kind=row.kind,
        levels=np.array([line.level for line in lines], dtype=np.int64),
        sizes=np.array([len(line.span) for line in lines], dtype=np.int64),
        values=value([line.span for line in lines]),
        word_kept=np.array(kept, dtype=np.bool_),
        word_values=value_words(words) if value_words else np.zeros(0),
    )


def judged_words(row: LabelRow) -> tuple[list[bool], list[Span]]:
    """Words of the sentences of level >= 1 whose words were judged, and whether each was kept.

    A word is a run without white space, in scripts that put no spaces a character. It was kept
    when at least half of its characters were.
    """
    kept: list[bool] = []
    words: list[Span] = []
    for line in row.lines:
        if line.level < 1 or line.kept is None:
            continue
        for found in _WORD.finditer(row.text, line.start, line.end):
            word = Span(*found.span())
            words.append(word)
            kept.append(2 * sum(_overlap(word, span) for span in line.kept) >= len(word))
    return kept, words


def mean_values(scores: Scores, spans: Sequence[Span]) -> Values:
    """Mean value of the pieces that touch each span, shape ``(n_spans,)``; 0 where none does."""
    sums = np.concatenate(([0.0], np.cumsum(scores.values, dtype=np.float64)))
    first = np.searchsorted(scores.stops, [span.start for span in spans], side="right")
    last = np.maximum(first, np.searchsorted(scores.starts, [span.stop for span in spans], side="left"))
    mean: Values = (sums[last] - sums[first]) / np.maximum(last - first, 1)
    return mean


def auc(values: Values, positive: Mask) -> float | None:
    """Chance that a positive stands above a negative, ties at half; None with one class only."""
    below = np.sort(values[~positive])
    above = values[positive]
    if not len(below) or not len(above):
        return None
    wins = np.searchsorted(below, above, side="left") + np.searchsorted(below, above, side="right")
    return float(wins.mean() / (2 * len(below)))


def essential_kept(chunk: Ranked, share: float) -> float | None:
    """Share of the level-3 characters among the best-valued ``share`` of all characters.

    The line that crosses the share counts in part, equal values stay in text order. Divided by
    what the labels' own order keeps: level down, then short first. None without level 3.
    """
    room = share * float(chunk.sizes.sum())
    best = np.argsort(-chunk.values, kind="stable")
    ideal = np.lexsort((chunk.sizes, -chunk.levels))
    essential = chunk.levels == ESSENTIAL
    ceiling = float(taken(chunk.sizes[ideal], room)[essential[ideal]].sum())
    if not ceiling:
        return None
    return float(taken(chunk.sizes[best], room)[essential[best]].sum()) / ceiling


def taken(prices: IntArray, room: float) -> Values:
    """How much of each price is paid, in order, until ``room`` is spent; the last one in part."""
    before = np.cumsum(prices) - prices
    paid: Values = np.clip(room - before, 0, prices)
    return paid


def measure(chunks: Sequence[Ranked]) -> dict[str, float]:
    """Every ranking figure, over all chunks and per kind as ``line_auc_ge2[kind=grep]``.

    A figure with nothing to measure is left out.
    """
    return by_kind(chunks, [chunk.kind for chunk in chunks], _measure)


def by_kind(
    items: Sequence[T], kinds: Sequence[str], measured: Callable[[Sequence[T]], Mapping[str, float]]
) -> dict[str, float]:
    """What ``measured`` says of all items, and again of the items of each kind."""
    figures = dict(measured(items))
    for kind in sorted(set(kinds)):
        some = [item for item, its in zip(items, kinds, strict=True) if its == kind]
        figures |= {f"{key}[kind={kind}]": value for key, value in measured(some).items()}
    return figures


def chunk_figures(chunk: Ranked) -> dict[str, float]:
    """The figures of one chunk by itself; one with nothing to measure is left out."""
    figures = {f"line_auc_ge{level}": auc(chunk.values, chunk.levels >= level) for level in LEVELS[1:]}
    figures |= {f"essential@{share:.2f}": essential_kept(chunk, share) for share in SHARES}
    return {key: value for key, value in figures.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Pool:
    """Lines or words of many chunks in one order: its AUC is no mean over chunks.

    Attributes:
        values: Value of each, shape ``(n,)``.
        positive: Whether it should stand above the others, shape ``(n,)``.
        chunk: Which chunk it is from, shape ``(n,)``.
    """

    values: Values
    positive: Mask
    chunk: IntArray


def pools(chunks: Sequence[Ranked]) -> dict[str, Pool]:
    """What each pooled figure is the AUC of."""
    values = _join([c.values for c in chunks])
    levels = _join([c.levels for c in chunks])
    lines = _places([len(c.values) for c in chunks])
    found = {f"pooled_auc_ge{level}": Pool(values, levels >= level, lines) for level in LEVELS[1:]}
    worded = [c.word_kept if len(c.word_values) else c.word_kept[:0] for c in chunks]
    words = _places([len(kept) for kept in worded])
    found["word_auc"] = Pool(_join([c.word_values for c in chunks]), _join(worded) > 0, words)
    return found


def _measure(chunks: Sequence[Ranked]) -> dict[str, float]:
    alone = [chunk_figures(chunk) for chunk in chunks]
    pooled = {name: auc(pool.values, pool.positive) for name, pool in pools(chunks).items()}
    figures = {name: mean(its.get(name) for its in alone) for name in RANKING} | pooled
    return {name: value for name in RANKING if (value := figures[name]) is not None}


def means(items: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean of each figure over the items that have it."""
    names = dict.fromkeys(name for item in items for name in item)
    found = {name: mean(item.get(name) for item in items) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are there; None if none is."""
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None


def _join(arrays: Sequence[NDArray[np.generic]]) -> Values:
    return np.concatenate([np.zeros(0), *arrays]).astype(np.float64)


def _places(sizes: Sequence[int]) -> IntArray:
    """The index of its chunk for each item of chunks of these sizes."""
    places: IntArray = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    return places


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one.stop, other.stop) - max(one.start, other.start))
