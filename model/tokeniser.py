"""Text to pieces with character offsets, line by line.

XLM-R's normaliser turns newlines into spaces, so a text fed whole hides where its lines start and
end, which is most of the structure of a log. Each line is therefore encoded alone, and the windows
put a border piece (``</s>``, or BERT's ``[SEP]``) after it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from elision.model.errors import BundleCorrupt

LONGEST = 4000  # characters encoded at once: a line without an end must not be held whole
# Beginning, end (also the border), padding and mask, as XLM-R and as BERT spell them.
_SPECIALS = (("<s>", "</s>", "<pad>", "<mask>"), ("[CLS]", "[SEP]", "[PAD]", "[MASK]"))
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BATCH = 512


@dataclass(frozen=True, slots=True)
class LinePieces:
    """The pieces of one line, or of one stretch of a very long one.

    Attributes:
        ids: Piece ids, without special pieces.
        starts: First character of each piece in the whole text.
        stops: One past the last character of each piece.
    """

    ids: list[int]
    starts: list[int]
    stops: list[int]


class PieceTokeniser:
    """A bundle's tokeniser, XLM-R's or BERT's; holds no state between calls and may be shared by threads.

    Raises:
        BundleCorrupt: If it lacks a special piece.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.specials = next((names for names in _SPECIALS if tokenizer.token_to_id(names[0]) is not None), _SPECIALS[0])
        self.bos, self.eos, self.pad, self.mask = (self._special(piece) for piece in self.specials)

    @classmethod
    def load(cls, path: Path) -> "PieceTokeniser":
        """Read a ``tokenizer.json``.

        Raises:
            BundleCorrupt: If it is not one, or lacks a special piece.
        """
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises bare Exception
            raise BundleCorrupt(f"{path}: {error}") from error
        return cls(tokenizer)

    def query(self, text: str, longest: int) -> list[int]:
        """Ids of the first ``longest`` pieces of a query."""
        return list(self._encode([without_surrogates(text[: 20 * longest])])[0].ids[:longest])

    def ending_with(self, ends: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which pieces end with one of these strings, shape ``(largest id + 1,)``."""
        pieces = self._tokenizer.get_vocab(with_added_tokens=True)
        found = np.zeros(max(pieces.values()) + 1, dtype=np.bool_)
        found[[number for piece, number in pieces.items() if piece.endswith(ends)]] = True
        return found

    def lines(self, text: str) -> Iterator[LinePieces]:
        """Yield the pieces of each line in order; lines without pieces come empty.

        Lone surrogates are read as U+FFFD, one for one, so that offsets hold.
        """
        batch: list[tuple[int, str]] = []
        for start, line in _stretches(text):
            batch.append((start, line))
            if len(batch) == _BATCH:
                yield from self._located(batch)
                batch = []
        yield from self._located(batch)

    def _located(self, batch: list[tuple[int, str]]) -> Iterator[LinePieces]:
        encodings = self._encode([without_surrogates(line) for _, line in batch])
        for (at, _), encoding in zip(batch, encodings, strict=True):
            starts, stops = [], []
            for start, stop in encoding.offsets:
                starts.append(at + start)
                stops.append(at + stop)
            yield LinePieces(encoding.ids, starts, stops)

    def _encode(self, texts: list[str]) -> list[Encoding]:
        return list(self._tokenizer.encode_batch(texts, add_special_tokens=False))

    def _special(self, piece: str) -> int:
        number = self._tokenizer.token_to_id(piece)
        if number is None:
            raise BundleCorrupt(f"the tokeniser has no piece {piece}")
        return int(number)


def without_surrogates(text: str) -> str:
    """``text`` with each lone surrogate replaced by U+FFFD; the length stays."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _stretches(text: str) -> Iterator[tuple[int, str]]:
    for match in _LINE.finditer(text):
        line, start = match.group(), match.start()
        for at in range(0, len(line), LONGEST):
            yield start + at, line[at : at + LONGEST]
