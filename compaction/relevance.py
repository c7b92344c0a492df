"""How much a passage has to do with what the reader asked, by their common words.

The classifier was taught by queries that name a call, and makes little of a question. The words of a
question say plainly which passages it is about: rare words more than frequent ones, and less the longer
the passage is (Okapi BM25, Robertson et al. 1994, over the passages of one text).
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import regex

from elision.model.types import FloatArray, Span

K1, B = 1.2, 0.75
_TERM = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{M}]+|\p{N}+")


def relevance(text: str, spans: Sequence[Span], query: str) -> FloatArray:
    """How relevant each passage is to the query, the best one 1: shape ``(n_spans,)``, float32, in [0, 1].

    All zero if they have no word in common.
    """
    scores = bm25(text, spans, query)
    best = float(scores.max()) if len(scores) else 0.0
    return np.asarray(scores / best if best > 0 else scores, dtype=np.float32)


def bm25(text: str, spans: Sequence[Span], query: str) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """BM25 of each span as a document of its text, on the words of the query, shape ``(n_spans,)``."""
    wanted = sorted(set(terms(query)))
    asked = frozenset(wanted)
    values = np.zeros(len(spans))
    sizes = np.zeros(len(spans))
    found: list[Counter[str]] = []
    for index, span in enumerate(spans):
        words = terms(span.of(text))
        sizes[index] = len(words)
        found.append(Counter(word for word in words if word in asked))
    norm = K1 * (1 - B + B * sizes / max(float(sizes.mean()) if len(sizes) else 0.0, 1.0))
    for term in wanted:
        counts = np.array([passage[term] for passage in found], dtype=np.float64)
        holding = np.count_nonzero(counts)
        idf = math.log(1 + (len(spans) - holding + 0.5) / (holding + 0.5))
        values += idf * counts * (K1 + 1) / (counts + norm)
    return values


def terms(text: str) -> list[str]:
    """The words of a text in lower case; of scripts without spaces, its characters."""
    return [term.lower() for term in _TERM.findall(text)]
