"""``elision models``: which bundles there are, and what is in one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elision.serving.commands import tools
from elision.serving.streams import STANDARD, say, write_bytes

if TYPE_CHECKING:
    from elision.model.bundle import Bundle

models = typer.Typer(no_args_is_help=True, help="Show the bundles that can score.")


@models.command("list")
def list_models(as_json: tools.AsJson = False) -> None:
    """The shipped bundles, the one in use first; exit code 1 if one is broken."""
    from elision.model.bundle import list_bundles, load_bundle
    from elision.model.errors import BundleError
    from elision.serving.receipts import dumps

    bundles, broken = [], 0
    for path in list_bundles():
        try:
            bundles.append(load_bundle(path))
        except BundleError as error:
            say(str(error), "error")
            broken += 1
    if as_json:
        write_bytes(STANDARD, dumps([_summary(bundle) for bundle in bundles]) + b"\n")
    else:
        for bundle in bundles:
            print(f"{bundle.identity}\t{bundle.path}")
    if broken:
        raise typer.Exit(1)


@models.command()
def show(
    name: Annotated[str | None, typer.Argument(help="Name or folder. [default: the bundle in use]")] = None,
) -> None:
    """A bundle and its manifest as JSON; its files are checked against it."""
    from elision.serving.receipts import dumps

    bundle = _find(name)
    write_bytes(STANDARD, dumps(_summary(bundle) | {"manifest": bundle.manifest}, indent=2) + b"\n")


def _summary(bundle: "Bundle") -> dict[str, object]:
    return {"name": bundle.name, "hash": bundle.hash, "path": str(bundle.path)}


def _find(name: str | None) -> "Bundle":
    from elision.model.bundle import list_bundles, load_bundle

    folders = {path.name: path for path in list_bundles()}
    return load_bundle(folders.get(name, Path(name)) if name is not None else None)
