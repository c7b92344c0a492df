"""What a run leaves on disk: its configuration, its figures, its best weights, and where it stands.

Folders are written beside and put in place when they are whole, so that a run that is killed at any
moment finds one that it can go on from.
"""

import dataclasses
import json
import math
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerate import Accelerator
from transformers import PreTrainedModel

from elision.model.bundle import TOKENIZER
from elision.training.config import TrainConfig


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands.

    Attributes:
        step: Optimiser steps done.
        best: Best score on what was held out.
        worse: Evaluations since.
    """

    step: int = 0
    best: float = -math.inf
    worse: int = 0


def write_config(out: Path, config: TrainConfig) -> None:
    """Leave the run's configuration in ``OUT/config.json``."""
    (out / "config.json").write_text(json.dumps(dataclasses.asdict(config), indent=2) + "\n")


def record(out: Path, row: Mapping[str, object]) -> str:
    """Add a line to ``OUT/metrics.jsonl``; returns it."""
    line = json.dumps({"at": round(time.time()), **row})
    with (out / "metrics.jsonl").open("a") as stream:
        stream.write(line + "\n")
    return line


def save_best(out: Path, model: PreTrainedModel, figures: Mapping[str, float]) -> None:
    """Put weights, tokeniser and figures where ``OUT/best`` is."""
    folder = out / "best.partial"
    model.save_pretrained(folder)
    shutil.copy(out / TOKENIZER, folder / TOKENIZER)
    (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    _swap(folder, out / "best")


def save_state(out: Path, accelerator: Accelerator, progress: Progress) -> None:
    """Put all that the run needs to go on into ``OUT/state``; every process calls it."""
    partial = out / "state.partial"
    if accelerator.is_main_process:
        shutil.rmtree(partial, ignore_errors=True)
    accelerator.wait_for_everyone()
    accelerator.save_state(str(partial))
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        (partial / "progress.json").write_text(json.dumps(dataclasses.asdict(progress)))
        _swap(partial, out / "state")


def load_state(out: Path, accelerator: Accelerator) -> Progress | None:
    """Load what `save_state` saved; None if there is none."""
    state = next((s for s in (out / "state", out / "state.old") if s.exists()), None)
    if state is None:
        return None
    accelerator.load_state(str(state))
    return Progress(**json.loads((state / "progress.json").read_text()))


def _swap(new: Path, final: Path) -> None:
    """Put ``new`` where ``final`` is; a kill at any moment leaves one of them, or ``final.old``, whole."""
    old = final.with_name(f"{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    new.rename(final)
    shutil.rmtree(old, ignore_errors=True)
