"""``elision train`` and ``export``: what makes a bundle."""

import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from elision.serving.commands import tools
from elision.serving.streams import say

# For a few hundred chunks on top of a trained scorer: a third of the rate that made it, soon falling.
FINE_TUNE = {
    "learning_rate": 5e-5,
    "warmup": 0.1,
    "decay": 0.9,
    "rank_weight": 1.0,
    "word_weight": 1.0,
    "patience": 4,
    "evaluations": 3,
}


def train(
    ctx: typer.Context,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file that holds every number of the run, instead of flags.")
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option("--data", metavar="FILE|DIR", help="Label files to learn from. May be repeated."),
    ] = None,
    init: tools.InitBundle = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; the same command goes on with it.")
    ] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            "--replay", metavar="LABELS", help="Label files mixed in, against forgetting. May be repeated."
        ),
    ] = None,
    replay_share: Annotated[
        float, typer.Option("--replay-share", min=0.0, max=1.0, help="Share of each pass that is replayed.")
    ] = 0.5,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight", metavar="ORIGIN=X", help="What labels of an origin count for, such as hindsight=0.5."
        ),
    ] = None,
    licence: Annotated[
        list[str] | None,
        typer.Option("--licence", help="Learn only from texts of this licence. May be repeated. [default: all]"),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option("--teacher", metavar="BUNDLE", help="A bundle to learn from beside the labels."),
    ] = None,
    teacher_share: Annotated[
        float, typer.Option("--teacher-share", min=0.0, max=1.0, help="What it counts for in each target.")
    ] = 0.5,
    layers: Annotated[
        str | None,
        typer.Option("--layers", metavar="N,N...", help="Layers to keep of --init, from 0. [default: all]"),
    ] = None,
    mean_with_init: Annotated[
        bool, typer.Option("--mean-with-init", help="Export the mean of the new weights and those of --init.")
    ] = False,
    passes: Annotated[int, typer.Option("--passes", min=0, help="Times the labels are seen; 0: only the line head learns, in a minute.")] = 3,
    name: Annotated[str, typer.Option("--name", help="Of the bundle that comes of it.")] = "fine-tuned",
    seed: Annotated[int, typer.Option("--seed", help="Of everything random.")] = 13,
) -> None:
    """Train a scorer, or go on with a run; prints the folder of its best weights.

    Several GPUs: accelerate launch -m elision.serving.cli train ...
    """
    tools.need("train", "torch", "transformers", "accelerate", "datasets", "scipy")
    from elision.training.config import read_config

    if config is None and data is None:
        raise typer.BadParameter("name what to learn from: either --config FILE, or --data and --out")
    if config is not None:
        if others := _flags_given(ctx, beside="config"):
            raise typer.BadParameter(f"--config holds every number of the run; leave out {', '.join(others)}, or write it there")
        settings = read_config(config)  # before the seconds that torch takes
    elif out is None:
        raise typer.BadParameter("--data needs --out, the folder of the run")
    else:
        settings = _settings(
            data=data,
            init=init,
            out=out,
            name=name,
            replay=replay,
            replay_share=replay_share,
            weights=_weights(weight or []),
            licences=tuple(licence or ()),
            teacher=_folder(teacher) or "",
            teacher_share=teacher_share,
            layers=_layers(layers),
            mean_with_init=mean_with_init,
            passes=passes,
            seed=seed,
        )
    # Read when torch loads: with two threads on a busy core, spinning makes training ten times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from elision.training.loop import train as run

    best = run(settings, log=_progress)
    if os.environ.get("RANK", "0") == "0":  # of several processes, one prints
        print(best)


def export(
    weights: Annotated[Path, typer.Option("--weights", help="OUT of a training run.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the bundle; replaced whole.")],
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Judged chunks whose figures go into the manifest.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Of the bundle. [default: the run's]")] = None,
    share_with: Annotated[
        Path | None,
        typer.Option(
            "--share-with", metavar="BUNDLE", help="Bundle beside OUT whose tokeniser and embedding are used."
        ),
    ] = None,
    huggingface: Annotated[
        Path | None,
        typer.Option("--huggingface", metavar="DIR", help="Also write a Hugging Face folder there (safetensors)."),
    ] = None,
) -> None:
    """Turn a training run into a bundle; prints its folder."""
    tools.need("train", "torch", "transformers", "onnx")
    from elision.training.bundles.export import export as run

    beside = _folder(share_with)
    print(run(weights, out, labels, name=name, huggingface=huggingface, share=Path(beside) if beside else None))


def _settings(
    *, data: list[Path] | None, init: Path | None, out: Path, replay: list[Path] | None, **others: object
) -> Any:
    """The configuration that the flags give; the start and every label file are checked before anything slow begins."""
    from elision.model.bundle import default_path
    from elision.training.config import read_back
    from elision.training.labels.own import label_files
    from elision.training.run_files import check_sources

    start = {"init": str(init or default_path()), "out": str(out), "labels": [], "replay": []}
    config = read_back({**FINE_TUNE, **others, **start})
    check_sources(config)
    own, old = ([str(file) for file in label_files(paths or [], _tell)] for paths in (data, replay))
    return replace(config, labels=tuple(own), replay=tuple(old))


def _flags_given(ctx: typer.Context, beside: str) -> list[str]:
    """The flags on the command line but for one."""
    sources = {one.opts[0]: ctx.get_parameter_source(one.name) for one in ctx.command.params if one.name and one.name != beside}
    return [flag for flag, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def _folder(bundle: Path | None) -> str | None:
    """Where a bundle lies that was given by name or folder."""
    from elision.serving.choice import named_bundle

    return str(named_bundle(str(bundle))) if bundle else None


def _layers(given: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in given.split(",")) if given else ()
    except ValueError:
        raise typer.BadParameter(f"--layers {given}: write numbers such as 0,2,4") from None


def _weights(given: list[str]) -> dict[str, float]:
    found = {}
    for one in given:
        origin, _, value = one.partition("=")
        try:
            found[origin] = float(value)
        except ValueError:
            raise typer.BadParameter(f"--weight {one}: write ORIGIN=NUMBER, such as hindsight=0.5") from None
        if not 0 <= found[origin] < math.inf:
            raise typer.BadParameter(f"--weight {one}: must be a number from 0")
    return found


def _tell(wrong: str) -> None:
    say(wrong, "error")


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
