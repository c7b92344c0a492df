"""A linear model over what stands in a line: wide, where the network is deep.

The network generalises, and needs hours to learn a new project's lines; the line head remembers, and
learns them in a minute: which pieces and pairs of pieces a line holds, how it begins and ends, what
stands above and below, whether it is repeated nearby. What it says of a line is added to the logits
of the line's pieces. The two together are a "wide and deep" model (Cheng et al., 2016).

Everything is read off one window, so that the same window always gives the same scores.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elision.model.errors import BundleCorrupt
from elision.model.tokeniser import PieceTokeniser
from elision.model.types import FloatArray, IntArray
from elision.model.windows import Window

BUCKETS = 1 << 16  # that patterns are hashed into
MEASURES = 23  # eleven, once as they are and once less the window's mean, and a constant
WEIGHTS = MEASURES + BUCKETS
_LONG = 40  # pieces of a line above which it is taken sentence by sentence
_NEAR = 8  # first pieces of a line that its neighbours see
_FEW = 8  # patterns below which a line's are not made louder
_ENDS = tuple(".!?。！？؟।")
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_LEAST = 1e-6  # distance of a keep value from 0 and 1
_MOST = 20.0  # logits added

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a window, or sentences of long ones, as the head sees them.

    Attributes:
        line: Line of each piece, -1 for borders, shape ``(n_pieces,)``.
        measures: Shape ``(n_lines, MEASURES)``, float32.
        at: Line of each pattern found, shape ``(n_patterns,)``.
        bucket: Its bucket, shape ``(n_patterns,)``.
        loudness: What it counts for: less, the more patterns its line has, shape ``(n_patterns,)``, float32.
    """

    line: IntArray
    measures: FloatArray
    at: IntArray
    bucket: IntArray
    loudness: FloatArray


class LineReader:
    """Reads windows into `Lines`; knows of the tokeniser which pieces end a sentence."""

    def __init__(self, tokeniser: PieceTokeniser) -> None:
        self._ends = tokeniser.ending_with(_ENDS)

    def read(self, query: list[int], window: Window) -> Lines:
        """What stands in the lines of a window, asked for ``query`` (piece ids)."""
        ids = np.array(window.ids, dtype=np.int64)
        starts, stops = np.array(window.starts, dtype=np.int64), np.array(window.stops, dtype=np.int64)
        line = self._lines(ids, starts, stops)
        real = line >= 0
        if not real.any():
            nothing = np.zeros(0, np.int64)
            return Lines(line, np.zeros((0, MEASURES), np.float32), nothing, nothing, np.zeros(0, np.float32))
        return _read(ids[real], starts[real], stops[real], line, line[real], np.array(query, dtype=np.int64))

    def _lines(self, ids: IntArray, starts: IntArray, stops: IntArray) -> IntArray:
        """Number each piece's line from 0; a long line is cut after pieces that end a sentence."""
        real = stops > starts
        new = np.zeros(len(ids), dtype=bool)
        new[1:] = real[1:] & ~real[:-1]
        whole = np.cumsum(new)
        long = np.bincount(whole, real)[whole] > _LONG
        new[1:] |= long[1:] & self._ends[ids[:-1]] & real[1:] & (starts[1:] > stops[:-1])
        return np.where(real, np.cumsum(new), -1)


class LineHead:
    """The weights of a bundle's line head.

    Args:
        reader: Reads windows of the bundle's tokeniser.
        weights: Of the measures, then of the buckets, shape ``(WEIGHTS,)``, float32.
        scale: What the head's word counts for, in logits.
    """

    def __init__(self, reader: LineReader, weights: FloatArray, scale: float) -> None:
        self.reader, self.weights, self.scale = reader, weights, scale

    def added(self, query: list[int], window: Window, values: FloatArray) -> FloatArray:
        """Keep values of a window's pieces with what the head says added, shape ``(n_pieces,)``, float32."""
        lines = self.reader.read(query, window)
        said = np.clip(np.append(self.scale * worth(lines, self.weights), 0), -_MOST, _MOST)[lines.line]  # of borders: the 0
        inner = np.clip(values, _LEAST, 1 - _LEAST).astype(np.float32)
        added: FloatArray = (1 / (1 + (1 / inner - 1) * np.exp(-said))).astype(np.float32)
        return added


def worth(lines: Lines, weights: FloatArray) -> FloatArray:
    """What weights say of each line, shape ``(n_lines,)``, float32."""
    found = np.bincount(lines.at, weights[MEASURES + lines.bucket] * lines.loudness, minlength=len(lines.measures))
    said: FloatArray = (lines.measures @ weights[:MEASURES] + found).astype(np.float32)
    return said


