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
def list_models(bundle: tools.BundlePath = None, as_json: tools.AsJson = False) -> None:
    """The bundle in use, then the shipped ones; exit code 1 if one is broken or there is none."""
    from elision.model.bundle import list_bundles, load_bundle
    from elision.model.errors import BundleError
    from elision.serving.receipts import dumps

    found, broken = [], 0
    shipped = list_bundles()
    paths = [bundle, *(path for path in shipped if path != bundle.resolve())] if bundle else shipped
    for path in paths:
        try:
            found.append(load_bundle(path))
        except BundleError as error:
            say(str(error), "error")
            broken += 1
    if as_json:
        write_bytes(STANDARD, dumps([_summary(one) for one in found]) + b"\n")
    else:
        for one in found:
            print(f"{one.identity}\t{one.path}")
    if not paths:
        say("no bundle ships with this installation; name one with --bundle", "error")
    if broken or not paths:
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


def _summary(bundle: "Bundle") -> dict[str, object]:
    return {"name": bundle.name, "hash": bundle.hash, "path": str(bundle.path)}


def _find(name: str | None, in_use: Path | None) -> "Bundle":
    from elision.model.bundle import list_bundles, load_bundle

    folders = {path.name: path for path in list_bundles()}
    return load_bundle(folders.get(name, Path(name)) if name is not None else in_use)
