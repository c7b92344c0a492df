"""Bytes of a file, unpacked as they are read and packed as they are written: plain, gzip, Zstandard.

The same content is always packed to the same bytes. A file that ends too early is an error, not the end.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from elision.serving.batch.errors import Unreadable
from elision.serving.batch.types import Packing

CHUNK = 1 << 20
# A KB of Zstandard is at most 256 blocks of 128 KB: what is unpacked at once stays bounded.
_ZST_CHUNK = 1 << 10
_MAGIC = ((b"\x1f\x8b", Packing.GZ), (b"\x28\xb5\x2f\xfd", Packing.ZST))
_GZIP_LEVEL, _ZST_LEVEL = 6, 3


class Writer(Protocol):
    """What an output is written through."""

    def write(self, data: bytes, /) -> int: ...

    def close(self) -> None:
        """Write the end of the packing; the file stays open."""


def packing_of(head: bytes) -> Packing:
    """How a file that begins like this is packed."""
    return next((packing for magic, packing in _MAGIC if head.startswith(magic)), Packing.PLAIN)


def unpacked(file: BinaryIO, packing: Packing) -> Iterator[bytes]:
    """The content of an open file, in chunks of bounded size.

    Raises:
        Unreadable: If it is damaged or ends too early.
        OSError: If it cannot be read.
    """
    if packing is Packing.ZST:
        yield from _zst(file)
        return
    if packing is Packing.PLAIN:
        while chunk := file.read(CHUNK):
            yield chunk
        return
    stream = gzip.GzipFile(fileobj=file, mode="rb")
    try:
        while chunk := stream.read1(CHUNK):  # what there is before some damage is given
            yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Unreadable(f"the gzip file is damaged: {_sentence(error)}") from None


def head_of(path: Path, packing: Packing, size: int) -> bytes:
    """The first ``size`` bytes of a file's content, or as many as can be read of it."""
    found = b""
    with path.open("rb") as file:
        try:
            for chunk in unpacked(file, packing):
                found += chunk
                if len(found) >= size:
                    break
        except Unreadable:
            pass  # whoever reads all of it will say so
    return found[:size]


def packed(file: BinaryIO, packing: Packing, size: int) -> Writer:
    """A writer that packs ``size`` bytes into an open file; a Zstandard frame says so, as some readers ask."""
    if packing is Packing.GZ:
        return gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=_GZIP_LEVEL, mtime=0)
    if packing is Packing.ZST:
        packer = zstandard.ZstdCompressor(_ZST_LEVEL, write_checksum=True)
        return packer.stream_writer(file, size, closefd=False)
    return _Plain(file)


class _Plain:
    def __init__(self, file: BinaryIO) -> None:
        self.write = file.write

    def close(self) -> None:
        return None


def _zst(file: BinaryIO) -> Iterator[bytes]:
    """The stream reader of the library takes a cut file for a whole one, so frames are followed here."""
    unpacker = zstandard.ZstdDecompressor()
    frame, begun = unpacker.decompressobj(), False
    held: list[bytes] = []
    size = 0
    try:
        while data := file.read(_ZST_CHUNK):
            while data:
                begun = True
                held.append(frame.decompress(data))
                size += len(held[-1])
                data = frame.unused_data
                if frame.eof:
                    frame, begun = unpacker.decompressobj(), False
            if size >= CHUNK:
                yield b"".join(held)
                held, size = [], 0
    except zstandard.ZstdError as error:
        raise Unreadable(f"the zst file is damaged: {_sentence(error)}") from None
    if begun:
        raise Unreadable("the zst file is damaged: it ends within a frame")
    if size:
        yield b"".join(held)


def _sentence(error: Exception) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__
