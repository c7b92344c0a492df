"""CPU time and memory that the worst inputs take, each in a process of its own.

    .venv/bin/python scripts/worst_inputs.py [--size 1000000] [--only bomb] [--json]

Every input of `elision.training.audits.worst_inputs` goes through the text path with a stand-in scorer at
keep ratio .33. Ends with 1 if one takes more than 10 s of CPU or 1 GB, or fails.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

from elision.compaction.compress import compress
from elision.compaction.tokens import counter
from elision.compaction.types import Budget
from elision.training.audits.stand_in import StandIn
from elision.training.audits.worst_inputs import WORST

MOST_CPU_S, MOST_MB = 10.0, 1000.0
GIVE_UP_S = 120


def measure(name: str, size: int) -> dict[str, float | str]:
    """Shorten one input here and now; memory is the peak of the whole process."""
    text = WORST[name](size)
    counter().count("warm")
    began = time.process_time()
    receipt = compress(text, Budget(keep_ratio=0.33), scorer=StandIn(), counter=counter()).receipt
    return {
        "cpu_s": time.process_time() - began,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "tokens_before": receipt.tokens_before,
        "tokens_after": receipt.tokens_after,
        "reason": receipt.reason,
    }


def alone(name: str, size: int) -> dict[str, float | str]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--size", str(size), "--here", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIVE_UP_S)
    except subprocess.TimeoutExpired:
        return {"cpu_s": float(GIVE_UP_S), "peak_mb": 0.0, "failed": f"still running after {GIVE_UP_S} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"cpu_s": 0.0, "peak_mb": 0.0, "failed": last}
    return dict(json.loads(done.stdout))


def too_much(figures: dict[str, float | str]) -> bool:
    return "failed" in figures or float(figures["cpu_s"]) > MOST_CPU_S or float(figures["peak_mb"]) > MOST_MB


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of each input")
    parser.add_argument("--only", default="", help="only inputs whose name holds this")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.here:
        print(json.dumps(measure(args.here, args.size)))
        return 0
    found = {}
    for name in (name for name in WORST if args.only in name):
        found[name] = alone(name, args.size)
        print(f"{name}: {found[name]}", file=sys.stderr) if too_much(found[name]) else None
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        table = Table("input", "CPU s", "MB", "tokens", "left", "reason", title=f"{args.size:,} characters each")
        for name, its in sorted(found.items(), key=lambda item: -float(item[1]["cpu_s"])):
            numbers = f"{its['cpu_s']:.2f}", f"{its['peak_mb']:.0f}"
            counts = str(its.get("tokens_before", "")), str(its.get("tokens_after", ""))
            table.add_row(name, *numbers, *counts, str(its.get("failed") or its["reason"]))
        Console(width=130).print(table)
    return int(any(map(too_much, found.values())))


if __name__ == "__main__":
    sys.exit(main())
