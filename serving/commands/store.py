"""``elision store``: what is kept between requests, and how to be rid of it."""

import re
from datetime import UTC, datetime
from typing import Annotated

import typer

from elision.serving.commands.expand import StorePath
from elision.serving.errors import BadInput

store = typer.Typer(no_args_is_help=True, help="Look at the kept originals, or delete some.")

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


@store.command()
def stats(path: StorePath = None) -> None:
    """How much is kept, over all tenants."""
    from elision.serving.stores.open import open_existing

    stores = open_existing(path)
    found = stores.stats()
    stores.close()
    oldest = found.oldest_use and datetime.fromtimestamp(found.oldest_use, UTC).isoformat(" ", "seconds")
    print(f"originals   {found.originals:,}")
    print(f"decisions   {found.decisions:,}")
    print(f"bytes       {found.bytes:,}")
    print(f"oldest use  {oldest or '-'}")


@store.command()
def delete(
    session: Annotated[str | None, typer.Option("--session", help="Texts that only it used.")] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="TIME", help="Unused for so long: 90s, 12h, 7d, 2w.")
    ] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only texts of this tenant.")] = None,
    path: StorePath = None,
) -> None:
    """Delete originals and what was decided about them; what is given must all hold."""
    from elision.serving.stores.open import open_existing

    if session is None and older_than is None:
        raise BadInput("say what to delete, with --session or --older-than (0s is everything)")
    seconds = None if older_than is None else seconds_of(older_than)
    stores = open_existing(path)
    deleted = stores.delete(session=session, older_than_seconds=seconds, tenant=tenant)
    stores.close()
    print(f"deleted {deleted:,} original{'' if deleted == 1 else 's'}")


def seconds_of(duration: str) -> float:
    """A time such as ``90s``, ``30m``, ``12h``, ``7d`` or ``1.5w`` in seconds.

    Raises:
        BadInput: If it is none.
    """
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s?([smhdw])", duration.strip())
    if not found:
        raise BadInput(f"{duration!r} is not a time such as 90s, 30m, 12h, 7d or 2w")
    return float(found[1]) * _SECONDS[found[2]]
