"""Label files that a tiny model learns in seconds, and the runs that learn from them."""

import json
from pathlib import Path
from typing import Any

from tiny import tiny_model, tiny_tokenizer

from elision.training.config import TrainConfig

SHOWN = {"error": "error in path", "info": "info line pass"}


def write_logs(path: Path, chunks: int = 40, wanted: str = "error", **fields: Any) -> Path:
    """Chunks of nine lines of two kinds, two chunks a document; lines of the ``wanted`` kind are essential."""
    with path.open("w") as stream:
        for number in range(chunks):
            kinds = ["error" if n % 3 == number % 3 else "info" for n in range(9)]
            lines = [{"start": 14 * n, "end": 14 * n + 13, "level": 3 * (kind == wanted)} for n, kind in enumerate(kinds)]
            text = "\n".join(SHOWN[kind].ljust(13)[:13] for kind in kinds)
            row = {"id": str(number), "kind": "log", "unit": "line", "source": "s", "doc": f"d{number // 2}"}
            told = {"task": "", "call": "", "before": "", "text": text, "lines": lines}
            stream.write(json.dumps(row | told | fields) + "\n")
    return path


def tiny_run(folder: Path, **changed: Any) -> TrainConfig:
    """A run from the tiny base over `write_logs`."""
    base = folder / "cache" / "base-tiny-1"
    if not base.exists():
        tiny_model().save_pretrained(base)
        tiny_tokenizer().save(str(base / "tokenizer.json"))
    fields = {
        "name": "t",
        "labels": () if "labels" in changed else (str(write_logs(folder / "labels.jsonl")),),
        "out": str(folder / "out"),
        "base": "tiny",
        "vocabulary": 1,
        "cache": str(folder / "cache"),
        "window_pieces": 96,
        "passes": 6,
        "batch_pieces": 800,
        "learning_rate": 3e-3,
        "precision": "float32",  # whatever the machine is quicker with
    }
    return TrainConfig(**{**fields, **changed})


def quiet(line: str) -> None:
    """For runs whose log tells nothing."""
