"""Steps that are each done once: their results stay on disk, with the minutes that they took.

A script of hours can then be killed at any moment, and the same command goes on where it stopped.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elision.training.errors import BadConfig


class Clock:
    """Minutes of a step, over all attempts at it; what a killed one spent since `keep` is lost."""

    def __init__(self, file: Path) -> None:
        self.file, self.began = file, time.perf_counter()
        self.before: float = json.loads(file.read_text()) if file.is_file() else 0.0

    def keep(self) -> None:
        """Write down what was spent until now."""
        _write(self.file, self.before + (time.perf_counter() - self.began) / 60)


Step = Callable[[Clock], Any]


def take(
    steps: Mapping[str, Step], asked: Mapping[str, Any], out: Path, log: Callable[[str], None]
) -> dict[str, Any]:
    """Take every step that is not taken yet, in their order.

    Args:
        steps: Each with its name; gives something that JSON can hold.
        asked: What the results are of; kept beside them, for they are good for nothing else.
        out: Folder of the results.
        log: Told the name of each step that is taken.

    Returns:
        What each step found, and under ``minutes`` how long each took.

    Raises:
        BadConfig: If the folder holds results of something else.
    """
    out.mkdir(parents=True, exist_ok=True)
    mark = out / "asked.json"
    if mark.is_file() and json.loads(mark.read_text()) != json.loads(json.dumps(asked)):
        raise BadConfig(f"{out}: holds results of another bundle or other settings ({mark}); give another --out")
    _write(mark, asked)
    found = {name: _taken(name, step, out, log) for name, step in steps.items()}
    return found | {"minutes": {name: Clock(out / f"{name}.minutes").before for name in steps}}


def _taken(name: str, step: Step, out: Path, log: Callable[[str], None]) -> Any:
    done = out / f"{name}.json"
    if not done.is_file():
        log(name)
        clock = Clock(out / f"{name}.minutes")
        try:
            found = step(clock)
        finally:
            clock.keep()
        _write(done, found)
    return json.loads(done.read_text())


def _write(file: Path, value: Any) -> None:
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(json.dumps(value, indent=2) + "\n")
    os.replace(partial, file)