def read_weights(path: Path) -> FloatArray:
    """Weights from a file of little-endian float16.

    Raises:
        BundleCorrupt: If the file has another size.
    """
    weights = np.frombuffer(path.read_bytes(), dtype="<f2").astype(np.float32)
    if len(weights) != WEIGHTS:
        raise BundleCorrupt(f"{path}: {len(weights)} weights of a line head, this version reads {WEIGHTS}")
    return weights


def write_weights(path: Path, weights: FloatArray) -> None:
    """See `read_weights`."""
    path.write_bytes(weights.astype("<f2").tobytes())


def _read(
    ids: IntArray, starts: IntArray, stops: IntArray, line: IntArray, own: IntArray, query: IntArray
) -> Lines:
    """Read the real pieces of a window; ``own`` is the line of each."""
    count = int(own[-1]) + 1
    sizes = np.bincount(own, minlength=count)
    first = np.cumsum(sizes) - sizes
    last = first + sizes - 1
    asked = np.isin(ids, query)
    at, bucket = _patterns(ids, own, first, last, asked)
    loudness = 1 / np.sqrt(np.maximum(_FEW, np.bincount(at, minlength=count)))[at]
    told = _measures(ids, starts, stops, own, first, last, asked)
    measures = np.concatenate([told - told.mean(axis=0), told, np.ones((count, 1))], axis=1)
    return Lines(line, measures.astype(np.float32), at, bucket, loudness.astype(np.float32))


def _patterns(
    ids: IntArray, own: IntArray, first: IntArray, last: IntArray, asked: NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """Line and bucket of each pattern, each bucket once a line."""
    every = np.arange(len(first))
    second, third = np.minimum(first + 1, last), np.minimum(first + 2, last)
    together = own[1:] == own[:-1]
    near = np.arange(len(ids)) - first[own] < _NEAR
    above, below = near & (own > 0), near & (own < len(first) - 1)
    found = (
        (own, _hashed(1, ids)),
        (own[1:][together], _hashed(2, ids[:-1][together], ids[1:][together])),
        (every, _hashed(3, ids[first])),
        (every, _hashed(4, ids[first], ids[second])),
        (every, _hashed(5, ids[first], ids[second], ids[third])),
        (every, _hashed(6, ids[last])),
        (every, _hashed(7, ids[np.maximum(last - 1, first)], ids[last])),
        (own[below] + 1, _hashed(8, ids[below])),  # seen from the line below
        (own[above] - 1, _hashed(9, ids[above])),
        (own[asked], _hashed(10, ids[asked])),
    )
    lines = np.concatenate([line for line, _ in found])
    hashes = np.concatenate([hashed for _, hashed in found]) % np.uint64(BUCKETS)
    pairs = np.unique(lines * BUCKETS + hashes.astype(np.int64))
    return pairs // BUCKETS, pairs % BUCKETS


def _measures(
    ids: IntArray,
    starts: IntArray,
    stops: IntArray,
    own: IntArray,
    first: IntArray,
    last: IntArray,
    asked: NDArray[np.bool_],
) -> FloatArray:
    """Sizes and counts of each line, about 0 to 2, shape ``(n_lines, 11)``."""
    count, sizes = len(first), last - first + 1
    chars = stops[last] - starts[first]
    indent = np.concatenate(([0], starts[first[1:]] - stops[last[:-1]] - 1))
    whole = np.add.reduceat(_hashed(11, ids, np.arange(len(ids)) - first[own]), first)
    begins = _hashed(12, ids[first], ids[np.minimum(first + 1, last)])
    distinct = np.unique(own * (ids.max() + 1) + ids)
    of, piece = distinct // (ids.max() + 1), distinct % (ids.max() + 1)
    only_here = _times(piece) == 1
    return np.stack(
        [
            np.log1p(sizes) / 2,
            np.sqrt(sizes) / 4,
            np.minimum(sizes, 100) / 30,
            np.log1p(chars) / 3,
            np.log(_times(whole)),
            np.log(_times(begins)),
            np.bincount(of, only_here, minlength=count) / 5,
            np.bincount(of, minlength=count) / 10,
            np.minimum(4, np.bincount(own, asked, minlength=count)) / 2,
            np.clip(indent, 0, 20) / 10,
            np.minimum(8, chars / sizes) / 4,
        ],
        axis=1,
    )


def _times(keys: NDArray[np.generic]) -> IntArray:
    """How often each key stands among the keys."""
    _, where, times = np.unique(keys, return_inverse=True, return_counts=True)
    found: IntArray = times[where]
    return found


def _hashed(kind: int, *keys: IntArray) -> Hashes:
    """One hash of a kind of pattern and the keys that make it up, element by element."""
    found = np.full(len(keys[0]), kind, dtype=np.uint64)
    for key in keys:
        found = (found ^ key.astype(np.uint64)) * _MULTIPLIER
        found ^= found >> _SHIFT
    return found
