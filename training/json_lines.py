"""Files of JSON lines, plain or gzipped: read with the place of what is wrong, written whole or not at all."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from elision.model.errors import ElisionError

T = TypeVar("T")
UNREADABLE = (OSError, EOFError, zlib.error, UnicodeDecodeError)  # what a damaged file raises, plain or gzipped
_BLOCK = 1 << 20  # bytes


def json_lines_files(path: Path, error: type[ElisionError]) -> list[Path]:
    """The ``.jsonl`` and ``.jsonl.gz`` files of a folder in order, or the file itself; ``error`` if there is none."""
    if not path.is_dir():
        return [path]
    found = sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")])
    if not found:
        raise error(f"{path}: holds no .jsonl or .jsonl.gz file")
    return found


def numbered_lines(path: Path, error: type[ElisionError]) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1; ``error`` if the file cannot be read."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except UNREADABLE as cause:
        raise error(f"{path}: cannot be read: {cause}") from cause


def content_hash(path: Path, error: type[ElisionError]) -> str:
    """SHA-256 in hex of what a file says, the same however it is gzipped; ``error`` if it cannot be read."""
    opened = gzip.open if path.suffix == ".gz" else open
    found = hashlib.sha256()
    try:
        with opened(path, "rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except UNREADABLE as cause:
        raise error(f"{path}: cannot be read: {cause}") from cause
    return found.hexdigest()


def parsed(line: str, parse: Callable[[Any], T], error: type[ElisionError]) -> T:
    """What ``parse`` makes of a line; ``error``, its own or that the line is no JSON."""
    try:
        return parse(json.loads(line))
    except error:
        raise
    except (ValueError, RecursionError) as cause:
        raise error(f"not JSON: {cause}") from cause


def read_json_lines(path: Path, parse: Callable[[Any], T], error: type[ElisionError]) -> Iterator[T]:
    """What ``parse`` makes of each line; an ``error`` names the file and the line."""
    for number, line in numbered_lines(path, error):
        try:
            row = parsed(line, parse, error)
        except error as wrong:
            raise error(f"{path}:{number}: {wrong}") from wrong
        yield row


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
