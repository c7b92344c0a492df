"""``elision expand``: the original behind a handle."""

from pathlib import Path
from typing import Annotated

import typer

from elision.serving.streams import STANDARD, say, write_bytes

StorePath = Annotated[
    Path | None,
    typer.Option(
        "--store", metavar="PATH", help="Store file. [default: ELISION_STORE, or one in the user's data folder]"
    ),
]


def expand(
    handle: Annotated[str, typer.Argument(help="The 24 digits that stand where the text was shortened.")],
    lines: Annotated[
        str | None, typer.Option("--lines", metavar="A-B", help="Only these lines, from 1, both included.")
    ] = None,
    grep: Annotated[
        str | None, typer.Option("--grep", metavar="REGEX", help="Only lines that match, with their numbers.")
    ] = None,
    store: StorePath = None,
    tenant: Annotated[str, typer.Option("--tenant", help="Whose text it is: the SHA-256 of the API key the service was asked with.")] = "",
) -> None:
    """Print an original exactly as it was; exit code 1 if there is none under this handle."""
    from elision.serving.errors import UnknownHandle
    from elision.serving.expand import read_original, selector
    from elision.serving.stores.open import open_existing

    select = selector(lines, grep)
    stores = open_existing(store)
    try:
        original = read_original(stores.scope(tenant, ""), handle)
    except UnknownHandle as error:
        say(str(error), "error")
        raise typer.Exit(1) from None
    finally:
        stores.close()
    write_bytes(STANDARD, select(original).encode("utf-8", "surrogatepass"))
