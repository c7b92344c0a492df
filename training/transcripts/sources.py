"""Find the files that an import is about, and read each into JSON values or text.

JSON lines, one document, or documents one after the other: all are read value by value, so that a
line cut off by a crash costs only itself.
"""

import glob
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

from elision.training.errors import BadTranscript
from elision.training.transcripts.drafts import Notes, Record, Source

BROKEN = "broken line"
UNREADABLE = "cannot be read"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20
_EVENTS = "events"  # OpenHands keeps each event in a file of its own, in a folder of this name
_FIRST_LINES = 20
_SPACE = re.compile(r"[\s\0]*")


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be read as one source.

    Attributes:
        path: The file, or the folder of event files.
        files: The files, in order.
        named: Whether the caller named the very file, so that it must be readable.
    """

    path: Path
    files: tuple[Path, ...]
    named: bool


def find_sources(paths: Sequence[str], outputs: Collection[Path] = ()) -> list[Found]:
    """The files of all arguments: files, folders with all that is in them, and globs; each once.

    Args:
        paths: The arguments.
        outputs: Files that will be written; they are no input.

    Raises:
        BadTranscript: If an argument names nothing.
    """
    found: list[Found] = []
    seen: set[str] = set()
    ours = {os.path.realpath(file) for file in outputs}
    for argument in paths:
        named = os.path.exists(argument) and not os.path.isdir(argument)
        matching = list(_matching(argument))
        new = [file for file in matching if os.path.realpath(file) not in ours]
        if not new:
            why = "only what this import will write" if matching else "no such file or folder, or nothing in it"
            raise BadTranscript(f"{argument}: {why}")
        fresh = [file for file in new if os.path.realpath(file) not in seen]
        seen.update(os.path.realpath(file) for file in fresh)
        found += _grouped(fresh, named)
    return found


def read_source(found: Found, notes: Notes) -> Source:
    """Read a source; what cannot be read of it is noted, be it all.

    Raises:
        BadTranscript: If the caller named the file and it cannot be opened.
    """
    if len(found.files) > 1 or found.path not in found.files:
        values = [value for file in found.files for value in _values(_text(file, found.named, notes), notes)]
        return Source(found.path, (Record(1, [record.value for record in values]),))
    text = _text(found.path, found.named, notes)
    if _is_json(text):
        return Source(found.path, tuple(_values(text, notes)))
    return Source(found.path, text=text)


def _matching(argument: str) -> Iterator[Path]:
    path = Path(argument)
    if os.path.isdir(path):
        yield from _inside(path)
    elif os.path.exists(path):
        yield path
    elif glob.has_magic(argument):
        for match in sorted(glob.glob(argument, recursive=True)):
            yield from _inside(Path(match)) if Path(match).is_dir() else [Path(match)]


def _inside(folder: Path) -> Iterator[Path]:
    """All files of a folder, and the folders in it that cannot be looked into."""
    closed: list[Path] = []
    for root, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        folders.sort()
        yield from (Path(root, name) for name in sorted(files))
    yield from closed


def _grouped(files: Iterable[Path], named: bool) -> Iterator[Found]:
    """Each file by itself, but the event files of one folder together."""
    events: dict[Path, list[Path]] = {}
    for file in files:
        if not named and file.parent.name == _EVENTS and file.suffix == ".json":
            events.setdefault(file.parent, []).append(file)
        else:
            yield Found(file, (file,), named)
    for folder, members in events.items():
        # The session is the folder above: it is what the agent calls the conversation.
        yield Found(folder.parent, tuple(sorted(members, key=_number)), False)


def _number(file: Path) -> tuple[int, str]:
    digits = re.search(r"\d+", file.name)
    return (int(digits[0]) if digits else 0), file.name


def _text(path: Path, named: bool, notes: Notes) -> str:
    try:
        data = _unpacked(_bytes(path, named), notes)
    except OSError as error:
        why = f"{UNREADABLE}: {error.strerror or error}"
        if named:
            raise BadTranscript(f"{path}: {why}") from error
        notes.skip(why)
        return ""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        notes.skip("bytes that are not UTF-8", data.count(b"\n", 0, error.start) + 1)
        return data.decode("utf-8-sig", errors="replace")


def _bytes(path: Path, named: bool) -> bytes:
    # A pipe that was named may be a shell's <(command); one that lies in a folder would be waited for without end.
    special = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    if special and not named:
        raise OSError("not a regular file")
    return path.read_bytes()


def _unpacked(data: bytes, notes: Notes) -> bytes:
    """The content of a packed file, as far as it is whole."""
    held: list[bytes] = []
    try:
        if data.startswith(_GZIP):
            packed = gzip.GzipFile(fileobj=io.BytesIO(data))
            while chunk := packed.read1(_CHUNK):
                held.append(chunk)
        elif data.startswith(_ZSTD):
            unpacker = zstandard.ZstdDecompressor()
            reader = unpacker.stream_reader(io.BytesIO(data), read_across_frames=True)
            while chunk := reader.read(_CHUNK):
                held.append(chunk)
        else:
            return data
    except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError):
        notes.skip("rest of a damaged packed file")
    return b"".join(held)


def _is_json(text: str) -> bool:
    lines = text.lstrip()[: 1 << 16].split("\n")[:_FIRST_LINES]
    return any(line.startswith(("{", "[")) for line in lines[:1]) or any(map(_parsed, lines))


def _parsed(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _values(text: str, notes: Notes) -> Iterator[Record]:
    """The values of a text: one on a line, or one over several lines."""
    decoder = json.JSONDecoder()
    at, line = 0, 1
    while True:
        start = _end_of_space(text, at)
        line += text.count("\n", at, start)
        if start == len(text):
            return
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        try:
            value, end = decoder.raw_decode(text, start)
            if text[end:stop].strip("\0 \t\r") and end < stop:
                raise ValueError("more than one value on a line")
            yield Record(line, value)
            stop = max(end, start)
        except (ValueError, RecursionError):
            notes.skip(BROKEN, line)
        line += text.count("\n", start, stop)
        at = stop


def _end_of_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at

