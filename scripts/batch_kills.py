"""Kill a batch at random moments, resume it, and compare every byte with an undisturbed run.

    .venv/bin/python scripts/batch_kills.py ../shared/data/logs/dev --kills 20 [--seed 1] [--jobs 2]
        [-- --keep-ratio 0.3 ...]

Kills are SIGKILL: of the whole process group, and every third of the main process alone. One comes while
the reports are written. When a run gets to its end before it is killed, the outputs are compared and a
new one is begun. Ends with 1 if anything differs; times in the report may.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ELISION = Path(sys.executable).with_name("elision")
FREE = ("report.json", "report.html")  # hold times
REPORTING = Path(".elision", "set-aside.jsonl")  # there from when the reports begin
TIMED = ("seconds", "megabytes_per_second", "slowest")
POLL_S = 0.0005


class Runs:
    """Runs of one command into one folder."""

    def __init__(self, command: list[str], out: Path) -> None:
        self._command, self.out = command, out

    def start(self) -> subprocess.Popen[bytes]:
        """Begin, or go on where there is something to go on with."""
        resume = ["--resume"] if self.out.exists() and any(self.out.iterdir()) else []
        command = [*self._command, "--out", str(self.out), *resume]
        return subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)

    def finish(self) -> None:
        process = self.start()
        _, said = process.communicate()
        if process.returncode not in (0, 1):
            raise SystemExit(f"exit code {process.returncode}: {said.decode()}")


def kill_after(process: subprocess.Popen[bytes], seconds: float, alone: bool) -> bool:
    """Kill it then; False if it had ended before."""
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        return _kill(process, alone)


def kill_reporting(process: subprocess.Popen[bytes], out: Path) -> bool:
    """Kill it as soon as it writes the reports."""
    while process.poll() is None:
        if (out / REPORTING).exists() and (out / ".elision").exists():
            return _kill(process, alone=False)
        time.sleep(POLL_S)
    return False


def _kill(process: subprocess.Popen[bytes], alone: bool) -> bool:
    try:
        os.kill(process.pid, signal.SIGKILL) if alone else os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    process.communicate()
    return process.returncode == -signal.SIGKILL


def differences(expected: Path, found: Path) -> Iterator[str]:
    """What is not the same in two outputs."""
    names, there = ({str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()} for root in (expected, found))
    yield from (f"{name} is missing" for name in sorted(names - there))
    yield from (f"{name} should not be there" for name in sorted(there - names))
    for name in sorted(names & there - set(FREE)):
        if (expected / name).read_bytes() != (found / name).read_bytes():
            yield f"{name} differs"
    if _timeless(expected / FREE[0]) != _timeless(found / FREE[0]):
        yield f"{FREE[0]} differs in more than times"


def _timeless(path: Path) -> Any:
    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if not any(word in k for word in TIMED)}
        return [without(item) for item in value] if isinstance(value, list) else value

    return without(json.loads(path.read_bytes()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    ours, more = sys.argv[1:], []
    if "--" in ours:
        at = ours.index("--")
        ours, more = ours[:at], ours[at + 1 :]
    args = parser.parse_args(ours)
    if not Path(args.input).exists():
        parser.error(f"no such file or folder: {args.input}")
    command = [str(ELISION), "batch", args.input, "--jobs", str(args.jobs), *more]
    with tempfile.TemporaryDirectory() as folder:
        return _all(command, args.kills, random.Random(args.seed), Path(folder))


def _all(command: list[str], kills: int, dice: random.Random, folder: Path) -> int:
    expected, killed = Runs(command, folder / "expected"), Runs(command, folder / "killed")
    began = time.monotonic()
    expected.finish()
    seconds = time.monotonic() - began
    print(f"undisturbed: {seconds:.1f} s", flush=True)
    done, wrong = 0, []
    while done < kills:
        # The last one is the one during the reports; the others come early enough to be several a run.
        if done == kills - 1:
            hit, when = kill_reporting(killed.start(), killed.out), "while reporting"
        else:
            moment = dice.uniform(0, max(2.0, 0.6 * seconds))
            hit, when = kill_after(killed.start(), moment, alone=done % 3 == 2), f"after {moment:.2f} s"
        if hit:
            done += 1
            print(f"kill {done}: {when}, {_kept(killed.out)}", flush=True)
        else:
            wrong += _compared(expected, killed)
            shutil.rmtree(killed.out)
    wrong += _compared(expected, killed)
    print("\n".join(wrong) or f"{kills} kills: every byte is as in the undisturbed run")
    return bool(wrong)


def _kept(out: Path) -> str:
    if not out.exists():
        return "nothing begun"
    parts = len([path for path in (out / ".elision" / "parts").glob("*/*") if path.name.isdecimal()])
    journal = out / ".elision" / "journal.jsonl"
    files = journal.read_bytes().count(b"\n") if journal.exists() else 0
    return f"{files} files finished, {parts} parts kept"


def _compared(expected: Runs, killed: Runs) -> list[str]:
    killed.finish()
    return list(differences(expected.out, killed.out))


if __name__ == "__main__":
    sys.exit(main())
