"""What a run leaves on disk: its configuration, its figures, its best weights, and where it stands.

Folders are written beside and put in place when they are whole, so that a run that is killed at any
moment finds one that it can go on from. What the run was is remembered before anything of it is
written, and only the same run goes on in its folder: another would leave the weights of the one under
the labels and the numbers of the other.
"""

import dataclasses
import json
import math
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elision.model.bundle import LINE_HEAD, MANIFEST, TOKENIZER, load_bundle
from elision.training.config import TrainConfig
from elision.training.errors import BadConfig, BadLabels
from elision.training.json_lines import content_hash

if TYPE_CHECKING:
    from accelerate import Accelerator
    from transformers import PreTrainedModel

CONFIG, LABELS = "config.json", "labels.json"
_FREE = ("out", "checkpoint_minutes")  # may differ: nothing that is learnt depends on them
_WRITTEN = (TOKENIZER, LINE_HEAD, "metrics.jsonl", "init", "best", "best.old", "state", "state.old")


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


def check_sources(config: TrainConfig) -> None:
    """What the run starts from and learns from beside its labels is there; nothing is written.

    Raises:
        BadConfig: If ``config.init`` is neither a run's ``OUT``, nor a bundle, nor a Hugging Face folder.
        BundleError: If it is a broken bundle, or the teacher is none that can be used.
    """
    init = Path(config.init)
    if config.init and not (init / "best" / CONFIG).is_file():
        if (init / MANIFEST).is_file():
            load_bundle(init)
        elif not ((init / CONFIG).is_file() and (init / TOKENIZER).is_file()):
            raise BadConfig(f"{init}: is no training run (best/), no bundle ({MANIFEST}) and no Hugging Face folder")
    if config.teacher:
        load_bundle(Path(config.teacher))


def file_hashes(config: TrainConfig) -> dict[str, str]:
    """What the label and replay files of a run hold, as a hash of each."""
    return {path: content_hash(Path(path), BadLabels) for path in (*config.labels, *config.replay)}


def check_same(out: Path, config: TrainConfig, hashes: Mapping[str, str]) -> None:
    """``out`` is free, or holds this very run. Of what an older version did not write down nothing is asked.

    Args:
        out: Folder of the run.
        config: What it is to be.
        hashes: Of its label files, as `file_hashes` finds them.

    Raises:
        BadConfig: If not; names what differs.
    """
    if not (out / CONFIG).exists():
        held = [name for name in _WRITTEN if (out / name).exists()]
        if held:
            raise BadConfig(f"{out}: holds {held[0]} but no {CONFIG} of a training run; give another --out")
        return
    was, now = _read(out / CONFIG), json.loads(json.dumps(dataclasses.asdict(config)))
    if not {"name", "labels", "out"} <= was.keys():
        raise BadConfig(f"{out / CONFIG}: is not that of a training run; give another --out")
    asked = [key for key in now if key in was and key not in _FREE]
    differs = [f"{key} was {was[key]!r}, is {now[key]!r}" for key in asked if was[key] != now[key]]
    known = _read(out / LABELS) if (out / LABELS).exists() else {}
    differs += [f"{path} has changed" for path in hashes if known.get(path, hashes[path]) != hashes[path]]
    if differs:
        raise BadConfig(f"{out}: holds another run: {'; '.join(differs)}; give another --out")


def write_config(out: Path, config: TrainConfig, hashes: Mapping[str, str]) -> None:
    """Leave in ``OUT`` what the run is: ``labels.json`` with the hashes, then ``config.json``."""
    _write(out / LABELS, hashes)
    _write(out / CONFIG, dataclasses.asdict(config))


def put_back(out: Path) -> None:
    """Undo what a kill left half done: an old folder whose place is empty gets it again."""
    for final in (out / "best", out / "state"):
        old = final.with_name(f"{final.name}.old")
        if old.exists() and not final.exists():
            old.rename(final)


def record(out: Path, row: Mapping[str, object]) -> str:
    """Add a line to ``OUT/metrics.jsonl``; returns it."""
    line = json.dumps({"at": round(time.time()), **row})
    with (out / "metrics.jsonl").open("a") as stream:
        stream.write(line + "\n")
    return line


def save_best(out: Path, model: "PreTrainedModel", figures: Mapping[str, float]) -> None:
    """Put weights, tokeniser and figures where ``OUT/best`` is."""
    folder = out / "best.partial"
    model.save_pretrained(folder)
    shutil.copy(out / TOKENIZER, folder / TOKENIZER)
    (folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
    _swap(folder, out / "best")


def save_state(out: Path, accelerator: "Accelerator", progress: Progress) -> None:
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


def load_state(out: Path, accelerator: "Accelerator") -> Progress | None:
    """Load what `save_state` saved; None if there is none."""
    state = out / "state"
    if not state.exists():
        return None
    accelerator.load_state(str(state))
    return Progress(**json.loads((state / "progress.json").read_text()))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadConfig(f"{path}: cannot be read: {error}; give another --out") from error
    if not isinstance(found, dict):
        raise BadConfig(f"{path}: is not that of a training run; give another --out")
    return found


def _write(path: Path, values: Mapping[str, Any]) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(values, indent=2) + "\n")
    partial.replace(path)


def _swap(new: Path, final: Path) -> None:
    """Put ``new`` where ``final`` is; a kill at any moment leaves one of them, or ``final.old``, whole."""
    old = final.with_name(f"{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    new.rename(final)
    shutil.rmtree(old, ignore_errors=True)
