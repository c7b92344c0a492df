"""``elision train``, ``evaluate`` and ``export``: what makes a bundle and judges it."""

from pathlib import Path
from typing import Annotated

import typer

from elision.serving.commands import tools
from elision.serving.errors import MissingExtra


def train(
    config: Annotated[Path, typer.Option("--config", help="TOML file that holds every number of the run.")],
) -> None:
    """Train a scorer from labels; needs the `train` extra."""
    _need("torch", "transformers", "accelerate", "datasets")
    from elision.training.train import main

    main(config)


def evaluate(
    labels: Annotated[Path, typer.Option("--labels", help="Judged chunks, JSON lines, may be gzipped.")],
    bundle: tools.BundlePath = None,
    no_query: Annotated[bool, typer.Option("--no-query", help="Hide from all what the reader was after.")] = False,
    baselines: Annotated[bool, typer.Option("--baselines", help="Also the rankings that need no model.")] = False,
    end_to_end: Annotated[bool, typer.Option("--end-to-end", help="Also through the real text path.")] = False,
    as_json: tools.AsJson = False,
) -> None:
    """Measure a bundle against judged labels."""
    from elision.training.evaluate import run

    run(
        labels, bundle, with_query=not no_query, baselines=baselines, end_to_end=end_to_end, as_json=as_json
    )


def export(
    checkpoint: Annotated[Path, typer.Argument(help="Folder of a trained checkpoint.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the bundle goes.")],
) -> None:
    """Turn a checkpoint into the bundle that ships; needs the `train` extra."""
    _need("torch", "transformers", "onnx", "onnxscript")
    from elision.training.export import main

    main(checkpoint, output)


def _need(*packages: str) -> None:
    from importlib.util import find_spec

    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingExtra(f"this command needs {', '.join(missing)}: pip install 'elision[train]'")
