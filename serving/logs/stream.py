"""The one loop: read what comes, cut it, shorten it. Files, clocks and signals are handed in."""

from collections.abc import Callable, Iterator

from elision.serving.logs.cutting import Cutter
from elision.serving.logs.shortening import LogShortener, Shortened

# The text that came until a time (None: until any comes), and when; None once nothing more comes.
Read = Callable[[float | None], tuple[str, float] | None]


def stream(read: Read, cutter: Cutter, log: LogShortener) -> Iterator[Shortened]:
    """What becomes of an endless log, as soon as that is known.

    Raises:
        RedactionFailed: If secrets are to be replaced, and anything of ours goes wrong.
    """
    while (came := read(cutter.due)) is not None:
        for window in cutter.push(*came):
            yield from log.shorten(window)
    for window in cutter.close():
        yield from log.shorten(window)
    yield from log.close()
