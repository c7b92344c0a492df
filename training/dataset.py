"""Judged chunks as training windows: graded targets per piece, line by line.

The level of a line sets the mean target of its pieces; where words were judged, kept ones stand
above that mean and dropped ones below it, so one value ranks lines and words alike and serves every
keep ratio. Each pass cuts the chunks into windows anew, starting elsewhere, and hides some queries
and some pieces, so that the model cannot lean on where a window happens to begin.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from datasets import Dataset

from elision.compaction.query import compose_query
from elision.model.tokeniser import LinePieces, PieceTokeniser
from elision.model.types import FloatArray, IntArray
from elision.model.windows import QUERY_PIECES, Window, capacity, windows, with_query
from elision.training.config import TrainConfig
from elision.training.labels.rows import JudgedLine, LabelRow

IGNORED = -1


@dataclass(frozen=True, slots=True)
class Example:
    """One window ready for the model.

    Attributes:
        ids: Piece ids, query included, shape ``(n,)``.
        targets: Target keep value of each piece, NaN where there is none, shape ``(n,)``.
        groups: Judged line of each piece, `IGNORED` where there is none, shape ``(n,)``.
        kept: 1 where the judge kept the word, 0 where not, `IGNORED` where words were not judged,
            shape ``(n,)``.
        weight: What the window counts for in the loss.
    """

    ids: IntArray
    targets: FloatArray
    groups: IntArray
    kept: IntArray
    weight: float = 1.0


def split_documents(rows: Sequence[LabelRow], share: float, seed: int) -> tuple[list[LabelRow], list[LabelRow]]:
    """Set aside whole documents holding about ``share`` of the rows: (to learn from, held out)."""
    documents = sorted({row.doc for row in rows})
    random.Random(seed).shuffle(documents)
    sizes = {document: 0 for document in documents}
    for row in rows:
        sizes[row.doc] += 1
    held: set[str] = set()
    count = 0
    for document in documents:
        if count + sizes[document] <= share * len(rows):
            held.add(document)
            count += sizes[document]
    return [r for r in rows if r.doc not in held], [r for r in rows if r.doc in held]


def share_of(rows: Sequence[LabelRow], share: float, seed: int) -> list[LabelRow]:
    """The rows of a share of the documents; a larger share holds all of a smaller one."""
    documents = sorted({row.doc for row in rows})
    random.Random(f"{seed}/share").shuffle(documents)
    some = set(documents[: round(share * len(documents))])
    return [row for row in rows if row.doc in some]


def encode(rows: Sequence[LabelRow], tokeniser: PieceTokeniser, config: TrainConfig) -> Dataset:
    """Tokenise rows once: columns ``line_ids``, ``targets``, ``groups``, ``kept`` (flat), ``query``, ``weight``."""
    return Dataset.from_list([_encoded(row, tokeniser, config) for row in rows])


def examples(dataset: Dataset, tokeniser: PieceTokeniser, config: TrainConfig, number: int) -> list[Example]:
    """Windows of pass ``number``; the same for the same number and seed."""
    rng = random.Random(f"{config.seed}/{number}")
    return [example for row in dataset for example in _windows_of(row, tokeniser, config, rng)]


def batches(found: Sequence[Example], config: TrainConfig, number: int) -> list[list[int]]:
    """Indices of `examples` in batches of like length, at most ``batch_pieces`` padded pieces each."""
    rng = random.Random(f"{config.seed}/{number}/order")
    order = sorted(range(len(found)), key=lambda i: (len(found[i].ids) + rng.uniform(0, 24), i))
    groups: list[list[int]] = [[]]
    for index in order:
        longest = max(len(found[i].ids) for i in [*groups[-1], index])
        if groups[-1] and longest * (len(groups[-1]) + 1) > config.batch_pieces:
            groups.append([])
        groups[-1].append(index)
    rng.shuffle(groups)
    return groups


def _encoded(row: LabelRow, tokeniser: PieceTokeniser, config: TrainConfig) -> dict[str, object]:
    lines = list(tokeniser.lines(row.text))
    last = np.array([stop - 1 for line in lines for stop in line.stops], dtype=np.int64)
    groups = _judged(last, row.lines)
    kept = _kept(last, groups, row.lines)
    return {
        "line_ids": [line.ids for line in lines],
        "targets": _targets(groups, kept, row.lines, config).tolist(),
        "groups": groups.tolist(),
        "kept": kept.tolist(),
        "query": tokeniser.query(compose_query(row.task, row.call, row.before), QUERY_PIECES),
        "weight": config.weights.get(row.origin, 1.0),
    }


def _judged(last: IntArray, lines: Sequence[JudgedLine]) -> IntArray:
    starts = np.array([line.start for line in lines], dtype=np.int64)
    ends = np.array([line.end for line in lines], dtype=np.int64)
    at = np.searchsorted(starts, last, side="right") - 1
    return np.where((at >= 0) & (last < ends[at]), at, IGNORED)


def _kept(last: IntArray, groups: IntArray, lines: Sequence[JudgedLine]) -> IntArray:
    kept = np.full(len(last), IGNORED, dtype=np.int64)
    for index, line in enumerate(lines):
        if line.kept and line.level > 0:
            own = np.flatnonzero(groups == index)
            kept[own] = 0
            for span in line.kept:
                kept[own[(last[own] >= span.start) & (last[own] < span.stop)]] = 1
    return kept


def _targets(groups: IntArray, kept: IntArray, lines: Sequence[JudgedLine], config: TrainConfig) -> FloatArray:
    targets = np.full(len(groups), np.nan, dtype=np.float32)
    for index, line in enumerate(lines):
        own = np.flatnonzero(groups == index)
        targets[own] = config.levels[line.level] if line.value is None else line.value
        if len(own) and kept[own[0]] != IGNORED:
            above = config.word_spread * (kept[own] - kept[own].mean())
            targets[own] = np.clip(targets[own] + above, 0.02, 0.98)
    return targets


def _windows_of(row: dict, tokeniser: PieceTokeniser, config: TrainConfig, rng: random.Random) -> Iterator[Example]:  # type: ignore[type-arg]
    flat = {"targets": _wanted(row, config)}
    flat |= {name: np.array(row[name], dtype=np.int64) for name in ("groups", "kept")}
    room = capacity(config.window_pieces)
    first = rng.randint(room // 3, room)
    for window in windows(numbered(row["line_ids"]), room, tokeniser.eos, first):
        query = [] if rng.random() < config.query_dropout else row["query"]
        yield _example(window, query, flat, tokeniser, config, rng, row["weight"])


def _wanted(row: dict, config: TrainConfig) -> FloatArray:  # type: ignore[type-arg]
    """The judged targets, mixed with the teacher's keep values where there is a teacher."""
    targets = np.array(row["targets"], dtype=np.float32)
    if row.get("teacher") is None:
        return targets
    taught: FloatArray = np.array(row["teacher"], dtype=np.float32)
    return (1 - config.teacher_share) * targets + config.teacher_share * taught


def numbered(line_ids: Sequence[Sequence[int]]) -> Iterator[LinePieces]:
    """Lines whose 'characters' are the row's piece numbers, so windows carry their targets along."""
    at = 0
    for ids in line_ids:
        yield LinePieces(list(ids), list(range(at, at + len(ids))), list(range(at + 1, at + len(ids) + 1)))
        at += len(ids)


def _example(
    window: Window,
    query: list[int],
    flat: dict[str, np.ndarray],
    tokeniser: PieceTokeniser,
    config: TrainConfig,
    rng: random.Random,
    weight: float,
) -> Example:
    ids = np.array(with_query(query, window, tokeniser), dtype=np.int64)
    count = len(window.ids)
    numbers, is_text = np.array(window.starts), np.array(window.stops) > np.array(window.starts)
    text = np.flatnonzero(is_text) + len(ids) - count
    own = {name: np.full(len(ids), np.nan if name == "targets" else IGNORED, values.dtype) for name, values in flat.items()}
    for name, values in flat.items():
        own[name][text] = values[numbers[is_text]]
    hidden = text[np.array([rng.random() < config.mask_share for _ in text], dtype=bool)]
    ids[hidden] = tokeniser.mask
    return Example(ids, **own, weight=weight)
