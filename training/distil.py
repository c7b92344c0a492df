"""Distillation: a share of what a scorer is trained for are a teacher's keep values.

The teacher is a bundle of the same tokeniser. It reads each chunk once, whole and with its query,
before training begins; its value of every piece becomes the column ``teacher`` of the dataset, which
`elision.training.dataset` mixes into the targets. What it said is kept in ``OUT/teacher-HASH.npz``,
by what it read, so that a run that goes on does not ask again.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset

from elision.model.bundle import TOKENIZER, load_bundle
from elision.model.runner import Runner
from elision.model.scorer import runner_of
from elision.model.tokeniser import PieceTokeniser
from elision.model.types import FloatArray
from elision.model.windows import Input, input_of
from elision.training.bundles.sharing import same_tokeniser
from elision.training.config import TrainConfig
from elision.training.dataset import numbered
from elision.training.errors import BadConfig

THREADS = 2
_BLOCK = 500  # chunks after which what was said is saved: a minute or so

Row = Mapping[str, Any]


def taught(dataset: Dataset, tokeniser: PieceTokeniser, config: TrainConfig, log: Callable[[str], None]) -> Dataset:
    """A dataset of `elision.training.dataset.encode` with the column ``teacher``: a keep value for each piece.

    Args:
        dataset: Encoded rows.
        tokeniser: Theirs, which is also in ``OUT/tokenizer.json``.
        config: Names the teacher and ``OUT``.
        log: Told how much there is to score.

    Raises:
        BadConfig: If the teacher has another tokeniser, or its share is no share.
        BundleError: If the teacher is missing, incomplete or corrupt.
    """
    if not 0 <= config.teacher_share <= 1:
        raise BadConfig(f"teacher_share is {config.teacher_share}, must be from 0 to 1")
    bundle, out = load_bundle(Path(config.teacher)), Path(config.out)
    if not same_tokeniser(bundle.file(TOKENIZER), out / TOKENIZER):
        raise BadConfig(f"teacher {bundle.identity}: its tokeniser is not that of the starting point")
    cache = out / f"teacher-{bundle.hash}.npz"
    known = _read(cache)
    keys = [_key(row) for row in dataset]
    missing = [index for index, key in enumerate(keys) if key not in known]
    if missing:
        log(f"{bundle.identity} scores {len(missing)} of {len(keys)} chunks as the teacher")
        teacher = _Teacher(runner_of(bundle), input_of(bundle.input, tokeniser, bundle.window_pieces))
        for at in range(0, len(missing), _BLOCK):
            some = missing[at : at + _BLOCK]
            with ThreadPoolExecutor(THREADS) as pool:
                said = list(pool.map(teacher.values, [dataset[index] for index in some]))
            known |= dict(zip((keys[index] for index in some), said, strict=True))
            _write(cache, known)
    return dataset.add_column("teacher", [known[key].tolist() for key in keys])


@dataclass(frozen=True, slots=True)
class _Teacher:
    runner: Runner
    input: Input

    def values(self, row: Row) -> FloatArray:
        """Keep value of each piece of a row, shape ``(n_pieces,)``."""
        found = np.zeros(sum(map(len, row["line_ids"])), dtype=np.float32)
        for window in self.input.windows(numbered(row["line_ids"])):
            values = self.runner.run(self.input.ids(row["query"], window))[-len(window.ids) :]
            starts = np.array(window.starts)
            is_text = np.array(window.stops) > starts
            found[starts[is_text]] = values[is_text]
        return found


def _key(row: Row) -> str:
    return hashlib.sha256(repr((row["line_ids"], row["query"])).encode()).hexdigest()[:32]


def _read(cache: Path) -> dict[str, FloatArray]:
    if not cache.exists():
        return {}
    with np.load(cache) as kept:
        ends = np.cumsum(kept["counts"])
        return dict(zip(kept["keys"].tolist(), np.split(kept["values"], ends[:-1]), strict=True))


def _write(cache: Path, known: Mapping[str, FloatArray]) -> None:
    partial = cache.with_name(f"{cache.name}.partial")
    with partial.open("wb") as stream:
        np.savez(
            stream,
            keys=np.array(list(known)),
            counts=np.array([len(values) for values in known.values()], dtype=np.int64),
            values=np.concatenate(list(known.values())),
        )
    os.replace(partial, cache)
