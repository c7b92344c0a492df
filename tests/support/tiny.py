"""A whole bundle in miniature, made in the test: two layers, 64 wide, a few hundred pieces."""

from pathlib import Path

import onnx
import torch
from tokenizers import Tokenizer, models
from transformers import XLMRobertaConfig, XLMRobertaForTokenClassification

from elision.model.bundle import MODEL, TOKENIZER, load_bundle, write_manifest
from elision.training.bundles.base import dressed
from elision.training.bundles.graph import build
from elision.training.bundles.quantise import q4_rows
from elision.training.bundles.sharing import leave_out, save_apart
from elision.training.start import keep_layers

WORDS = ["error", "the", "warn", "info", "file", "line", "test", "pass", "fail", "ing", "ed", "un", "re", "path", "not"]


def tiny_tokenizer() -> Tokenizer:
    characters = [chr(code) for code in range(33, 127)] + list("äöüßéñçàèабвгдежзийклмнопрстуфхцчшщыэюя中文字不的")
    pieces = [(piece, 0.0) for piece in ("<s>", "<pad>", "</s>", "<unk>")]
    pieces += [("▁", -3.0)] + [("▁" + word, -4.0) for word in WORDS] + [(word, -5.0) for word in WORDS]
    pieces += [(character, -8.0) for character in characters] + [("<mask>", 0.0)]
    return dressed(Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False)))


def tiny_model(labels: int = 1, seed: int = 0) -> XLMRobertaForTokenClassification:
    torch.manual_seed(seed)
    config = XLMRobertaConfig(
        vocab_size=tiny_tokenizer().get_vocab_size(),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=514,
        type_vocab_size=1,
        initializer_range=0.3,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    config.num_labels = labels
    model = XLMRobertaForTokenClassification(config)
    words = model.roberta.embeddings.word_embeddings.weight
    words.data = torch.from_numpy(q4_rows(words.detach().numpy()).dequantised())  # as every base of ours is
    model.eval()  # type: ignore[no-untyped-call]
    return model


def write_tiny_bundle(
    folder: Path, *, labels: int = 1, quantised: bool = True, seed: int = 0, apart: bool = False
) -> Path:
    folder.mkdir(parents=True)
    graph = build(tiny_model(labels, seed), quantised=quantised)
    if apart:
        save_apart(graph, folder)
    else:
        onnx.save(graph, folder / MODEL)
    _finish(folder, labels)
    return folder


def write_sharing_bundle(folder: Path, beside: Path) -> Path:
    """The first layer of the tiny model, with tokeniser and embedding of the tiny bundle ``beside``."""
    folder.mkdir()
    model = tiny_model()
    keep_layers(model, [0])
    save_apart(build(model, quantised=True), folder)
    _finish(folder, labels=1)
    leave_out(folder, load_bundle(beside))
    return folder


def _finish(folder: Path, labels: int) -> None:
    tiny_tokenizer().save(str(folder / TOKENIZER))
    write_manifest(
        folder,
        {
            "name": "tiny",
            "base": {},
            "label_sources": [],
            "config": {},
            "metrics": {},
            "window_pieces": 96,
            "labels": labels,
        },
    )
