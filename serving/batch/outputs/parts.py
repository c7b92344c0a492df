"""What is done and not yet put together: a file for each portion, whole or not there.

``OUT/.elision/parts/<source>/<number>`` holds one JSON line (report, records set aside) and then the bytes
of the output. It gets its name only when all of it is on the disk, so that a kill leaves no half part.
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from elision.serving.batch.types import OUR_FOLDER, Done, PortionReport, SetAside


class Parts:
    """The parts of one run.

    Args:
        out: The run's OUT; its folder is made when the first part is saved.
    """

    def __init__(self, out: Path) -> None:
        self._folder = out / OUR_FOLDER / "parts"

    def save(self, done: Done) -> None:
        """Keep a portion; if it is there already it is the same, and replaced."""
        folder = self._folder / str(done.source)
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{done.number}.{uuid.uuid4().hex}"  # several machines may be at it
        with open(temporary, "wb") as file:
            file.write(_header(done))
            file.write(done.data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, folder / str(done.number))

    def numbers(self, source: int) -> set[int]:
        """The portions of a source that are kept."""
        folder = self._folder / str(source)
        names = os.listdir(folder) if folder.is_dir() else []
        return {int(name) for name in names if name.isdecimal()}

    def load(self, source: int, number: int) -> Done:
        """A portion as it was saved."""
        with open(self._folder / str(source) / str(number), "rb") as file:
            report, set_aside = _read_header(file)
            return Done(source, number, file.read(), report, set_aside)

    def of(self, source: int) -> Iterator[Done]:
        """The portions of a source in order, one at a time."""
        for number in sorted(self.numbers(source)):
            yield self.load(source, number)

    def size(self, source: int) -> int:
        """Bytes of all portions of a source together, without their headers."""
        return sum(self._size(self._folder / str(source) / str(number)) for number in self.numbers(source))

    def _size(self, part: Path) -> int:
        with part.open("rb") as file:
            return part.stat().st_size - len(file.readline())

    def drop(self, source: int) -> None:
        """Forget a source that has been put together."""
        shutil.rmtree(self._folder / str(source), ignore_errors=True)


def _header(done: Done) -> bytes:
    header = {"report": asdict(done.report), "set_aside": [asdict(record) for record in done.set_aside]}
    return json.dumps(header).encode() + b"\n"  # in ASCII: a lone surrogate is no reason to fail


def _read_header(file: BinaryIO) -> tuple[PortionReport, tuple[SetAside, ...]]:
    header = json.loads(file.readline())
    return report_of(header["report"]), tuple(SetAside(**record) for record in header["set_aside"])


def report_of(fields: dict[str, object]) -> PortionReport:
    """A report read back from JSON."""
    found = PortionReport(**fields)  # type: ignore[arg-type]
    templates = {name: (counts[0], counts[1]) for name, counts in found.templates.items()}
    return PortionReport(**{**fields, "templates": templates})  # type: ignore[arg-type]
