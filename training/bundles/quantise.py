"""The two stored forms of a weight matrix: 4-bit rows for the embedding, 8-bit blocks elsewhere."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK = 32


@dataclass(frozen=True)
class Q4Rows:
    """Rows in blocks of `BLOCK` weights, each an f16 scale times a signed 4-bit number.

    Attributes:
        values: Numbers -8..7, shape ``(rows, columns)``, int8.
        scales: Shape ``(rows, columns // block)``, float16.
        block: Weights per scale.
    """

    values: NDArray[np.int8]
    scales: NDArray[np.float16]
    block: int = BLOCK

    def nibble_bytes(self) -> bytes:
        """Two weights a byte, the first in the low nibble, as ONNX packs int4."""
        flat = (self.values.reshape(-1) & 15).astype(np.uint8)
        return (flat[0::2] | flat[1::2] << 4).tobytes()

    def dequantised(self) -> NDArray[np.float32]:
        return self.values.astype(np.float32) * np.repeat(self.scales.astype(np.float32), self.block, axis=1)


def q4_rows(weights: NDArray[np.float32]) -> Q4Rows:
    """Quantise rows as Q4_0 does: the weight of largest size in a block becomes -8.

    Rows that already are such blocks come back bit for bit, so repacking the base loses nothing.

    Args:
        weights: Shape ``(rows, columns)``, float32; columns a multiple of `BLOCK`.
    """
    blocks = weights.reshape(-1, BLOCK)
    extreme = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(axis=1)]
    scales = (extreme / -8).astype(np.float16) + np.float16(0)  # no minus zero: rows have one stored form
    inverse = np.divide(1, scales.astype(np.float32), out=np.zeros(len(scales), np.float32), where=scales != 0)
    values = np.clip(np.rint(blocks * inverse[:, None]), -8, 7).astype(np.int8)
    return Q4Rows(values.reshape(weights.shape), scales.reshape(len(weights), -1))


@dataclass(frozen=True)
class Int8Blocks:
    """A matrix with one symmetric scale per block of inputs of each output.

    Attributes:
        values: Numbers -127..127, shape ``(outputs, blocks, block)``, int8.
        scales: Shape ``(outputs, blocks)``, float32.
    """

    values: NDArray[np.int8]
    scales: NDArray[np.float32]

    def dequantised(self) -> NDArray[np.float32]:
        """The weights, shape ``(inputs, outputs)``, float32."""
        weights: NDArray[np.float32] = (self.values * self.scales[:, :, None]).reshape(len(self.values), -1).T
        return weights


def int8_blocks(weights: NDArray[np.float32], block: int) -> Int8Blocks:
    """Quantise ``(inputs, outputs)`` weights symmetrically; ``inputs`` is a multiple of ``block``."""
    blocks = np.ascontiguousarray(weights.T).reshape(weights.shape[1], -1, block)
    scales = (np.abs(blocks).max(axis=2) / 127).astype(np.float32)
    scales[scales == 0] = 1
    values = np.clip(np.rint(blocks / scales[:, :, None]), -127, 127).astype(np.int8)
    return Int8Blocks(values, scales)
