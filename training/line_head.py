"""Fit the line head: least squares over the lines of judged windows, drawn towards the head it starts from.

What a line is worth is asked of a linear model (`elision.model.line_head`) on its own, not of what the
network leaves: the network has read the same lines, so that on them it leaves too little. A minute on one
core for some thousand chunks. Replayed chunks are learnt from whole, whatever share of a pass they are of.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, diags_array
from scipy.sparse.linalg import lsmr

from elision.compaction.query import compose_query
from elision.model.bundle import LINE_HEAD, MANIFEST, load_bundle
from elision.model.line_head import MEASURES, WEIGHTS, LineReader, Lines, read_weights, worth
from elision.model.tokeniser import PieceTokeniser
from elision.model.types import FloatArray
from elision.model.windows import QUERY_PIECES, LinesInput
from elision.training.config import TrainConfig, read_back
from elision.training.labels.rows import LabelRow

MOST = 20_000  # chunks: more would need more memory than they teach
_DAMP = 0.2  # in throw-away trials on documents that were not learnt from .1 to .3 were alike, 1 was worse
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class _Asked:
    """The judged lines of one window: what stands in them, what they are worth, what each counts for."""

    lines: Lines
    judged: np.ndarray
    wanted: FloatArray
    weight: float


def fit_line_head(
    rows: Sequence[LabelRow],
    tokeniser: PieceTokeniser,
    config: TrainConfig,
    log: Callable[[str], None],
) -> FloatArray:
    """Weights of a line head that has learnt from these rows, shape ``(WEIGHTS,)``, float32.

    Args:
        rows: Chunks to learn from; of more than `MOST` some are drawn by the seed.
        tokeniser: Of the network.
        config: Of the run; its start's line head is what the new one stays near to.
    """
    before = starting_head(config)
    if len(rows) > MOST:
        log(f"line head: {MOST} of {len(rows)} chunks")
        rows = random.Random(config.seed).sample(rows, MOST)
    reader = LineReader(tokeniser)
    heeded = [row for row in rows if config.weights.get(row.origin, 1.0) > 0]
    asked = [one for row in heeded for one in _asked(row, reader, tokeniser, config)]
    if not asked:
        return before
    matrix = _matrix([one.lines for one in asked], [one.judged for one in asked])
    said = np.concatenate([worth(one.lines, before)[one.judged] for one in asked])
    wanted = np.concatenate([one.wanted for one in asked])
    weights = np.concatenate([np.full(len(one.wanted), one.weight) for one in asked])
    wanted -= np.average(wanted, weights=weights**2)  # the network says how much there is of worth, the head where
    learnt = lsmr(diags_array(weights) @ matrix, weights * (wanted - said), damp=_DAMP, maxiter=_ROUNDS)[0]
    fitted: FloatArray = (before + learnt).astype(np.float32)
    return fitted


def starting_head(config: TrainConfig) -> FloatArray:
    """The line head of what a run starts from, on this run's scale; nothing but zeros where there is none."""
    init = Path(config.init) if config.init and config.line_head else None
    if init is not None and (init / MANIFEST).is_file():
        bundle = load_bundle(init)
        if bundle.line_head is not None:
            return read_weights(bundle.line_head) * np.float32(bundle.manifest["line_head"] / config.line_head)
    elif init is not None and (init / "best").is_dir() and (init / LINE_HEAD).is_file():
        return read_weights(init / LINE_HEAD) * np.float32(_scale(init) / config.line_head)
    return np.zeros(WEIGHTS, dtype=np.float32)


def _scale(run: Path) -> float:
    """What the line head of a run counts for."""
    return read_back(json.loads((run / "config.json").read_bytes())).line_head


def _asked(row: LabelRow, reader: LineReader, tokeniser: PieceTokeniser, config: TrainConfig) -> Iterator[_Asked]:
    """The windows of a row; each row counts for the same, however many lines it has."""
    query = tokeniser.query(compose_query(row.task, row.call, row.before), QUERY_PIECES)
    values = np.array([config.levels[line.level] if line.value is None else line.value for line in row.lines])
    starts, ends = np.array([line.start for line in row.lines]), np.array([line.end for line in row.lines])
    windows = list(LinesInput(tokeniser, config.window_pieces).windows(tokeniser.lines(row.text)))
    weight = np.sqrt(config.weights.get(row.origin, 1.0) / max(1, len(row.lines)))
    for window in windows:
        lines = reader.read(query, window)
        last = np.array(window.stops, dtype=np.int64) - 1
        of = np.searchsorted(starts, last, side="right") - 1
        known = (lines.line >= 0) & (of >= 0) & (last < ends[np.maximum(of, 0)])
        count = len(lines.measures)
        pieces = np.bincount(lines.line[known], minlength=count)
        sums = np.bincount(lines.line[known], values[of[known]], minlength=count)
        judged = np.flatnonzero(pieces)
        if len(judged):
            yield _Asked(lines, judged, (sums[judged] / pieces[judged]).astype(np.float32), float(weight))


def _matrix(found: Sequence[Lines], judged: Sequence[np.ndarray]) -> csr_matrix:
    """A row for each judged line, a column for each weight."""
    data, rows, columns = [], [], []
    at = 0
    for lines, those in zip(found, judged, strict=True):
        place = np.full(len(lines.measures), -1)
        place[those] = at + np.arange(len(those))
        real = place[lines.at] >= 0
        rows += [np.repeat(place[those], MEASURES), place[lines.at[real]]]
        columns += [np.tile(np.arange(MEASURES), len(those)), MEASURES + lines.bucket[real]]
        data += [lines.measures[those].ravel(), lines.loudness[real]]
        at += len(those)
    return csr_matrix((np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=(at, WEIGHTS))
