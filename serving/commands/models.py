"""``elision models``: which bundles there are, and what is in one."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, write_bytes

if TYPE_CHECKING:
    from elision.model.bundle import Bundle

models = typer.Typer(no_args_is_help=True, help="Show the bundles that can score.")


@models.command("list")
def list_models(as_json: tools.AsJson = False) -> None:
    """One line per bundle: its name and where it lies."""
    from elision.model.bundle import list_bundles
    from elision.serving.receipts import dumps

    bundles = list_bundles()
    if as_json:
        write_bytes(STANDARD, dumps([{"name": b.name, "path": str(b.path)} for b in bundles]) + b"\n")
        return
    for bundle in bundles:
        print(f"{bundle.name}\t{bundle.path}")


@models.command()
def show(
    name: Annotated[str | None, typer.Argument(help="Name or folder. [default: the bundle in use]")] = None,
) -> None:
    """The manifest of a bundle, as JSON; its files are checked against it."""
    from elision.serving.receipts import dumps

    bundle = _find(name)
    shown = {"name": bundle.name, "path": str(bundle.path), "manifest": dataclasses.asdict(bundle.manifest)}
    write_bytes(STANDARD, dumps(shown, indent=2) + b"\n")


def _find(name: str | None) -> "Bundle":
    from pathlib import Path

    from elision.model.bundle import list_bundles, load_bundle

    if name is None:
        return load_bundle(None)
    by_name = {bundle.name: bundle for bundle in list_bundles()}
    return by_name[name] if name in by_name else load_bundle(Path(name))
