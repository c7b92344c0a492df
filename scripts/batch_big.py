"""Shorten a generated log with `elision batch` and measure the whole tree of processes.

    .venv/bin/python scripts/batch_big.py --megabytes 2000 [--jobs 2] [--keep-ratio 0.3] [--folder /tmp]

Prints MB/s, the peak of memory over all processes together, and how many of the log's rare lines are in
the output. Ends with 1 at more than 1.2 GB, at less than 5 MB/s (not with --untimed), or if a rare line or
a count is lost.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from elision.serving.batch.types import REPORT

SCRIPTS = Path(__file__).parent
ELISION = Path(sys.executable).with_name("elision")
MOST_MB, LEAST_MB_S = 1200.0, 5.0
SAMPLE_S = 0.1


def memory_of_tree(root: int) -> float:
    """MB that a process and all below it have in memory; pages that they share count once for each."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    sizes: dict[int, float] = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
        except OSError:  # it has just ended
            continue
        pid = int(status.parent.name)
        children[int(fields["PPid"])].append(pid)
        sizes[pid] = int(fields.get("VmRSS", "0 kB").split()[0]) / 1000
    found, tree = 0.0, [root]
    while tree:
        pid = tree.pop()
        found += sizes.get(pid, 0.0)
        tree += children[pid]
    return found


def measured(log: Path, out: Path, jobs: int, keep_ratio: float) -> dict[str, float]:
    """Run the batch; memory is sampled, so a short peak may be missed."""
    command = [str(ELISION), "batch", str(log), "--out", str(out)]
    command += ["--jobs", str(jobs), "--keep-ratio", str(keep_ratio)]
    began, peak = time.monotonic(), 0.0
    process = subprocess.Popen(command)
    while process.poll() is None:
        peak = max(peak, memory_of_tree(process.pid))
        time.sleep(SAMPLE_S)
    if process.returncode:
        raise SystemExit(process.returncode)
    seconds = time.monotonic() - began
    return {"seconds": seconds, "mb_s": log.stat().st_size / 1e6 / seconds, "peak_mb": peak}


def rare_lines(log: Path, output: Path) -> tuple[int, int]:
    """How many rare lines the log has, and how many of them are whole in the output."""
    with output.open("rb") as file:
        survived = {line for line in file if b"RARE-" in line}
    with log.open("rb") as file:
        there = [line for line in file if b"RARE-" in line]
    return len(there), sum(line in survived for line in there)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep-ratio", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=None, help="where there is room for the log")
    parser.add_argument("--untimed", action="store_true", help="do not judge the speed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        log, out = Path(folder) / "big.log", Path(folder) / "out"
        generate = [sys.executable, str(SCRIPTS / "generate_log.py"), str(log), "--megabytes", str(args.megabytes)]
        made = json.loads(subprocess.check_output([*generate, "--seed", str(args.seed)]))
        figures: dict[str, Any] = measured(log, out, args.jobs, args.keep_ratio)
        report = json.loads((out / REPORT).read_bytes())
        there, survived = rare_lines(log, out / log.name)
        figures |= {"rare": there, "survived": survived, "lines": report["totals"]["lines"]}
        figures |= {"tokens_kept": report["totals"]["kept"], "adds_up": report["adds_up"]}
    print(json.dumps(figures))
    complete = there == survived == made["rare"] and figures["lines"] == made["lines"] and not report["adds_up"]
    fast = args.untimed or figures["mb_s"] >= LEAST_MB_S
    return 0 if complete and fast and figures["peak_mb"] <= MOST_MB else 1


if __name__ == "__main__":
    sys.exit(main())
