"""From a bundle back to weights that can be trained: a plain Hugging Face folder.

A bundle holds the graph that runs, not the model it was built from; what the graph stores is put
back where PyTorch keeps it. The token type row was added to the positions when the graph was built
and stays there, so the folder's own token type row is zero.
"""

import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from transformers import (
    BertConfig,
    BertForTokenClassification,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForTokenClassification,
)

from elision.model.bundle import MODEL, TOKENIZER, load_bundle
from elision.model.tokeniser import PieceTokeniser
from elision.model.windows import LINES
from elision.training.bundles.foreign import SAID, check_free
from elision.training.bundles.stored import BERT, Stored, read_graph
from elision.training.errors import BadBase

CONFIG, WEIGHTS = "config.json", "model.safetensors"
# What a Hugging Face folder of a classifier holds and no more: a name beyond these is somebody's work.
_WRITTEN = frozenset(
    {CONFIG, WEIGHTS, TOKENIZER, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
    | {"generation_config.json", "sentencepiece.bpe.model", "tokenizer.model", "vocab.txt", "vocab.json", "merges.txt"}
)
Classifier = BertForTokenClassification | XLMRobertaForTokenClassification


def huggingface_folder(bundle: Path, out: Path) -> Path:
    """Write the weights and the tokeniser of a bundle to ``out``, as transformers reads them.

    Args:
        bundle: Folder of the bundle.
        out: Folder to write; an earlier Hugging Face folder there, with nothing else in it, is replaced whole.

    Raises:
        BundleError: If the bundle is missing, incomplete or corrupt.
        BadBase: If ``out`` holds something else, or the graph is not one that this program built.
    """
    found = load_bundle(bundle)
    check_replaceable(out)
    tokeniser = PieceTokeniser.load(found.file(TOKENIZER))
    model = model_of(read_graph(found.file(MODEL), found.words), tokeniser)
    return save_folder(model, found.file(TOKENIZER), found.window_pieces, out, reads=found.input)


def save_folder(model: PreTrainedModel, tokenizer: Path, window_pieces: int, out: Path, *, reads: str = LINES) -> Path:
    """Write a model and its tokeniser to ``out``, whole or not at all, as transformers reads them.

    Args:
        model: A token classifier.
        tokenizer: Its ``tokenizer.json``, copied byte for byte.
        window_pieces: Longest input.
        out: Folder to write; an earlier Hugging Face folder there is replaced.
        reads: The input that it was trained on, which its configuration then says.

    Raises:
        BadBase: If ``out`` holds something else.
    """
    check_replaceable(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        folder = Path(scratch) / "folder"
        dressed = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_file=str(tokenizer), model_max_length=window_pieces, **_specials(PieceTokeniser.load(tokenizer))
        )
        dressed.save_pretrained(folder)
        shutil.copyfile(tokenizer, folder / TOKENIZER)  # the bytes that a manifest names
        setattr(model.config, SAID, reads)
        model.save_pretrained(folder)
        shutil.rmtree(out, ignore_errors=True)
        os.replace(folder, out)
    return out


def check_replaceable(out: Path) -> None:
    """A Hugging Face folder may be written to ``out``: nothing is there, or such a folder and nothing else.

    Raises:
        BadBase: If not.
    """
    check_free(out, "Hugging Face folder", lambda: _WRITTEN if _is_model(out) else frozenset())


def _is_model(folder: Path) -> bool:
    """Whether there are weights, and a configuration that transformers wrote."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    known = isinstance(config, dict) and ("architectures" in config or "model_type" in config)
    return known and (folder / WEIGHTS).is_file()


def model_of(stored: Stored, tokeniser: PieceTokeniser) -> Classifier:
    """The token classifier that a graph was built from, in float32 and without dropout.

    Raises:
        BadBase: If weights are missing, or there are some that have no place in such a model.
    """
    pad = 0 if stored.family == BERT else tokeniser.pad
    first = 0 if stored.family == BERT else pad + 1  # position of the first piece of a text
    model = _empty(stored, tokeniser, pad, first)
    missing, unexpected = model.load_state_dict(_state(stored, first), strict=False)
    if missing or unexpected:
        raise BadBase(f"weights without a place: {unexpected}; places without weights: {missing}")
    model.eval()  # type: ignore[no-untyped-call]
    return model


def _specials(tokeniser: PieceTokeniser) -> dict[str, str]:
    first, last, pad, mask = tokeniser.specials
    names = {"cls_token": first, "sep_token": last, "pad_token": pad, "mask_token": mask}
    if first.startswith("["):
        return {**names, "unk_token": "[UNK]"}
    return {**names, "bos_token": first, "eos_token": last, "unk_token": "<unk>"}


def _empty(stored: Stored, tokeniser: PieceTokeniser, pad: int, first: int) -> Classifier:
    pieces, hidden = stored.weights["words"].shape
    sizes = {
        "vocab_size": pieces,
        "hidden_size": hidden,
        "num_hidden_layers": stored.layers,
        "num_attention_heads": stored.heads,
        "intermediate_size": len(stored.weights[f"{stored.family}.encoder.layer.0.intermediate.dense.bias"]),
        "max_position_embeddings": len(stored.weights["positions"]) + first,
        "type_vocab_size": 1,
        "hidden_act": stored.activation,
        "layer_norm_eps": stored.epsilon,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "bos_token_id": tokeniser.bos,
        "eos_token_id": tokeniser.eos,
        "pad_token_id": pad,
        "num_labels": len(stored.weights["classifier.bias"]),
    }
    if stored.family == BERT:
        return BertForTokenClassification(BertConfig(**sizes))
    return XLMRobertaForTokenClassification(XLMRobertaConfig(**sizes))


def _state(stored: Stored, first: int) -> dict[str, torch.Tensor]:
    weights = dict(stored.weights)
    positions, embeddings = weights.pop("positions"), f"{stored.family}.embeddings"
    unused = np.zeros((first, positions.shape[1]), np.float32)
    weights[f"{embeddings}.word_embeddings.weight"] = weights.pop("words")
    weights[f"{embeddings}.position_embeddings.weight"] = np.concatenate([unused, positions])
    weights[f"{embeddings}.token_type_embeddings.weight"] = np.zeros((1, positions.shape[1]), np.float32)
    return {name: torch.from_numpy(array) for name, array in weights.items()}
