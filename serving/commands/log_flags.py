"""The flags that read a text as a log, and those that select its records."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from elision.compaction.logs.select import Selection
    from elision.serving.logs.asked import SelectionAsked

Log = Annotated[bool, typer.Option("--log", help="The text is a log: fold all that repeats.")]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Of a log: leave out what is before; a time, or 2h ago as 2h."),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Of a log: leave out what is after.")
]
Level = Annotated[
    str | None, typer.Option("--level", help="Of a log: leave out what is less severe, such as warn.")
]
Around = Annotated[
    str | None, typer.Option("--around", metavar="REGEX", help="Of a log: leave out what is not near a match.")
]
Context = Annotated[int, typer.Option("--context", help="Records near a match that stay, on each side.")]
Counts = Annotated[
    bool, typer.Option("--counts", help="Of a log: tell its lines by level and by template, on stderr or in the JSON.")
]


def asked_of(
    since: str | None, until: str | None, level: str | None, around: str | None, context: int
) -> "SelectionAsked | None":
    """What the flags select, as it was spelled; None if that is everything."""
    if context and around is None:
        raise typer.BadParameter("--context needs --around")
    if since is None and until is None and level is None and around is None:
        return None
    from elision.serving.logs.asked import SelectionAsked

    return SelectionAsked(datetime.now().astimezone(), since, until, level, around, context)


def selection_of(
    since: str | None, until: str | None, level: str | None, around: str | None, context: int
) -> "Selection | None":
    """What the flags select; None if that is everything.

    Raises:
        BadTime, BadLevel, BadAround: If it makes no sense.
    """
    asked = asked_of(since, until, level, around, context)
    return asked.spelled_out() if asked else None
