"""``elision models``: which bundles there are, what is in one, and which is in use."""

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, say, write_bytes

if TYPE_CHECKING:
    from elision.model.bundle import Bundle
    from elision.serving.choice import InUse

models = typer.Typer(no_args_is_help=True, help="Show, choose and make the bundles that can score.")


class Precision(Enum):
    """How the weights of an imported bundle are stored."""

    FLOAT32 = "float32"
    INT8 = "int8"


class Input(Enum):
    """What an imported bundle reads: the text alone, or a query and lines with borders."""

    PLAIN = "plain"
    LINES = "lines"


@models.command("list")
def list_models(bundle: tools.GivenBundle = None, as_json: tools.AsJson = False) -> None:
    """The bundle in use and why, then the shipped ones; exit code 1 if one is broken or there is none."""
    from elision.model.bundle import list_bundles, load_bundle
    from elision.model.errors import BundleError
    from elision.serving.receipts import dumps

    found, broken = [], 0
    used, shipped = _in_use(bundle), list_bundles()
    first = used.path or (shipped[0] if shipped else None)
    paths = [path for path in shipped if not first or path.resolve() != first.resolve()]
    for path in [first, *paths] if first else paths:
        try:
            found.append((load_bundle(path), used.why if path == first else ""))
        except BundleError as error:
            say(str(error), "error")
            broken += 1
    if as_json:
        write_bytes(STANDARD, dumps([_summary(one) | {"in_use": why or None} for one, why in found]) + b"\n")
    else:
        for one, why in found:
            print(f"{one.identity}\t{one.path}" + (f"\tin use: {why}" if why else ""))
    if not first:
        say("no bundle ships with this installation; name one with --bundle", "error")
    if broken or not first:
        raise typer.Exit(1)


@models.command()
def show(
    name: Annotated[str | None, typer.Argument(help="Name or folder. [default: the bundle in use]")] = None,
    bundle: tools.BundlePath = None,
) -> None:
    """A bundle and its manifest as JSON; its files are checked against it."""
    from elision.serving.receipts import dumps

    found = _find(name, bundle)
    write_bytes(STANDARD, dumps(_summary(found) | {"manifest": found.manifest}, indent=2) + b"\n")


@models.command()
def use(
    name: Annotated[str | None, typer.Argument(metavar="NAME|FOLDER", help="The bundle to use.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Choose nothing: the first that ships.")] = False,
    service: Annotated[
        str | None, typer.Option("--service", metavar="URL", help="In that running service, and not in yours.")
    ] = None,
) -> None:
    """Choose the bundle for all that is told nothing else, or swap it in a running service.

    --bundle and ELISION_BUNDLE go before the choice. A service that runs follows it on SIGHUP.
    """
    from elision.serving.choice import choice_file, reset_choice, write_choice

    if (name is None) is not reset or (reset and service):
        raise typer.BadParameter("give a bundle, or --reset alone")
    if service is not None and name is not None:
        from elision.serving.asking import use_in_service

        print(use_in_service(service, name))
        return
    file = choice_file()
    if reset:
        reset_choice(file)
    else:
        from elision.serving.swap import load_warm

        found = _find(name, None)
        load_warm(found.path)  # better now than in the middle of some work
        write_choice(file, found)
    used = _in_use(None)
    print(f"{_find(None, used.path).identity}\tin use: {used.why}")
    if os.environ.get("ELISION_BUNDLE"):
        say("ELISION_BUNDLE is set and goes before the choice", "warning")


@models.command("import")
def import_model(
    source: Annotated[str, typer.Argument(help="Folder or hub id of a token classifier: XLM-R, RoBERTa or BERT.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the bundle; an earlier bundle is replaced.")],
    precision: Annotated[Precision, typer.Option("--precision", help="How its weights are stored.")] = Precision.INT8,
    name: Annotated[str, typer.Option("--name", help="Its name. [default: the last part of SOURCE]")] = "",
    reads: Annotated[
        Input | None,
        typer.Option("--input", help="plain: text alone, no query; lines: as Elision trains. [default: plain, or as its config says]"),
    ] = None,
) -> None:
    """Turn somebody else's checkpoint into a bundle; prints its folder."""
    _prepare()
    from elision.training.bundles.foreign import import_checkpoint

    stored, given = precision.value, reads.value if reads else None
    print(import_checkpoint(source, out, precision=stored, name=name, reads=given, log=lambda line: say(line, "note")))


@models.command()
def huggingface(
    name: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="The bundle.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write; an earlier one of its kind is replaced.")],
) -> None:
    """Write a bundle's weights as a Hugging Face folder, to train from or use elsewhere; prints it."""
    _prepare()
    from elision.training.bundles.weights import huggingface_folder

    print(huggingface_folder(_find(name, None).path, out))


def _summary(bundle: "Bundle") -> dict[str, object]:
    return {"name": bundle.name, "hash": bundle.hash, "path": str(bundle.path)}


def _find(name: str | None, in_use: Path | None) -> "Bundle":
    from elision.model.bundle import load_bundle
    from elision.serving.choice import named_bundle

    return load_bundle(named_bundle(name) if name is not None else in_use)


def _in_use(bundle: Path | None) -> "InUse":
    from elision.serving.choice import in_use

    return in_use(bundle)


def _prepare() -> None:
    """Look for the training extra, and let transformers say only what went wrong."""

    tools.need("train", "torch", "transformers", "onnx")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch loads: a busy core must not spin
    from elision.training.bundles.quiet import quieten

    quieten()
