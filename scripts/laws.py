"""Run the property tests with a thousand examples each and more, and print how many each saw.

    .venv/bin/python scripts/laws.py [--json] [PATH ...]

A law is a test marked ``law``, or any other test of hypothesis; a few of those are dear and set a number
of their own. Ends with 1 when one fails, or one of tests/compaction/test_laws.py saw fewer than a
thousand examples although it did not run out of different ones.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
ENOUGH = 1000
LAWS = "tests/compaction/test_laws.py"
_LAW = re.compile(r"^(?P<name>tests/\S+::.+):$\n(?P<body>(?:^ .*\n|^\n)+)", re.MULTILINE)
_PASSING = re.compile(r"- ([\d_,]+) passing(?: examples)?, ([\d_,]+) failing")
_EXHAUSTED = "nothing left to do"


def examined(printed: str) -> dict[str, tuple[int, int, bool]]:
    """Of each law in pytest's output: examples that passed, that failed, and whether no others are left."""
    found = {}
    for law in _LAW.finditer(printed):
        counts = [tuple(int(re.sub("[_,]", "", n)) for n in pair) for pair in _PASSING.findall(law["body"])]
        passed, failed = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
        found[law["name"]] = passed, failed, _EXHAUSTED in law["body"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="*", default=["tests"])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-q", "-m", "law or hypothesis", *args.paths]
    command += ["--hypothesis-profile=thorough", "--hypothesis-show-statistics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    laws = examined(done.stdout)
    few = [name for name, (passed, failed, all_) in laws.items() if not failed and passed < ENOUGH and not all_]
    if args.json:
        report = {"laws": len(laws), "exit": done.returncode, "few": few, "examples": {n: c[:2] for n, c in laws.items()}}
        print(json.dumps(report, indent=2))
    else:
        table = Table("law", "passed", "failed", box=None)
        for name, (passed, failed, _) in sorted(laws.items()):
            table.add_row(name, str(passed), str(failed) if failed else "")
        Console(width=150).print(table)
        print(f"{len(laws)} laws, {len(few)} with fewer than {ENOUGH} examples")
    if done.returncode:
        print(done.stdout.split("= Hypothesis Statistics =")[0][-6000:], file=sys.stderr)
    return int(done.returncode != 0 or any(name.startswith(LAWS) for name in few))


if __name__ == "__main__":
    sys.exit(main())
