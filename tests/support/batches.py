"""What tests of batches share: an engine in this process, packings, and logs to shorten."""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import zstandard

from elision.serving.batch.errors import Unreadable
from elision.serving.batch.events import Events, Kept, Read, Unread
from elision.serving.batch.inputs.read import read
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.run import Engine
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import Packing, Source

PACK: dict[Packing, Callable[[bytes], bytes]] = {
    Packing.PLAIN: bytes,
    Packing.GZ: gzip.compress,
    Packing.ZST: zstandard.compress,
}
UNPACK: dict[Packing, Callable[[bytes], bytes]] = {
    Packing.PLAIN: bytes,
    Packing.GZ: gzip.decompress,
    Packing.ZST: zstandard.decompress,
}
# Short enough for several portions of a small file.
PORTION = 4000


def run_here(
    sources: Sequence[Source], settings: BatchSettings, out: Path, done: Mapping[int, frozenset[int]], jobs: int
) -> Events:
    """An engine without any other process."""
    stage, parts = Stage(settings), Parts(out)
    for source in sources:
        count = len(done[source.index])
        try:
            for portion in read(source, settings, done[source.index]):
                parts.save(stage(portion))
                count += 1
                yield Kept(source.index, portion.number, portion.size)
        except Unreadable as error:
            yield Unread(source.index, str(error))
        else:
            yield Read(source.index, count)


class Stopped(Exception):
    """What a run dies of in a test."""


def stopping_after(count: int, engine: Engine = run_here) -> Engine:
    """An engine that dies after so many events."""

    def stopped(
        sources: Sequence[Source],
        settings: BatchSettings,
        out: Path,
        done: Mapping[int, frozenset[int]],
        jobs: int,
    ) -> Events:
        events = engine(sources, settings, out, done, jobs)
        for _ in range(count):
            event = next(events, None)
            if event is None:
                return
            yield event
        raise Stopped

    return stopped


def log_text(lines: int, seed: int = 0) -> str:
    """Records of a few kinds, some of several lines, and one that comes once."""
    made = []
    for n in range(lines):
        stamp = f"2026-01-15 10:{n // 60 % 60:02}:{n % 60:02}"
        made.append(f"{stamp} INFO worker-{n % 4} step {n + seed} finished in {n * 7 % 900} ms\n")
        if n % 50 == 20:
            made.append(f"{stamp} ERROR worker-{n % 4} job {n} failed\nTraceback (most recent call last):\n")
            made.append('  File "jobs.py", line 12, in run\nValueError: no such queue\n')
        if n == lines // 2:
            made.append(f"{stamp} WARN disk /dev/sda{seed} is almost full\n")
    return "".join(made)


def content_of(folder: Path) -> dict[str, bytes]:
    """All files of an output but those that hold times."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.name not in ("report.json", "report.html")
    }


def processes(title: str, above: int = 0) -> Iterator[int]:
    """Processes with this in their command line; only those below another, if that is named."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if title in (path / "cmdline").read_text(errors="replace") and _is_below(int(path.name), above):
                yield int(path.name)
        except OSError:
            continue


def _is_below(pid: int, above: int) -> bool:
    while pid not in (0, above):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid == above
