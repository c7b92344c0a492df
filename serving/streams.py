"""What a command reads and writes: files, ``-`` for the standard streams, all of it as bytes.

stdout carries data only; everything a human should know goes to stderr. A file is written
whole or not at all.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path

from elision.serving.errors import BadInput, BadOutput

STANDARD = "-"


def read_bytes(name: str) -> bytes:
    """The bytes of a file, or of stdin for ``-``.

    Raises:
        BadInput: If there is no such file, or it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()
    except FileNotFoundError:
        raise BadInput(f"no such file: {name}") from None
    except IsADirectoryError:
        raise BadInput(f"{name} is a directory") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot read {name}: {_why(error)}") from None


def write_bytes(name: str, data: bytes) -> None:
    """Write a file, atomically where it is a regular one, or to stdout for ``-``.

    A reader of stdout that has had enough, as in ``elision compress f | head``, is no error.

    Raises:
        BadOutput: If the file cannot be written; what was there before is untouched.
    """
    if name == STANDARD:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            mute_stdout()
        return
    path = Path(os.path.realpath(name))  # a symbolic link stays, its target is replaced
    try:
        if path.exists() and not path.is_file():  # a directory fails, a device works
            path.write_bytes(data)
        else:
            _replace(path, data)
    except OSError as error:
        raise BadOutput(f"cannot write {name}: {_why(error)}") from None


def say(message: str, level: str = "") -> None:
    """One line on stderr, as ``elision: level: message``."""
    parts = ["elision", level, " ".join(message.split())]
    print(": ".join(part for part in parts if part), file=sys.stderr, flush=True)


def mute_stdout() -> None:
    """Send what is left in the buffers nowhere, so that Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, _mode(path))  # mkstemp's own mode would hide it from everybody else
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
