"""Tell a packed file where a text is wanted, and how to unpack it on the way."""

import shlex
import sys
from pathlib import Path
from typing import NamedTuple

from elision.serving.errors import BadInput
from elision.serving.streams import STANDARD


class _Kind(NamedTuple):
    name: str
    magic: bytes
    suffixes: tuple[str, ...]
    unpacker: str
    batched: bool  # whether `elision batch` unpacks it


_KINDS = (
    _Kind("gzip", b"\x1f\x8b", (".gz", ".gzip", ".tgz"), "zcat", True),
    _Kind("Zstandard", b"\x28\xb5\x2f\xfd", (".zst", ".zstd"), "zstdcat", True),
    _Kind("xz", b"\xfd7zXZ\0", (".xz",), "xzcat", False),
    _Kind("bzip2", b"BZh91AY&SY", (".bz2",), "bzcat", False),
)
_LONGEST_MAGIC = max(len(kind.magic) for kind in _KINDS)


def refuse_packed(file: str) -> None:
    """See that a file, or what stdin has ready for ``-``, does not begin as a packed one does.

    Raises:
        BadInput: If it does; says what to do.
    """
    head = _head(file)
    kind = next((kind for kind in _KINDS if head.startswith(kind.magic)), None)
    if kind is None and b"\0" in head:
        kind = next((kind for kind in _KINDS if file.lower().endswith(kind.suffixes)), None)
    if kind is not None:
        raise BadInput(_advice(file, kind))


def _advice(file: str, kind: _Kind) -> str:
    if file == STANDARD:
        return f"the input is a binary file, packed by {kind.name}: unpack it first, with {kind.unpacker}"
    spelled = shlex.quote(file)
    batch = f"`elision batch {spelled} --out DIR`, or " if kind.batched else ""
    return (
        f"{file} is a binary file, packed by {kind.name}: "
        f"use {batch}`{kind.unpacker} {spelled} | elision compress -`"
    )


def _head(file: str) -> bytes:
    """The first bytes, nothing where that would take them from whoever reads next."""
    if file == STANDARD:
        peek = getattr(sys.stdin.buffer, "peek", None)
        return bytes(peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC]) if peek else b""
    try:
        if not Path(file).is_file():
            return b""
        with Path(file).open("rb") as opened:
            return opened.read(1 << 16)
    except (OSError, ValueError):
        return b""  # whoever reads it will say so
