"""Trim the vocabulary: 96 of the base's 118 million parameters are embedding rows we never look up.

Kept are the special pieces, every single character, every piece that our texts use, and then the
likeliest of the rest. Unigram segmentation spells what is gone with smaller pieces, so trimming
costs a little length and never coverage. Embedding rows are copied, not trained: each stays the
4-bit row that it was.
"""

import json
from collections import Counter
from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, models
from transformers import XLMRobertaModel

from elision.training.bundles.base import dressed

SPECIALS = frozenset({"<s>", "<pad>", "</s>", "<unk>", "<mask>"})


def count_pieces(tokenizer: Tokenizer, texts: Iterable[str], batch: int = 256) -> Counter[int]:
    """How often each piece id occurs, line by line as the model will read them."""
    counts: Counter[int] = Counter()
    pending: list[str] = []

    def flush() -> None:
        for encoding in tokenizer.encode_batch_fast(pending, add_special_tokens=False):
            counts.update(encoding.ids)
        pending.clear()

    for text in texts:
        pending.extend(line[:4000] for line in text.splitlines() if line.strip())
        if len(pending) >= batch:
            flush()
    flush()
    return counts


def choose_pieces(tokenizer: Tokenizer, counts: Counter[int], size: int) -> list[int]:
    """Old ids of the ``size`` pieces to keep, in their old order.

    The order of the vocabulary is the base's own likelihood, which fills what the counts leave open.
    """
    pieces = _unigram(tokenizer)
    kept = {i for i, (piece, _) in enumerate(pieces) if piece in SPECIALS or len(piece.lstrip("▁")) <= 1}
    for old, _ in counts.most_common():
        if len(kept) >= size:
            break
        kept.add(old)
    for old in range(len(pieces)):
        if len(kept) >= size:
            break
        kept.add(old)
    return sorted(kept)


def trimmed_tokenizer(tokenizer: Tokenizer, kept: list[int]) -> Tokenizer:
    """The same unigram model over fewer pieces; new id = rank of the old one in ``kept``."""
    pieces = _unigram(tokenizer)
    subset = [pieces[old] for old in kept]
    unk = next(i for i, (piece, _) in enumerate(subset) if piece == "<unk>")
    return dressed(Tokenizer(models.Unigram(subset, unk_id=unk, byte_fallback=False)))


def trim_model(model: XLMRobertaModel, kept: list[int]) -> XLMRobertaModel:
    """Keep the embedding rows ``kept``; changes and returns ``model``."""
    old = model.embeddings.word_embeddings
    rows = old.weight.detach()[torch.tensor(kept)].clone()
    pad = kept.index(int(old.padding_idx or 0))
    fresh = torch.nn.Embedding(len(kept), rows.shape[1], padding_idx=pad, _weight=rows, _freeze=True)
    model.embeddings.word_embeddings = fresh
    model.config.vocab_size = len(kept)
    return model


def _unigram(tokenizer: Tokenizer) -> list[tuple[str, float]]:
    return [(piece, score) for piece, score in json.loads(tokenizer.to_str())["model"]["vocab"]]
