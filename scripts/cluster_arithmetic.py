"""What a terabyte a day takes on a cluster, from what a core here does in a minute.

    .venv/bin/python scripts/cluster_arithmetic.py [--write] [--terabytes 1] [--hours 24]
        [--repetitive SAMPLE] [--dense SAMPLE] [--rates 12.5 0.05]

Two logs are measured, each in a process of its own, through the very steps of a worker (read, stage,
part): one that repeats itself, where rules do the work, and one that does not, where the model must
read. Name samples of your own logs to know about them, or rates you have measured elsewhere. --write
puts the tables between the two markers of docs/cluster.md.
"""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from elision.serving.batch.inputs.read import read
from elision.serving.batch.outputs.assemble import assemble
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.settings import WHOLE_PORTION, BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import Done, Form, Packing, PortionReport, Source
from elision.training.passages import rewritten

GENERATE = Path(__file__).with_name("generate_log.py")
PAGE = Path(__file__).resolve().parent.parent / "docs" / "cluster.md"
BEGIN, END = "<!-- arithmetic: written by scripts/cluster_arithmetic.py -->", "<!-- /arithmetic -->"
MB, GB, TB = 1e6, 1e9, 1e12
REPETITIVE_MB, DENSE_BYTES = 32, 500_000  # some twenty seconds each on one core
JOINED = 6  # portions
WORDS = (
    "lease quota shard index replica tenant cursor batch ledger socket region schema token queue bucket "
    "probe digest mirror anchor gateway vector cache stream epoch broker"
).split()
ENDINGS = ("", "s", "ing", "ed", "er")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one core does with a log.

    Attributes:
        rate: MB of input per second of CPU time.
        written: Bytes of output per byte of input.
        tokens: Reader tokens per byte of input.
        kept: Share of those that stay.
        peak_mb: Most memory that the process held.
    """

    rate: float
    written: float
    tokens: float
    kept: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is assumed, not measured; each is a flag.

    Attributes:
        terabytes: Input of a day.
        hours: In how many hours of the day it has to be done.
        busy: Share of the time that a core is at work: the rest is Ray, the network and the last file.
        machine_cores: Cores of a machine.
        machine_gb: Its memory.
        core_hour: Price of a core for an hour, in dollars.
    """

    terabytes: float
    hours: float
    busy: float
    machine_cores: int
    machine_gb: int
    core_hour: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repetitive", type=Path, metavar="SAMPLE", help="[default: one is made]")
    parser.add_argument("--dense", type=Path, metavar="SAMPLE", help="[default: one is made]")
    parser.add_argument("--rates", type=float, nargs=2, metavar="MB/S", help="per core: repetitive, dense")
    parser.add_argument("--keep-ratio", type=float, default=0.3)
    parser.add_argument("--terabytes", type=float, default=1.0)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--busy", type=float, default=0.7)
    parser.add_argument("--machine-cores", type=int, default=16)
    parser.add_argument("--machine-gb", type=int, default=64)
    parser.add_argument("--core-hour", type=float, default=0.04, help="dollars")
    parser.add_argument("--dense-share", type=float, default=0.05, help="of a day's bytes, third column")
    parser.add_argument("--write", action="store_true", help="also into docs/cluster.md")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(asdict(measured(args.one, args.keep_ratio))))
        return
    often, ever = measure(args.repetitive, args.dense, args.keep_ratio)
    if args.rates:
        often, ever = replace(often, rate=args.rates[0]), replace(ever, rate=args.rates[1])
    day = Cluster(args.terabytes, args.hours, args.busy, args.machine_cores, args.machine_gb, args.core_hour)
    joins = joined(Packing.PLAIN), joined(Packing.GZ)
    text = "\n".join(table(often, ever, joins, args.dense_share, args.keep_ratio, day))
    print(text)
    if args.write:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), BEGIN, END, text), encoding="utf-8")


