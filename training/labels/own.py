"""A user's own label file: everything that is wrong with it at once, and then a checked copy."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from elision.training.errors import BadLabels
from elision.training.json_lines import json_lines_files, numbered_lines, parsed
from elision.training.labels.rows import LabelRow, parse_row

OWN = "own"  # origin of a row that names none: it is not one of the judged
SHOWN = 20


def read_own(path: Path) -> tuple[list[LabelRow], list[str]]:
    """The rows of a file, and the first `SHOWN` things wrong with it, each with file and line number.

    Raises:
        BadLabels: If the file cannot be read at all.
    """
    rows: list[LabelRow] = []
    wrong: list[str] = []
    first: dict[str, int] = {}
    for number, line in numbered_lines(path, BadLabels):
        try:
            row = parsed(line, _own, BadLabels)
            if row.id in first:
                raise BadLabels(f"id {row.id!r} is that of line {first[row.id]} too")
        except BadLabels as error:
            wrong.append(f"{path}:{number}: {error}")
            continue
        first[row.id] = number
        rows.append(row)
    more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    return rows, wrong[:SHOWN] + more


def label_files(paths: Iterable[Path], tell: Callable[[str], None]) -> list[Path]:
    """The label files of files and folders, each read through once.

    Args:
        paths: Files, or folders whose ``.jsonl`` and ``.jsonl.gz`` are taken.
        tell: Told everything that is wrong, file by file and line by line.

    Raises:
        BadLabels: If a folder holds none, or anything was wrong.
    """
    found: list[Path] = []
    for path in paths:
        found += json_lines_files(path, BadLabels)
    bad = []
    for file in found:
        rows, wrong = read_own(file)
        for line in wrong:
            tell(line)
        if wrong or not rows:
            bad.append(f"{file} {'breaks the schema' if wrong else 'holds no rows'}")
    if bad:
        raise BadLabels("; ".join(bad))
    return found


def _own(raw: Any) -> LabelRow:
    row = parse_row(raw)
    return row if "origin" in raw else replace(row, origin=OWN)
