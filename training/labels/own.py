"""A user's own label file: everything that is wrong with it at once, and then a checked copy."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from elision.training.errors import BadLabels
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
    for number, line in _lines(path):
        try:
            raw = json.loads(line)
            row = parse_row(raw)
            if row.id in first:
                raise BadLabels(f"id {row.id!r} is that of line {first[row.id]} too")
        except (BadLabels, ValueError, RecursionError) as error:
            what = error if isinstance(error, BadLabels) else f"not JSON: {error}"
            wrong.append(f"{path}:{number}: {what}")
            continue
        first[row.id] = number
        rows.append(row if "origin" in raw else replace(row, origin=OWN))
    return rows, list(islice(wrong, SHOWN)) + (
        [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    )


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
        files = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")]) if path.is_dir() else [path]
        if not files:
            raise BadLabels(f"{path}: holds no .jsonl or .jsonl.gz file")
        found += files
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


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadLabels(f"{path}: cannot be read: {error}") from error
