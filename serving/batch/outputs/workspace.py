"""One run at a time in an OUT, and what is ours in there until the run is over.

``OUT/.elision`` holds the run's parts, its journal and a lock that ends with its process. It goes in one
step at the very end: while it is there the run is not finished.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elision.serving.batch.errors import CannotResume, OutInUse, OutNotEmpty
from elision.serving.batch.types import MANIFEST, OUR_FOLDER
from elision.serving.errors import BadOutput

_GOING = ".elision.done"  # ours, on its way out


@contextmanager
def claimed(out: Path, resume: bool) -> Iterator[bool]:
    """Have OUT for ourselves; True if there is a run to do, False if the one to resume is finished.

    Raises:
        OutNotEmpty: If there is something in OUT, and nothing is resumed.
        CannotResume: If what is there is no run of ours.
        OutInUse: If another run is at work.
        BadOutput: If OUT cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        if resume:
            shutil.rmtree(out / _GOING, ignore_errors=True)
        found = sorted(path.name for path in out.iterdir())
    except OSError as error:
        raise BadOutput(f"cannot write to {out}: {error.strerror}") from None
    if found and not resume:
        raise OutNotEmpty(f"{out} is not empty (it holds {found[0]}): name another --out, or go on with --resume")
    if found and OUR_FOLDER not in found:
        if MANIFEST not in found:
            raise CannotResume(f"cannot resume: there is no run in {out}")
        yield False
        return
    with _locked(out):
        yield True


def release(out: Path) -> None:
    """The run is over: take what is ours away."""
    os.replace(out / OUR_FOLDER, out / _GOING)
    shutil.rmtree(out / _GOING)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    folder = out / OUR_FOLDER
    try:
        folder.mkdir(exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise BadOutput(f"cannot write to {out}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(handle, 20, 0).decode().strip()
            raise OutInUse(f"another run (process {owner or 'unknown'}) is writing to {out}") from None
        if not _is_still(folder / "lock", handle):
            raise OutInUse(f"another run has just ended in {out}")
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def _is_still(path: Path, handle: int) -> bool:
    """Whether the file that is locked is the one that others will try to lock."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False
