"""A bundle that is not exactly what its manifest says is refused with a message that says why."""

import json
import shutil
from pathlib import Path

import pytest

from elision.model.bundle import load_bundle
from elision.model.errors import BundleCorrupt, BundleIncomplete, BundleNotFound
from elision.model.scorer import load_scorer


@pytest.fixture
def copy(tiny_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_bundle, tmp_path / "copy"))


def test_a_whole_bundle_loads_and_names_itself_by_content(copy: Path) -> None:
    bundle = load_bundle(copy)

    assert bundle.identity == f"tiny@{bundle.hash}"
    assert load_bundle(copy) == bundle


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleNotFound, match=r"manifest\.json"):
        load_bundle(tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()

    with pytest.raises(BundleIncomplete, match=name):
        load_bundle(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_changed_file_is_named(copy: Path, name: str) -> None:
    (copy / name).write_bytes((copy / name).read_bytes() + b" ")

    with pytest.raises(BundleCorrupt, match=name):
        load_bundle(copy)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 99}', "\x00"])
def test_a_manifest_that_is_none_is_corrupt(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text)

    with pytest.raises(BundleCorrupt, match="manifest"):
        load_bundle(copy)


def test_a_manifest_that_names_no_input_means_lines(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    before = load_bundle(copy)
    (copy / "manifest.json").write_text(json.dumps({**manifest, "input": "plain"}))

    assert "input" not in manifest and before.input == "lines"
    assert load_bundle(copy).input == "plain"


@pytest.mark.parametrize("named", ["pairs", None, ["plain"]])
def test_an_input_that_is_not_known_is_refused(copy: Path, named: object) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "input": named}))

    with pytest.raises(BundleCorrupt, match="input is .*, this version knows lines and plain"):
        load_bundle(copy)


def test_another_schema_is_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "schema": 2}))

    with pytest.raises(BundleCorrupt, match="schema 2"):
        load_bundle(copy)


def test_files_of_the_right_hash_but_no_model_are_corrupt(copy: Path) -> None:
    from elision.model.bundle import write_manifest

    (copy / "model.onnx").write_bytes(b"not onnx")
    manifest = json.loads((copy / "manifest.json").read_text())
    write_manifest(copy, {key: value for key, value in manifest.items() if key not in ("files", "schema")})

    with pytest.raises(BundleCorrupt, match=r"model\.onnx"):
        load_scorer(copy)


@pytest.mark.parametrize(
    ("change", "says"),
    [({"labels": 2}, "labels"), ({"window_pieces": 50}, "50 pieces"), ({"labels": 3}, "3 labels")],
)
def test_a_manifest_that_does_not_fit_its_model_is_refused(copy: Path, change: dict[str, int], says: str) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, **change}))

    with pytest.raises(BundleCorrupt, match=says):
        load_scorer(copy)


def test_files_that_are_no_object_are_corrupt(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "files": ["model.onnx", "tokenizer.json"]}))

    with pytest.raises(BundleCorrupt, match="files"):
        load_bundle(copy)
