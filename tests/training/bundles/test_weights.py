"""A bundle's weights come back as a Hugging Face folder that computes what the bundle computes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from tiny import write_tiny_bundle
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    BertConfig,
    BertForTokenClassification,
    XLMRobertaConfig,
    XLMRobertaForTokenClassification,
)

from elision.model.bundle import MODEL, TOKENIZER, load_bundle
from elision.model.errors import BundleNotFound
from elision.model.scorer import load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.graph import build
from elision.training.bundles.stored import read_graph
from elision.training.bundles.weights import huggingface_folder
from elision.training.errors import BadBase
from elision.training.torch_scorer import TorchScorer

LOG = "error: file not passed at line 12\ninfo the test passed\n\nwarn: path fails 3 of 7 tests\n" * 6


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("quantised", [True, False])
@pytest.mark.parametrize("labels", [1, 2])
def test_the_folder_scores_as_the_bundle_does(tmp_path: Path, labels: int, quantised: bool) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle", labels=labels, quantised=quantised)

    out = huggingface_folder(bundle, tmp_path / "out")
    model = AutoModelForTokenClassification.from_pretrained(out)
    found = TorchScorer(model, PieceTokeniser.load(out / TOKENIZER), 96).score(LOG, "why").values
    shipped = load_scorer(bundle).score(LOG, "why").values

    # The runner also rounds what goes into a matrix to 8 bits; the weights are the same.
    assert np.abs(found - shipped).max() <= (0.03 if quantised else 1e-5)


def test_quantising_the_folder_again_stores_the_same_embedding_rows(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    out = huggingface_folder(bundle, tmp_path / "out")
    again = build(XLMRobertaForTokenClassification.from_pretrained(out), quantised=True)
    onnx.save(again, tmp_path / MODEL)

    assert np.array_equal(read_graph(tmp_path / MODEL).weights["words"], read_graph(bundle / MODEL).weights["words"])


@pytest.mark.parametrize("act", ["gelu", "gelu_new", "relu"])
@pytest.mark.parametrize(("quantised", "bits"), [(False, 8), (True, 8), (True, 4)])
@pytest.mark.parametrize("family", [BertConfig, XLMRobertaConfig])
def test_every_weight_of_a_graph_is_read_back(
    tmp_path: Path, family: type[BertConfig | XLMRobertaConfig], quantised: bool, bits: int, act: str
) -> None:
    config = family(
        vocab_size=70, hidden_size=52, num_hidden_layers=2, num_attention_heads=4, intermediate_size=100, hidden_act=act
    )
    kind: Any = BertForTokenClassification if family is BertConfig else XLMRobertaForTokenClassification
    model = kind(config)
    onnx.save(build(model, quantised=quantised, row_bits=bits), tmp_path / MODEL)

    stored = read_graph(tmp_path / MODEL)

    assert (stored.heads, stored.layers, stored.activation, stored.epsilon) == (4, 2, act, config.layer_norm_eps)
    for name, tensor in model.state_dict().items():
        if name in stored.weights:
            assert torch.allclose(tensor, torch.from_numpy(stored.weights[name]), atol=6e-4)
    words = stored.weights["words"]
    expected = model.base_model.embeddings.word_embeddings.weight.detach().numpy()
    assert np.abs(words - expected).max() <= (0.012 if quantised and bits == 4 else 6e-4)


def test_the_tokeniser_beside_the_weights_is_the_bundles(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    out = huggingface_folder(bundle, tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(out)

    assert (out / TOKENIZER).read_bytes() == (bundle / TOKENIZER).read_bytes()
    assert (tokenizer.cls_token, tokenizer.sep_token, tokenizer.pad_token) == ("<s>", "</s>", "<pad>")
    assert tokenizer.model_max_length == 96
    assert json.loads((out / "config.json").read_text())["elision_input"] == "lines"


def test_an_earlier_folder_is_replaced_and_anything_else_is_left(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    out = huggingface_folder(bundle, huggingface_folder(bundle, tmp_path / "out"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")

    with pytest.raises(BadBase, match="mine exists and is no Hugging Face folder"):
        huggingface_folder(bundle, tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "mine", "out"]
    assert (out / "model.safetensors").is_file()


def keep_run(folder: Path) -> None:
    (folder / "best").mkdir()
    (folder / "config.json").write_text('{"name": "t", "labels": []}')


def keep_best(folder: Path) -> None:
    (folder / "figures.json").write_text("{}")


def keep_checkpoints(folder: Path) -> None:
    (folder / "checkpoint-500").mkdir()


def keep_project(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def keep_settings(folder: Path) -> None:
    (folder / "config.json").write_text('{"port": 80}')


def keep_nonsense(folder: Path) -> None:
    (folder / "config.json").write_text("port = 80")


@pytest.mark.parametrize("keep", [keep_run, keep_best, keep_checkpoints, keep_project, keep_settings, keep_nonsense])
def test_a_folder_that_is_more_or_less_than_a_model_is_left(tmp_path: Path, keep: Callable[[Path], None]) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    out = huggingface_folder(bundle, tmp_path / "out")
    keep(out)
    before = sorted(out.rglob("*"))

    with pytest.raises(BadBase, match="out exists and is no Hugging Face folder"):
        huggingface_folder(bundle, out)
    assert sorted(out.rglob("*")) == before


def test_a_folder_without_a_bundle_says_so(tmp_path: Path) -> None:
    with pytest.raises(BundleNotFound, match="no bundle at"):
        huggingface_folder(tmp_path, tmp_path / "out")


@pytest.mark.slow
def test_the_shipped_bundle_and_its_folder_agree(tmp_path: Path) -> None:
    bundle = load_bundle()
    out = huggingface_folder(bundle.path, tmp_path / "out")
    model = AutoModelForTokenClassification.from_pretrained(out)
    text = (Path(__file__).parents[3] / "samples" / "service.log").read_text(encoding="utf-8")[:1500]
    found = TorchScorer(model, PieceTokeniser.load(out / TOKENIZER), bundle.window_pieces).score(text).values
    shipped = load_scorer(bundle.path).score(text).values

    assert np.abs(found - shipped).mean() < 0.01