def measure(repetitive: Path | None, dense: Path | None, keep_ratio: float) -> tuple[Measured, Measured]:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "repetitive.log", Path(folder) / "dense.log"
        if repetitive is None:
            command = [sys.executable, str(GENERATE), str(made[0]), "--megabytes", str(REPETITIVE_MB)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if dense is None:
            made[1].write_text("".join(ever_new(DENSE_BYTES)))
        return _alone(repetitive or made[0], keep_ratio), _alone(dense or made[1], keep_ratio)


def _alone(path: Path, keep_ratio: float) -> Measured:
    command = [sys.executable, __file__, "--one", str(path), "--keep-ratio", str(keep_ratio)]
    return Measured(**json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def measured(path: Path, keep_ratio: float) -> Measured:
    """Read a log, shorten it and keep its parts, in this process and on one thread."""
    settings = BatchSettings(keep_ratio)
    source = Source(0, path, path.name, Form.LOG, Packing.PLAIN, path.stat().st_size)
    stage, before, after, written = Stage(settings), 0, 0, 0
    with tempfile.TemporaryDirectory() as out:
        parts = Parts(Path(out))
        began = time.process_time()
        for portion in read(source, settings, ()):
            done = stage(portion)
            parts.save(done)
            before += done.report.tokens_before
            after += done.report.tokens_after
            written += len(done.data)
        seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    return Measured(
        source.size / MB / seconds, written / source.size, before / source.size, after / before, peak
    )


def joined(packing: Packing) -> float:
    """MB of parts that the driver puts together in a second, and packs."""
    text = "".join(ever_new(WHOLE_PORTION)).encode()
    with tempfile.TemporaryDirectory() as folder:
        out, parts = Path(folder), Parts(Path(folder))
        for number in range(JOINED):
            parts.save(Done(0, number, text, PortionReport()))
        source = Source(0, out / "a.log", "a.log", Form.LOG, packing, 0)
        began = time.perf_counter()
        assemble(source, parts, out)
        return JOINED * len(text) / MB / (time.perf_counter() - began)


def ever_new(size: int) -> Iterator[str]:
    """Lines of which no two say the same, so that only the model can tell them apart."""
    chance, written = random.Random(2), 0
    while written < size:
        words = [chance.choice(WORDS) + chance.choice(ENDINGS) for _ in range(chance.randrange(8, 20))]
        line = " ".join(words).capitalize() + f" after {chance.randrange(100)} {chance.choice(WORDS)}s\n"
        written += len(line)
        yield line


def table(
    often: Measured, ever: Measured, joins: tuple[float, float], share: float, keep_ratio: float, day: Cluster
) -> Iterator[str]:
    """The two tables as Markdown."""
    mixed = blended(often, ever, share)
    kinds = (often, ever, mixed)
    yield f"| one core, keep ratio {keep_ratio} | repetitive log | dense log | {share:.0%} of it dense |"
    yield "| --- | --- | --- | --- |"
    yield _row("MB of input per second", *(f"{kind.rate:.3g}" for kind in kinds))
    yield _row("bytes of output per byte of input", *(f"{kind.written:.2g}" for kind in kinds))
    yield _row("share of the tokens that stays", *(f"{kind.kept:.2g}" for kind in kinds))
    yield _row("peak memory of the process, MB", *(f"{kind.peak_mb:.0f}" for kind in kinds))
    yield ""
    yield f"The driver puts parts together at {joins[0]:,.0f} MB/s, at {joins[1]:,.0f} MB/s where it packs with gzip."
    yield ""
    yield f"| {day.terabytes:g} TB in {day.hours:g} hours | repetitive log | dense log | {share:.0%} of it dense |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(name, *cells) for name, cells in figures(kinds, joins, day).items())


def blended(often: Measured, ever: Measured, share: float) -> Measured:
    """A log of which a share of the bytes is dense: times add up, and so do bytes and tokens."""
    tokens = (1 - share) * often.tokens + share * ever.tokens
    kept = (1 - share) * often.tokens * often.kept + share * ever.tokens * ever.kept
    return Measured(
        rate=1 / ((1 - share) / often.rate + share / ever.rate),
        written=(1 - share) * often.written + share * ever.written,
        tokens=tokens,
        kept=kept / tokens,
        peak_mb=max(often.peak_mb, ever.peak_mb),
    )


def figures(kinds: tuple[Measured, ...], joins: tuple[float, float], day: Cluster) -> dict[str, list[str]]:
    size = day.terabytes * TB
    spent = [size / MB / kind.rate / 3600 for kind in kinds]  # core hours
    cores = [math.ceil(hours / day.hours / day.busy) for hours in spent]
    memory = [n * kind.peak_mb * MB for n, kind in zip(cores, kinds, strict=True)]
    # A stage has one portion at work and one waiting, and as much again is being read or written.
    held = [n * 4 * WHOLE_PORTION for n in cores]
    machines = [
        max(math.ceil(n / day.machine_cores), math.ceil((used + kept) / GB / (0.8 * day.machine_gb)))
        for n, used, kept in zip(cores, memory, held, strict=True)
    ]
    outputs = [size * kind.written for kind in kinds]
    portions = size / WHOLE_PORTION
    return {
        "core hours of work": [f"{hours:,.0f}" for hours in spent],
        f"cores, each at work {day.busy:.0%} of the time": [f"{n:,}" for n in cores],
        "memory of the workers": [f"{used / GB:,.1f} GB" for used in memory],
        "object store, all machines": [f"{kept / GB:,.1f} GB" for kept in held],
        f"machines of {day.machine_cores} cores and {day.machine_gb} GB": [f"{n:,}" for n in machines],
        "read from the shared file system": [f"{size / MB / day.hours / 3600:,.1f} MB/s"] * len(kinds),
        "written there: parts, then outputs": [f"{2 * out / GB:,.3g} GB" for out in outputs],
        "outputs": [f"{out / GB:,.3g} GB" for out in outputs],
        "portions, each a task and a file with an fsync": [
            f"{portions:,.0f}, {portions / day.hours / 3600:.1f} a second"
        ]
        * len(kinds),
        "driver's time to put them together, plain or gzip": [
            ", ".join(f"{out / MB / rate / 60:,.0f} min" for rate in joins) for out in outputs
        ],
        "tokens before": [f"{size * kind.tokens / GB:,.0f} billion" for kind in kinds],
        "tokens after": [f"{size * kind.tokens * kind.kept / GB:,.3g} billion" for kind in kinds],
        f"cores at ${day.core_hour:g} an hour": [f"${h / day.busy * day.core_hour:,.0f} a day" for h in spent],
    }


def _row(name: str, *cells: str) -> str:
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
