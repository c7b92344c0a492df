"""Where a run starts: an earlier run's best weights, or the trimmed base with a fresh one-logit head."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForTokenClassification, PreTrainedModel, XLMRobertaModel

from elision.model.bundle import MANIFEST, TOKENIZER
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.base import load_base
from elision.training.bundles.trim import choose_pieces, count_pieces, trim_model, trimmed_tokenizer
from elision.training.bundles.weights import huggingface_folder
from elision.training.config import TrainConfig
from elision.training.errors import BadConfig
from elision.training.texts import labelled_texts


def starting_point(config: TrainConfig) -> tuple[PreTrainedModel, PieceTokeniser]:
    """The model and tokeniser a run begins with; the tokeniser is also left in ``OUT/tokenizer.json``.

    The model gives one logit a piece; its word embeddings do not learn.
    """
    weights, folder = start_of(config)
    torch.manual_seed(config.seed)
    fresh = {} if config.init else {"num_labels": 1}
    model: PreTrainedModel = AutoModelForTokenClassification.from_pretrained(weights, **fresh)
    one_logit(model)
    if config.layers:
        keep_layers(model, config.layers)
    word_rows(model).requires_grad_(False)
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()  # of others' folders: lines would be cut, or filled up with padding
    tokenizer.no_padding()
    tokenizer.save(str(Path(config.out) / TOKENIZER), pretty=False)
    return model, PieceTokeniser(tokenizer)


def start_of(config: TrainConfig) -> tuple[Path, Path]:
    """Folders of the weights and of the tokeniser that a run starts from.

    Raises:
        BadConfig: If ``config.init`` is neither a run's ``OUT``, nor a bundle, nor a Hugging Face folder.
        BundleError: If it is a broken bundle.
    """
    if not config.init:
        return (trimmed_base(config),) * 2
    init = Path(config.init)
    if (init / "best" / "config.json").is_file():
        return init / "best", init
    if (init / MANIFEST).is_file():
        folder = Path(config.out) / "init"
        return (folder if (folder / "config.json").is_file() else huggingface_folder(init, folder),) * 2
    if (init / "config.json").is_file() and (init / TOKENIZER).is_file():
        return init, init
    raise BadConfig(f"{init}: is no training run (best/), no bundle ({MANIFEST}) and no Hugging Face folder")


def word_rows(model: PreTrainedModel) -> torch.Tensor:
    """The word embedding of a classifier, shape ``(pieces, width)``."""
    base: Any = model.base_model
    rows: torch.Tensor = base.embeddings.word_embeddings.weight
    return rows


def one_logit(model: PreTrainedModel) -> None:
    """Turn a head of two logits (label 1 = keep) into the one logit that says the same."""
    head: Any = model.classifier
    if head.out_features == 1:
        return
    single = torch.nn.Linear(head.in_features, 1)
    single.weight.data = head.weight.data[1:] - head.weight.data[:1]
    single.bias.data = head.bias.data[1:] - head.bias.data[:1]
    model.classifier = single
    model.config.num_labels = 1
    model.num_labels = 1  # type: ignore[assignment]  # transformers says it is a module


def keep_layers(model: PreTrainedModel, numbers: Sequence[int]) -> None:
    """Leave only the encoder layers of these numbers, in this order.

    Raises:
        BadConfig: If the model has no layer of such a number.
    """
    encoder: Any = model.base_model.encoder
    missing = [number for number in numbers if not 0 <= number < len(encoder.layer)]
    if missing:
        raise BadConfig(f"layers {missing}: the starting point has layers 0 to {len(encoder.layer) - 1}")
    encoder.layer = torch.nn.ModuleList(encoder.layer[number] for number in numbers)
    model.config.num_hidden_layers = len(numbers)


def trimmed_base(config: TrainConfig) -> Path:
    """Folder of the base with ``config.vocabulary`` pieces; made on first use."""
    folder = Path(config.cache) / f"base-{config.base.replace('/', '--')}-{config.vocabulary}"
    if not (folder / TOKENIZER).exists():
        model, tokenizer = load_base(config.base, Path(config.cache))
        _trim_into(folder, model, tokenizer, config)
    return folder


def _trim_into(folder: Path, model: XLMRobertaModel, tokenizer: Tokenizer, config: TrainConfig) -> None:
    counts = count_pieces(tokenizer, sampled(Path(config.texts), "train", config.vocabulary_chars))
    kept = choose_pieces(tokenizer, counts, config.vocabulary)
    trim_model(model, kept).save_pretrained(folder)
    trimmed_tokenizer(tokenizer, kept).save(str(folder / TOKENIZER), pretty=False)


def sampled(data: Path, split: str, chars: int) -> Iterator[str]:
    """Texts of a split, at most ``chars`` characters of each kind (one repository is most of them)."""
    seen: Counter[str] = Counter()
    for label, text in labelled_texts(data, split):
        if seen[label] < chars:
            seen[label] += len(text)
            yield text
