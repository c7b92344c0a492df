"""Files of JSON lines: written whole or not at all."""

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows, gzipped if the name ends so; returns how many. If it fails, nothing is left or changed."""
    partial = path.with_name(f"{path.name}.partial")
    opened = gzip.open if path.suffix == ".gz" else open
    count = 0
    try:
        with opened(partial, "wb") as file:
            for row in rows:
                file.write(_encoded(row))
                count += 1
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _encoded(row: Mapping[str, Any]) -> bytes:
    try:
        return (json.dumps(row, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot hold and an escape can
        return (json.dumps(row) + "\n").encode()
