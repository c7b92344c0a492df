"""Where a run starts: an earlier run's best weights, or the trimmed base with a fresh one-logit head."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import XLMRobertaForTokenClassification, XLMRobertaModel

from elision.model.tokeniser import PieceTokeniser
from elision.training.base import load_base
from elision.training.config import TrainConfig
from elision.training.texts import labelled_texts
from elision.training.trim import choose_pieces, count_pieces, trim_model, trimmed_tokenizer


def starting_point(config: TrainConfig) -> tuple[XLMRobertaForTokenClassification, PieceTokeniser]:
    """The model and tokeniser a run begins with; the tokeniser is also left in ``OUT/tokenizer.json``."""
    weights, folder = (Path(config.init) / "best", Path(config.init)) if config.init else [trimmed_base(config)] * 2
    torch.manual_seed(config.seed)
    model = XLMRobertaForTokenClassification.from_pretrained(weights, num_labels=1)
    model.roberta.embeddings.word_embeddings.weight.requires_grad_(False)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.save(str(Path(config.out) / "tokenizer.json"), pretty=False)
    return model, PieceTokeniser(tokenizer)


def trimmed_base(config: TrainConfig) -> Path:
    """Folder of the base with ``config.vocabulary`` pieces; made on first use."""
    folder = Path(config.cache) / f"base-{config.base.replace('/', '--')}-{config.vocabulary}"
    if not (folder / "tokenizer.json").exists():
        model, tokenizer = load_base(config.base, Path(config.cache))
        _trim_into(folder, model, tokenizer, config)
    return folder


def _trim_into(folder: Path, model: XLMRobertaModel, tokenizer: Tokenizer, config: TrainConfig) -> None:
    counts = count_pieces(tokenizer, sampled(Path(config.texts), "train", config.vocabulary_chars))
    kept = choose_pieces(tokenizer, counts, config.vocabulary)
    trim_model(model, kept).save_pretrained(folder)
    trimmed_tokenizer(tokenizer, kept).save(str(folder / "tokenizer.json"), pretty=False)


def sampled(data: Path, split: str, chars: int) -> Iterator[str]:
    """Texts of a split, at most ``chars`` characters of each kind (one repository is most of them)."""
    seen: Counter[str] = Counter()
    for label, text in labelled_texts(data, split):
        if seen[label] < chars:
            seen[label] += len(text)
            yield text
