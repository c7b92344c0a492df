"""Checkpoints as others leave them: a folder with random weights and a tokeniser of a few hundred pieces."""

import re
from collections import Counter
from functools import cache
from math import log
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForTokenClassification,
    XLMRobertaConfig,
    XLMRobertaForTokenClassification,
)

from elision.training.bundles.foreign import TEXTS

BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
SPECIALS = {
    "bert": (("pad", "unk", "cls", "sep", "mask"), BERT),
    "roberta": (("cls", "pad", "sep", "unk", "mask"), ROBERTA),
    "xlm-roberta": (("cls", "pad", "sep", "unk", "mask"), ROBERTA),
}
CLASSES: dict[str, Any] = {
    "bert": (BertConfig, BertForTokenClassification),
    "roberta": (RobertaConfig, RobertaForTokenClassification),
    "xlm-roberta": (XLMRobertaConfig, XLMRobertaForTokenClassification),
}


@cache
def _pieces(family: str) -> str:
    return {"bert": _wordpiece, "roberta": _byte_level, "xlm-roberta": _unigram}[family]().to_str()


def tokenizer_of(family: str) -> Tokenizer:
    """A few hundred pieces of what the family uses: WordPiece, byte-level BPE or unigram; the same in every run.

    The library's trainers of WordPiece and unigram break ties differently each time, so those are counted here.
    """
    return Tokenizer.from_str(_pieces(family))


def _wordpiece() -> Tokenizer:
    counts = _counts(" ".join(TEXTS).lower())
    inside = [f"##{piece}" for piece in counts if len(piece) == 1]
    pieces = {piece: number for number, piece in enumerate([*BERT, *counts, *inside])}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens([*BERT])
    return tokenizer


def _byte_level() -> Tokenizer:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[*ROBERTA], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 4, trainer)
    return tokenizer


def _unigram() -> Tokenizer:
    counts = _counts("".join(f"▁{word}" for word in " ".join(TEXTS).split()), r"▁?[^\W_]+|.")
    scored = [(piece, log(count / counts.total())) for piece, count in counts.items()]
    tokenizer = Tokenizer(models.Unigram([*((name, 0.0) for name in ROBERTA), *scored], ROBERTA.index("<unk>")))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens([*ROBERTA])
    return tokenizer


def _counts(text: str, pattern: str = r"[^\W_]+|\S") -> Counter[str]:
    """How often each character and each word stands in a text, in the order they come."""
    return Counter([*re.sub(r"\s", "", text), *re.findall(pattern, text)])


def write_checkpoint(
    folder: Path, family: str, *, labels: int = 2, seed: int = 0, added: int = 0, **sizes: Any
) -> Path:
    """Write a checkpoint; ``added`` is how many ``[NEWi]`` pieces were added to it at run time."""
    tokenizer = tokenizer_of(family)
    tokenizer.enable_truncation(512)  # as many a saved tokeniser has it
    tokenizer.enable_padding(length=512)
    tokenizer.add_tokens([f"[NEW{number}]" for number in range(added)])
    names = {f"{kind}_token": piece for kind, piece in zip(*SPECIALS[family], strict=True)}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)  # type: ignore[no-untyped-call]
    fast.save_pretrained(folder)
    torch.manual_seed(seed)
    config, classifier = CLASSES[family]
    rows = tokenizer.get_vocab_size()
    given = {
        "vocab_size": rows + 3,  # rows without a piece are common
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 96,
        "max_position_embeddings": 512 if family == "bert" else 514,
        "initializer_range": 0.2,
        "pad_token_id": tokenizer.token_to_id(names["pad_token"]),
        "num_labels": labels,
        **sizes,
    }
    model = classifier(config(**given))
    for name, weight in model.named_parameters():
        if name.endswith(("bias", "LayerNorm.weight")):
            weight.data += 0.1 * torch.randn_like(weight)
    model.save_pretrained(folder)
    return folder
