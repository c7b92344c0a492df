"""Shorten files with both engines, the one on Ray with workers killed meanwhile, and compare every byte.

    .venv/bin/python scripts/ray_equals_local.py ../shared/data/logs/dev [--kills 3] [--jobs 2]
        [--keep-ratio 0.3] [--portion-chars 8000000] [--seed 1]

Prints how long each took and what differs; the reports are not compared, they hold times. Ends with 1 if
anything differs. With RAY_ADDRESS set the cluster there is used.
"""

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from elision.serving.batch.engines.local import run_local
from elision.serving.batch.engines.ray_engine import run_ray
from elision.serving.batch.run import Engine, run
from elision.serving.batch.settings import WHOLE_PORTION, BatchSettings
from elision.serving.batch.types import PAGE, REPORT

STAGE = "ray::MapWorker(MapBatches(Worker))"
PATIENCE_S = 2.0  # between two kills, at most


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--kills", type=int, default=0, help="of stages, while they work")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep-ratio", type=float, default=0.3)
    parser.add_argument("--portion-chars", type=int, default=WHOLE_PORTION)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    settings = BatchSettings(args.keep_ratio, portion_chars=args.portion_chars)
    killer = threading.Thread(target=kill, args=(args.kills, random.Random(args.seed)), daemon=True)
    with tempfile.TemporaryDirectory() as folder:
        local, ray = Path(folder) / "local", Path(folder) / "ray"
        print(f"local: {timed(args.inputs, local, settings, run_local, args.jobs)}")
        killer.start()
        print(f"ray:   {timed(args.inputs, ray, settings, run_ray, args.jobs)}")
        expected, found = written(local), written(ray)
    differing = sorted(
        name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
    )
    print("\n".join(f"differs: {name}" for name in differing) or f"the {len(expected)} files are alike")
    raise SystemExit(bool(differing))


def timed(inputs: list[str], out: Path, settings: BatchSettings, engine: Engine, jobs: int) -> str:
    began = time.monotonic()
    done = run(inputs, out, settings, engine=engine, jobs=jobs)
    assert done is not None
    portions = sum(file.portions for file in done.files)
    return f"{len(done.files)} files, {portions} portions, {time.monotonic() - began:.1f} s"


def written(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name not in (REPORT, PAGE))
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def kill(times: int, chance: random.Random) -> None:
    """Kill stages of Ray on this machine, each while it has a portion."""
    for count in range(times):
        time.sleep(chance.uniform(0, PATIENCE_S))
        while not (working := sorted(stages(os.getpid()))):
            time.sleep(0.01)
        os.kill(chance.choice(working), signal.SIGKILL)
        print(f"killed stage {count + 1}", flush=True)


def stages(above: int) -> Iterator[int]:
    """Stages at work in processes below this one."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            title, pid = (path / "cmdline").read_text(errors="replace"), int(path.name)
            if title.startswith(f"{STAGE}.submit"):
                while pid not in (0, above):
                    pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                if pid == above:
                    yield int(path.name)
        except OSError:
            continue


if __name__ == "__main__":
    main()
