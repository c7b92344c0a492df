"""What a run learns from: its own label rows, and some replayed ones against forgetting.

Rows whose licence is not allowed are left out, whole documents are set aside to choose the
checkpoint, of the run's own rows and of the replayed ones alike: a run that learns a team's
needs and forgets everyone's is not chosen.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from elision.training.config import TrainConfig
from elision.training.dataset import share_of, split_documents
from elision.training.errors import BadConfig
from elision.training.labels.licences import licence_of
from elision.training.labels.rows import LabelRow, read_labels


@dataclass(frozen=True, slots=True)
class Mixture:
    """Rows of one run.

    Attributes:
        own: What each pass holds whole.
        replayed: What each pass holds some of.
        held_out: Sets of rows that are never learnt from; empty sets are left out.
    """

    own: list[LabelRow]
    replayed: list[LabelRow]
    held_out: tuple[list[LabelRow], ...]


def gather(config: TrainConfig, log: Callable[[str], None]) -> Mixture:
    """Read, filter and split the rows of a run.

    Raises:
        BadLabels: If a file breaks the schema.
        BadConfig: If no row is left to learn from, or a weight is that of an origin that no row has.
    """
    own_rows, replay_rows = _read(config.labels), _read(config.replay)
    _check_weights(config, {row.origin for row in (*own_rows, *replay_rows)})
    own, own_held = _split(own_rows, config, log)
    replayed, replay_held = _split(replay_rows, config, log)
    own = share_of(own, config.share, config.seed)
    if not own:
        raise BadConfig(f"no rows to learn from in {', '.join(config.labels) or 'no files'}")
    held = tuple(rows for rows in (own_held, replay_held) if rows)
    log(f"{len(own)} chunks to learn from, {len(replayed)} to replay, {sum(map(len, held))} held out")
    return Mixture(own, replayed, held)


def drawn(count: int, own: int, config: TrainConfig, number: int) -> list[int]:
    """Which of ``count`` replayed rows pass ``number`` holds beside ``own`` rows of its own, in order."""
    share = config.replay_share
    wanted = count if share >= 1 else min(count, round(own * share / (1 - share)))
    return sorted(random.Random(f"{config.seed}/{number}/replay").sample(range(count), wanted))


def _read(paths: Sequence[str]) -> list[LabelRow]:
    return [row for path in paths for row in read_labels(Path(path))]


def _check_weights(config: TrainConfig, origins: Set[str]) -> None:
    unknown = sorted(set(config.weights) - origins)
    if unknown and origins:
        raise BadConfig(f"no row has the origin {', '.join(unknown)} that is to be weighed; there are {', '.join(sorted(origins))}")


def _split(
    rows: list[LabelRow], config: TrainConfig, log: Callable[[str], None]
) -> tuple[list[LabelRow], list[LabelRow]]:
    if config.licences:
        refused = Counter(licence_of(row) for row in rows if licence_of(row) not in config.licences)
        rows = [row for row in rows if licence_of(row) in config.licences]
        for licence, count in sorted(refused.items()):
            log(f"{count} chunks left out, licence: {licence}")
    return split_documents(rows, config.held_out, config.seed)
