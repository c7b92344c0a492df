"""What the commands that write label files have in common: where the file goes, and what goes beside it."""

from pathlib import Path
from typing import Annotated

import typer

from elision.serving.errors import BadOutput

LabelsOut = Annotated[Path, typer.Option("--out", help="Label file to write, .jsonl or .jsonl.gz.")]
OUT = Path("labels.jsonl.gz")


def check_place(out: Path) -> None:
    """Before anything is paid for.

    Raises:
        BadOutput: If no file can be written there.
    """
    if not out.parent.is_dir() or out.is_dir():
        raise BadOutput(f"cannot write {out}: {'it is a directory' if out.is_dir() else 'no such directory'}")


def beside(out: Path, ending: str) -> Path:
    """The file of the same name with another ending."""
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json") + ending)
