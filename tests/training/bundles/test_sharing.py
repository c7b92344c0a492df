"""A run's bundle shares what it has in common with one beside it, and nothing else."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import tiny_model, tiny_tokenizer, write_sharing_bundle, write_tiny_bundle
from transformers import PreTrainedModel

from elision.model.bundle import MANIFEST, MODEL, TOKENIZER, WORDS, file_hash, load_bundle
from elision.model.scorer import load_scorer
from elision.training.bundles import export as exporting
from elision.training.bundles import sharing
from elision.training.bundles.export import export
from elision.training.bundles.stored import read_graph
from elision.training.bundles.weights import huggingface_folder
from elision.training.config import TrainConfig
from elision.training.errors import BadBase
from elision.training.start import keep_layers, word_rows

TEXT = "error: file not passed at line 12\ninfo the test passed\n" * 8


def run(folder: Path, model: PreTrainedModel, **change: object) -> Path:
    """``OUT`` of a run that ended with this model."""
    model.save_pretrained(folder / "best")
    tiny_tokenizer().save(str(folder / TOKENIZER), pretty=False)
    config = TrainConfig(name="small", labels=(), out=str(folder), base="tiny", window_pieces=96)
    (folder / "config.json").write_text(json.dumps(dataclasses.asdict(config) | change))
    return folder


def smaller() -> PreTrainedModel:
    model = tiny_model()
    keep_layers(model, [1])
    return model


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundles" / "first", apart=True)


def test_a_run_exported_with_a_share_scores_as_the_one_without(first: Path, tmp_path: Path) -> None:
    out = run(tmp_path / "run", smaller())
    whole = export(out, first.parent / "whole")
    small = export(out, first.parent / "small", share=first)

    assert sorted(path.name for path in small.iterdir()) == [MANIFEST, MODEL]
    assert load_bundle(small).manifest["shares"] == {name: f"../first/{name}" for name in (TOKENIZER, WORDS)}
    assert load_bundle(small).manifest["files"][WORDS] == file_hash(first / WORDS) == file_hash(whole / WORDS)
    assert np.array_equal(load_scorer(small).score(TEXT, "why").values, load_scorer(whole).score(TEXT, "why").values)


def test_the_way_back_finds_the_shared_embedding(first: Path, tmp_path: Path) -> None:
    small = write_sharing_bundle(first.parent / "small", first)

    words = read_graph(load_bundle(small).file(MODEL), load_bundle(small).words).weights["words"]
    folder = huggingface_folder(small, tmp_path / "out")
    again = export(run(tmp_path / "run", type(tiny_model()).from_pretrained(folder)), first.parent / "again", share=small)

    assert np.array_equal(words, tiny_model().roberta.embeddings.word_embeddings.weight.detach().numpy())
    assert load_bundle(again).manifest["shares"] == load_bundle(small).manifest["shares"]
    assert np.array_equal(load_scorer(again).score(TEXT).values, load_scorer(small).score(TEXT).values)


def test_another_embedding_cannot_be_shared(first: Path, tmp_path: Path) -> None:
    model = smaller()
    with torch.no_grad():
        word_rows(model)[7] *= 2

    with pytest.raises(BadBase, match="embedding rows differ"):
        export(run(tmp_path / "run", model), first.parent / "small", share=first)
    assert [path.name for path in first.parent.iterdir()] == ["first"]


def test_another_tokeniser_cannot_be_shared(first: Path, tmp_path: Path) -> None:
    out = run(tmp_path / "run", smaller())
    tokenizer = json.loads((out / TOKENIZER).read_text())
    tokenizer["model"]["vocab"][9][1] -= 1
    (out / TOKENIZER).write_text(json.dumps(tokenizer))

    with pytest.raises(BadBase, match="tokeniser differs"):
        export(out, first.parent / "small", share=first)
    assert [path.name for path in first.parent.iterdir()] == ["first"]


def test_only_a_bundle_beside_it_with_an_embedding_apart_can_be_shared(first: Path, tmp_path: Path) -> None:
    out = run(tmp_path / "run", smaller())
    old = write_tiny_bundle(first.parent / "old")

    with pytest.raises(BadBase, match="not beside"):
        export(out, tmp_path / "elsewhere", share=first)
    with pytest.raises(BadBase, match="not beside"):
        export(out, first, share=first)
    with pytest.raises(BadBase, match=r"there is no words\.bin to share"):
        export(out, first.parent / "small", share=old)


def test_a_bundle_that_another_shares_is_replaced_only_by_one_with_the_same_files(first: Path, tmp_path: Path) -> None:
    small = write_sharing_bundle(first.parent / "small", first)
    same, other = tmp_path / "same", tmp_path / "other"

    tiny_tokenizer().save(str(run(same, tiny_model(seed=0)) / TOKENIZER))  # laid out as in the bundle
    export(same, first)
    load_bundle(small)
    with pytest.raises(BadBase, match="small shares tokenizer.json with"):
        export(run(other, tiny_model(seed=5)), first)
    load_bundle(small)


def test_what_ships_is_limited_in_all_and_shared_files_count_once(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = run(tmp_path / "run", smaller())
    monkeypatch.setattr("elision.model.bundle.SHIPPED", first.parent)
    monkeypatch.setattr(exporting, "SHIPPED", first.parent)
    small = export(out, first.parent / "small", share=first)
    both = sum(path.stat().st_size for folder in (first, small) for path in folder.iterdir())
    monkeypatch.setattr(exporting, "LARGEST", both + 500)

    export(out, small, share=first)
    with pytest.raises(BadBase, match="what ships would have"):
        export(out, small)
    monkeypatch.setattr(exporting, "LARGEST_FILE", 1000)
    with pytest.raises(BadBase, match="a file of"):
        export(out, small, share=first)


def test_the_order_of_a_tokenisers_keys_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"b": 1, "a": 2}')
    (tmp_path / "b").write_text('{\n "a": 2, "b": 1}')

    assert sharing.same_tokeniser(tmp_path / "a", tmp_path / "b")
