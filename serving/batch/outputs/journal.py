"""What a run is about and which files are finished, so that a later run can go on with it.

``OUT/.elision/run.json`` says what was asked for, ``journal.jsonl`` has a line for each finished file. A
line is on the disk before anything of its parts goes; a line that a kill left half is none.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from elision.serving.batch.errors import CannotResume
from elision.serving.batch.outputs.parts import report_of
from elision.serving.batch.types import OUR_FOLDER, FileReport, Form

Plan = dict[str, Any]  # JSON


class Journal:
    """The journal of the run in an OUT."""

    def __init__(self, out: Path) -> None:
        self._plan = out / OUR_FOLDER / "run.json"
        self._lines = out / OUR_FOLDER / "journal.jsonl"

    def begin(self, plan: Plan) -> None:
        """Begin, or go on with the same run.

        Raises:
            CannotResume: If it is another one; says what differs.
        """
        if self._plan.exists():
            before = json.loads(self._plan.read_text(encoding="utf-8"))
            if differences := list(_differences(before, json.loads(json.dumps(plan)))):
                raise CannotResume(f"cannot resume: {'; '.join(differences[:5])}")
        else:
            write_whole(self._plan, json.dumps(plan, indent=1).encode())
        self._drop_torn()

    @property
    def plan(self) -> Plan | None:
        """What was begun, if anything was."""
        return json.loads(self._plan.read_text(encoding="utf-8")) if self._plan.exists() else None

    def finished(self) -> dict[int, FileReport]:
        """The finished files, by index of their source."""
        lines = self._lines.read_bytes().splitlines() if self._lines.exists() else []
        reports = [_file_report(json.loads(line)["file"]) for line in lines]
        return {report.index: report for report in reports}

    @property
    def seconds(self) -> float:
        """How long the run took until the last file was finished, earlier attempts included."""
        lines = self._lines.read_bytes().splitlines() if self._lines.exists() else []
        return float(json.loads(lines[-1])["seconds"]) if lines else 0.0

    def add(self, report: FileReport, seconds: float) -> None:
        """A file is finished, after so many seconds in all."""
        with self._lines.open("ab") as file:
            file.write(json.dumps({"seconds": seconds, "file": asdict(report)}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _drop_torn(self) -> None:
        if self._lines.exists():
            whole = self._lines.read_bytes().rpartition(b"\n")
            if whole[2]:
                write_whole(self._lines, whole[0] + whole[1])


def write_whole(path: Path, data: bytes, beside: Path | None = None) -> None:
    """Write a file, whole or not at all; until then it is in the folder ``beside``, by default its own."""
    temporary = (beside or path.parent) / f".{path.name}.{os.getpid()}"
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _file_report(fields: dict[str, Any]) -> FileReport:
    return FileReport(**{**fields, "form": Form(fields["form"]), "totals": report_of(fields["totals"])})


def _differences(before: Plan, now: Plan) -> Iterator[str]:
    """What is not as it was, in words."""
    for name in ("elision", "bundle"):
        if before[name] != now[name]:
            yield f"{name} was {before[name]}, is {now[name]}"
    was, asked = before["settings"], now["settings"]
    for name in asked:
        if was.get(name) != asked[name]:
            yield f"{name} was {json.dumps(was.get(name))}, is {json.dumps(asked[name])}"
    gone, come = ({source["path"]: source for source in plan["sources"]} for plan in (before, now))
    for path in sorted(gone.keys() | come.keys()):
        if path not in come:
            yield f"{path} is not among the inputs any more"
        elif path not in gone:
            yield f"{path} was not among the inputs"
        elif gone[path] != come[path]:
            yield f"{path} has changed"
