"""A bundle's embedding may lie in a file of its own, and that file and the tokeniser beside it."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import write_sharing_bundle, write_tiny_bundle

from elision.model.bundle import MANIFEST, MODEL, TOKENIZER, WORDS, load_bundle
from elision.model.errors import BundleCorrupt, BundleIncomplete
from elision.model.scorer import load_scorer

TEXT = "error: file not passed at line 12\ninfo the test passed\n\nwarn: path fails 3 of 7 tests\n" * 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    write_sharing_bundle(folder / "small", write_tiny_bundle(folder / "first", apart=True))
    return folder


@pytest.fixture
def bundles(made: Path, tmp_path: Path) -> Path:
    """Folder of ``first`` and of ``small``, which shares with it."""
    return Path(shutil.copytree(made, tmp_path / "bundles"))


def rewrite(bundle: Path, **change: Any) -> None:
    manifest = json.loads((bundle / MANIFEST).read_text())
    (bundle / MANIFEST).write_text(json.dumps({**manifest, **change}))


@pytest.mark.parametrize("quantised", [True, False])
def test_an_embedding_apart_changes_no_bit_of_a_score(tmp_path: Path, quantised: bool) -> None:
    whole = write_tiny_bundle(tmp_path / "whole", quantised=quantised)
    apart = write_tiny_bundle(tmp_path / "apart", quantised=quantised, apart=True)

    assert load_bundle(whole).words is None and load_bundle(apart).words == apart / WORDS
    assert np.array_equal(load_scorer(whole).score(TEXT, "why").values, load_scorer(apart).score(TEXT, "why").values)


def test_both_bundles_load_side_by_side_and_score_on_their_own(bundles: Path) -> None:
    first, small = load_scorer(bundles / "first"), load_scorer(bundles / "small")
    before = first.score(TEXT).values

    assert sorted(path.name for path in (bundles / "small").iterdir()) == [MANIFEST, MODEL]
    assert not np.array_equal(small.score(TEXT).values, before)
    assert np.array_equal(first.score(TEXT).values, before)


def test_a_scorer_lives_on_when_the_file_that_it_was_loaded_from_changes(bundles: Path) -> None:
    small = load_scorer(bundles / "small")
    before = small.score(TEXT).values
    (bundles / "first" / WORDS).write_bytes(bytes((bundles / "first" / WORDS).stat().st_size))

    assert np.array_equal(small.score(TEXT).values, before)


@pytest.mark.parametrize("name", [WORDS, TOKENIZER])
def test_a_shared_file_that_was_changed_is_named(bundles: Path, name: str) -> None:
    (bundles / "first" / name).write_bytes((bundles / "first" / name).read_bytes() + b" ")

    with pytest.raises(BundleCorrupt, match=f"small/../first/{name}: SHA-256"):
        load_bundle(bundles / "small")


def test_a_missing_sibling_is_named(bundles: Path) -> None:
    shutil.rmtree(bundles / "first")

    with pytest.raises(BundleIncomplete, match=f"small/../first/{TOKENIZER} is missing"):
        load_bundle(bundles / "small")


@pytest.mark.parametrize(
    "place",
    [
        "../../first/words.bin",
        "../first/../first/words.bin",
        "../../words.bin",
        "../words.bin",
        ".././words.bin",
        "first/words.bin",
        "words.bin",
        "/first/words.bin",
        "//first/words.bin",
        "../first/tokenizer.json",
        "..\\first\\words.bin",
        "../C:/words.bin",
        "../first\0/words.bin",
        "../first/words.bin\n",
        "",
        None,
        7,
    ],
)
def test_only_a_bundle_beside_it_can_be_shared(bundles: Path, place: object) -> None:
    rewrite(bundles / "small", shares={WORDS: place, TOKENIZER: f"../first/{TOKENIZER}"})

    with pytest.raises(BundleCorrupt, match=r"must be \.\./BUNDLE/words\.bin"):
        load_bundle(bundles / "small")


@pytest.mark.parametrize("shares", [{MODEL: f"../first/{MODEL}"}, {"other.bin": "../first/other.bin"}, [WORDS], "../first"])
def test_nothing_but_tokeniser_and_embedding_can_be_shared(bundles: Path, shares: object) -> None:
    rewrite(bundles / "small", shares=shares)

    with pytest.raises(BundleCorrupt, match="shares"):
        load_bundle(bundles / "small")


@pytest.mark.parametrize("name", ["../first/words.bin", "../../secret", "/etc/hostname", "..", ".", "", "a\\b", "C:x", "a\0"])
def test_its_own_files_lie_in_its_own_folder(bundles: Path, name: str) -> None:
    files = json.loads((bundles / "first" / MANIFEST).read_text())["files"]
    rewrite(bundles / "first", files={**files, name: "0" * 64})

    with pytest.raises(BundleCorrupt, match="is not the name of a file in its folder"):
        load_bundle(bundles / "first")


def test_the_embedding_of_another_model_is_no_scorer(bundles: Path) -> None:
    short = b"too short"
    (bundles / "first" / WORDS).write_bytes(short)
    files = json.loads((bundles / "first" / MANIFEST).read_text())["files"]
    rewrite(bundles / "first", files={**files, WORDS: hashlib.sha256(short).hexdigest()})

    with pytest.raises(BundleCorrupt, match="ONNX Runtime cannot load it"):
        load_scorer(bundles / "first")
