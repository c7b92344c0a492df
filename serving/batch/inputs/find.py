"""Find the files a batch is about: what the arguments name, what each holds, and where its output goes.

Files, folders with all that is in them, and quoted globs; each file once, in the order of the outputs'
names. Outputs keep the names of their inputs.
"""

import glob
import os
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from elision.serving.batch.errors import NoSources, OutInside
from elision.serving.batch.inputs.packing import head_of, packing_of
from elision.serving.batch.inputs.sniff import HEAD, PARQUET, form_of, is_binary
from elision.serving.batch.types import (
    MANIFEST,
    OUR_FOLDER,
    PAGE,
    REPORT,
    SET_ASIDE,
    Form,
    Packing,
    Skipped,
    Source,
)
from elision.serving.logs.decoding import Decoding

_OURS = (MANIFEST, REPORT, PAGE, SET_ASIDE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the arguments name.

    Attributes:
        sources: Files that can be shortened, by the names of their outputs.
        skipped: Files that cannot, by path.
    """

    sources: tuple[Source, ...]
    skipped: tuple[Skipped, ...]


def find(arguments: Sequence[str], out: Path, form: Form | None = None) -> Inputs:
    """Find the files of all arguments.

    Args:
        arguments: Files, folders and globs.
        out: Where outputs will go; what is in there is no input.
        form: What every file holds; told from each if not given.

    Raises:
        NoSources: If an argument names nothing.
        OutInside: If ``out`` is a file, or one of the inputs.
    """
    if out.exists() and not out.is_dir():
        raise OutInside(f"--out {out} is not a folder")
    sources: list[Source] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for argument in arguments:
        for path, name, named in _matching(argument, out):
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            found = _look(path, name, named, form)
            sources.append(found) if isinstance(found, Source) else skipped.append(found)
    sources.sort(key=lambda source: (source.name, str(source.path)))
    taken = _Names()
    numbered = [replace(s, index=at, path=s.path.absolute(), name=taken.free(s.name)) for at, s in enumerate(sources)]
    return Inputs(tuple(numbered), tuple(sorted(skipped, key=lambda one: one.path)))


def _matching(argument: str, out: Path) -> Iterator[tuple[Path, str, bool]]:
    """Files with the names of their outputs, and whether the caller named the very file."""
    path = Path(argument)
    if path.is_dir():
        found = list(_inside(path, out))
        if not found:
            raise NoSources(f"there is no file in {argument}")
        yield from ((file, file.relative_to(path).as_posix(), False) for file in found)
    elif path.exists() or path.is_symlink():
        if _is_within(path, out):
            raise OutInside(f"{argument} is inside of --out {out}")
        yield path, path.name, True
    elif not glob.has_magic(argument):
        raise NoSources(f"no such file or folder: {argument}")
    else:
        yield from _expanded(argument, out)


def _expanded(pattern: str, out: Path) -> Iterator[tuple[Path, str, bool]]:
    """What a glob matches; names are relative to its part that has no wildcard."""
    parts = Path(pattern).parts
    fixed = next(at for at, part in enumerate(parts) if glob.has_magic(part))
    root = Path(*parts[:fixed])
    found = 0
    for match in sorted(glob.glob(pattern, recursive=True)):
        path = Path(match)
        for file in _inside(path, out) if path.is_dir() else [path]:
            if not _is_within(file, out):
                found += 1
                yield file, file.relative_to(root).as_posix(), False
    if not found:
        raise NoSources(f"nothing matches {pattern}")


def _inside(folder: Path, out: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_within(Path(root, name), out))
        if not _is_within(Path(root), out):
            yield from (Path(root, name) for name in sorted(files))


def _is_within(path: Path, out: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(out))


def _look(path: Path, name: str, named: bool, form: Form | None) -> Source | Skipped:
    """What a file is. Only one that the caller named must be a text; in a folder there may be others."""
    try:
        if not path.is_file():
            return Skipped(str(path), "it is not a regular file", named)
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(4)
        if magic == PARQUET and form in (None, Form.TABLE):
            return Source(0, path, name, Form.TABLE, Packing.PLAIN, size)
        packing = packing_of(magic)
        head = head_of(path, packing, HEAD)
    except OSError as error:
        return Skipped(str(path), f"it cannot be read: {error.strerror or error}", True)
    if form is Form.TABLE:
        return Skipped(str(path), "it is not a parquet file", named)
    if is_binary(head):
        return Skipped(str(path), "it is a binary file (it holds NUL bytes)", named)
    found, document = form_of(name, Decoding().push(head, final=True), form)
    return Source(0, path, name, found, packing, size, document)


class _Names:
    """Names that are not taken: neither by another output, nor by a folder of one, nor by ours."""

    def __init__(self) -> None:
        self._files, self._folders = {*_OURS, OUR_FOLDER}, set[str]()

    def free(self, name: str) -> str:
        """The name with each part free, or the first numbered one that is: ``app.log.gz``, ``app-2.log.gz``."""
        *above, last = PurePosixPath(name).parts
        folder = PurePosixPath()
        for part in above:
            folder = _numbered(folder, part, self._files)
            self._folders.add(str(folder))
        path = str(_numbered(folder, last, self._files | self._folders))
        self._files.add(path)
        return path


def _numbered(folder: PurePosixPath, name: str, taken: Container[str]) -> PurePosixPath:
    path, number = folder / name, 1
    stem, dot, rest = name.partition(".")
    while str(path) in taken:
        number += 1
        path = folder / f"{stem}-{number}{dot}{rest}"
    return path
