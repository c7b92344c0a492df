"""How far a run is, with its rate and the time left: on a terminal, and nowhere else."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from elision.serving.batch.run import Watcher
from elision.serving.streams import say


@contextmanager
def watching() -> Iterator[Watcher]:
    """A watcher that draws on stderr while the block runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield Watcher(warn=_warn)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def begin(total: int, done: int) -> None:
            progress.reset(task, total=total, completed=done)

        yield Watcher(begin, lambda size: progress.advance(task, size), _warn)


def _warn(said: str) -> None:
    say(said, "warning")
