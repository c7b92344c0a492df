"""Put the portions of a source together: in order, packed like the source, whole or not there.

Everything is taken from the parts, so doing it twice does nothing new. The parts go last, once the output
and its line in the journal are on the disk.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from elision.serving.batch.forms.tables import write_table
from elision.serving.batch.inputs.packing import CHUNK, packed
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.tally import added
from elision.serving.batch.types import OUR_FOLDER, Done, FileReport, Form, PortionReport, Source

_ASIDE = "set-aside"


def assemble(source: Source, parts: Parts, out: Path) -> FileReport:
    """Write the output of a source whose portions are all kept; the parts stay."""
    path = out / source.name
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = out / OUR_FOLDER / f"output.{source.index}"
    seen = _Seen()
    streams = seen.passing(source, parts, out)
    if source.form is Form.TABLE:
        written = write_table(temporary, source, streams)
        sha256 = _hash_of(temporary)
    else:
        sha256 = _write(temporary, source, streams, parts.size(source.index))
        written = seen.values
    _sync(temporary)
    size = temporary.stat().st_size
    os.replace(temporary, path)
    totals = added(seen.reports)
    slowest = max(range(len(seen.reports)), key=lambda number: seen.reports[number].seconds, default=-1)
    return FileReport(
        source.index,
        source.name,
        str(source.path),
        source.form,
        source.size,
        size,
        sha256,
        len(seen.reports),
        totals.records - seen.set_aside if source.form is Form.LOG else written,
        seen.set_aside,
        totals,
        slowest,
        seen.reports[slowest].seconds if seen.reports else 0.0,
    )


def all_set_aside(sources: Sequence[Source], out: Path) -> Iterator[dict[str, Any]]:
    """The records set aside of all sources, in order, each with the name of its file."""
    for source in sources:
        path = out / OUR_FOLDER / _ASIDE / str(source.index)
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    yield {"file": source.name, **json.loads(line)}


@dataclass
class _Seen:
    """What went by while the portions were written.

    Attributes:
        reports: Of each portion.
        values: JSON values in what they left, one on each line that is not blank, or the whole document.
        set_aside: Records that they set aside.
    """

    reports: list[PortionReport] = field(default_factory=list)
    values: int = 0
    set_aside: int = 0

    def passing(self, source: Source, parts: Parts, out: Path) -> Iterator[bytes]:
        """The content of the portions; what they set aside is written beside them."""
        folder = out / OUR_FOLDER / _ASIDE
        folder.mkdir(exist_ok=True)
        with (folder / str(source.index)).open("wb") as aside:
            for done in parts.of(source.index):
                self.reports.append(done.report)
                self.set_aside += sum(record.records for record in done.set_aside)
                self.values += _values(done.data, source)
                aside.write(_lines(done))
                yield done.data
        if not self.set_aside:
            (folder / str(source.index)).unlink()


def _values(data: bytes, source: Source) -> int:
    if source.form in (Form.LOG, Form.TABLE):
        return 0
    lines = [data] if source.document else data.split(b"\n")
    return sum(bool(line.strip()) for line in lines)


def _lines(done: Done) -> bytes:
    return b"".join(json.dumps(asdict(record)).encode() + b"\n" for record in done.set_aside)


def _write(path: Path, source: Source, content: Iterator[bytes], size: int) -> str:
    sha256 = hashlib.sha256()
    with path.open("wb") as file:
        writer = packed(file, source.packing, size)
        for data in content:
            sha256.update(data)
            for start in range(0, len(data), CHUNK):
                writer.write(data[start : start + CHUNK])
        writer.close()
    return sha256.hexdigest()


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
