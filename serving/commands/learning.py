"""``elision train`` and ``export``: what makes a bundle."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from elision.serving.errors import MissingExtra


def train(
    config: Annotated[Path, typer.Option("--config", help="TOML file that holds every number of the run.")],
) -> None:
    """Train a scorer, or go on with a run; prints the folder of its best weights."""
    _need("torch", "transformers", "accelerate", "datasets")
    from elision.training.config import read_config

    settings = read_config(config)  # before the seconds that torch takes
    # Read when torch loads: with two threads on a busy core, spinning makes training ten times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from elision.training.loop import train as run

    print(run(settings, log=_progress))


def export(
    weights: Annotated[Path, typer.Option("--weights", help="OUT of a training run.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the bundle; replaced whole.")],
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Judged chunks whose figures go into the manifest.")
    ] = None,
) -> None:
    """Turn a training run into a bundle; prints its folder."""
    _need("torch", "transformers", "onnx")
    from elision.training.export import export as run

    print(run(weights, out, labels))


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _need(*packages: str) -> None:
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingExtra(f"this command needs {', '.join(missing)}: pip install 'elision[train]'")
