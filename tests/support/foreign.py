"""Checkpoints as others leave them: a folder with random weights and a tokeniser trained here."""

from collections.abc import Sequence
from functools import cache
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


def trained_tokenizer(family: str) -> Tokenizer:
    """A few hundred pieces of what the family uses: WordPiece, byte-level BPE or unigram."""
    return Tokenizer.from_str(_trained(family))


@cache  # training breaks ties at random
def _trained(family: str) -> str:
    specials: Sequence[str] = BERT if family == "bert" else ROBERTA
    trainer: Any
    if family == "bert":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=[*specials], show_progress=False)
    elif family == "roberta":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=400, special_tokens=[*specials], initial_alphabet=alphabet, show_progress=False
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=300, special_tokens=[*specials], unk_token="<unk>", show_progress=False
        )
    tokenizer.train_from_iterator(TEXTS * 4, trainer)
    return str(tokenizer.to_str())


def write_checkpoint(
    folder: Path, family: str, *, labels: int = 2, seed: int = 0, added: int = 0, **sizes: Any
) -> Path:
    """Write a checkpoint; ``added`` is how many ``[NEWi]`` pieces were added to it at run time."""
    tokenizer = trained_tokenizer(family)
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
