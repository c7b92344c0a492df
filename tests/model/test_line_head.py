"""The line head adds what it knows of a line to every piece of it, by the window alone."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import tiny_tokenizer, write_tiny_bundle

from elision.model.bundle import LINE_HEAD, MANIFEST, load_bundle, write_manifest
from elision.model.errors import BundleCorrupt
from elision.model.line_head import MEASURES, WEIGHTS, LineHead, LineReader, read_weights, write_weights
from elision.model.scorer import WindowScorer, load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.model.windows import LinesInput, Window

TOKENISER = PieceTokeniser(tiny_tokenizer())
READER = LineReader(TOKENISER)
WORDS = ("error", "warn", "file", "path", "line", "pass", "fail", "7", ".")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=12).map("\n".join)
RANDOM = np.random.default_rng(0).normal(0, 1, WEIGHTS).astype(np.float32)


def windows(text: str) -> list[Window]:
    return list(LinesInput(TOKENISER, 96).windows(TOKENISER.lines(text)))


@settings(deadline=None)
@given(TEXTS, st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join))
def test_every_line_is_read_once_and_borders_not_at_all(text: str, query: str) -> None:
    for window in windows(text):
        lines = READER.read(TOKENISER.query(query, 48), window)

        borders = np.array(window.starts) == np.array(window.stops)
        assert ((lines.line < 0) == borders).all()
        assert set(lines.line[~borders]) == set(range(len(lines.measures)))
        assert (np.diff(lines.line[~borders]) >= 0).all()
        assert lines.measures.shape[1] == MEASURES and np.isfinite(lines.measures).all()
        assert set(lines.at) <= set(range(len(lines.measures)))
        assert (lines.bucket >= 0).all() and (lines.bucket < WEIGHTS - MEASURES).all()
        assert len(set(zip(lines.at.tolist(), lines.bucket.tolist(), strict=True))) == len(lines.at)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 2**32 - 1))
def test_what_is_added_is_one_logit_a_line_and_no_order_within_one_changes(text: str, seed: int) -> None:
    for window in windows(text):
        values = np.random.default_rng(seed).uniform(0.01, 0.99, len(window.ids)).astype(np.float32)

        added = LineHead(READER, RANDOM, 2.0).added([], window, values)

        line = READER.read([], window).line
        logits = np.log(added.astype(float) / (1 - added)) - np.log(values.astype(float) / (1 - values))
        inner = (added > 1e-3) & (added < 1 - 1e-3)
        for number in set(line):
            own = logits[(line == number) & inner]
            assert np.ptp(own) < 1e-2 if len(own) else True
        assert np.allclose(added[line < 0], values[line < 0], atol=1e-6)


@settings(deadline=None)
@given(TEXTS)
def test_a_head_of_zeros_or_of_scale_zero_changes_nothing(text: str) -> None:
    for window in windows(text):
        values = np.linspace(0, 1, len(window.ids), dtype=np.float32)
        for head in (LineHead(READER, np.zeros(WEIGHTS, np.float32), 2.0), LineHead(READER, RANDOM, 0.0)):
            assert np.allclose(head.added([], window, values), values, atol=2e-6)


def test_keep_values_stay_between_0_and_1() -> None:
    (window,) = windows("error in file\nwarn")
    values = np.array([0, 1] * len(window.ids), dtype=np.float32)[: len(window.ids)]

    added = LineHead(READER, 1e4 * RANDOM, 2.0).added([], window, values)

    assert ((added >= 0) & (added <= 1)).all()


def test_a_repeated_line_a_neighbour_and_the_query_are_seen() -> None:
    def first(text: str, query: str = "") -> tuple[object, ...]:
        lines = READER.read(TOKENISER.query(query, 48), windows(text)[0])
        own = lines.at == 0
        return tuple(lines.bucket[own]), lines.measures[0].tolist()

    alone = first("error file\nwarn path")
    assert first("error file\nerror file") != alone
    assert first("error file\nfail path") != alone
    assert first("error file\nwarn path", "error") != alone
    assert first("error file\nwarn path") == alone


def test_a_long_line_is_read_sentence_by_sentence() -> None:
    sentence = " ".join(["error in file path"] * 5) + " ."
    (window,) = LinesInput(TOKENISER, 384).windows(TOKENISER.lines(f"{sentence} {sentence}\n{sentence}"))

    assert len(READER.read([], window).measures) == 3


@pytest.fixture
def headed(tmp_path: Path) -> Path:
    return with_head(write_tiny_bundle(tmp_path / "headed"), RANDOM)


def with_head(folder: Path, weights: np.ndarray, **fields: object) -> Path:
    """The bundle in a folder, given a line head."""
    write_weights(folder / LINE_HEAD, weights)
    manifest = json.loads((folder / MANIFEST).read_text())
    known = {name: value for name, value in manifest.items() if name not in ("schema", "files")}
    write_manifest(folder, known | {"line_head": 2.0} | fields)
    return folder


def test_a_bundle_with_a_head_scores_otherwise_than_without(headed: Path, tiny_bundle: Path) -> None:
    text = "error in file\nwarn path\npass"

    ours, plain = load_scorer(headed).score(text), load_scorer(tiny_bundle).score(text)

    assert (ours.starts == plain.starts).all()
    assert not np.allclose(ours.values, plain.values)


def test_threads_do_not_change_a_bit_of_it(headed: Path) -> None:
    text = "\n".join(f"error in file {n}\nwarn path {n * 7}" for n in range(200))

    alone, together = (load_scorer(headed, threads).score(text, "fail").values for threads in (1, 4))

    assert alone.tobytes() == together.tobytes()


def test_weights_come_back_as_they_were_but_for_half_precision(tmp_path: Path) -> None:
    write_weights(tmp_path / LINE_HEAD, RANDOM)

    assert np.allclose(read_weights(tmp_path / LINE_HEAD), RANDOM, atol=2e-3)


def test_weights_of_another_size_are_refused(headed: Path) -> None:
    (headed / LINE_HEAD).write_bytes(b"12" * 99)
    manifest = json.loads((headed / MANIFEST).read_text())
    write_manifest(headed, {name: value for name, value in manifest.items() if name not in ("schema", "files")})

    with pytest.raises(BundleCorrupt, match="99 weights of a line head"):
        load_scorer(headed)


@pytest.mark.parametrize("scale", [None, "2", True, float("nan"), float("inf")])
def test_a_manifest_that_does_not_say_what_the_head_counts_for_is_refused(tmp_path: Path, scale: object) -> None:
    folder = write_tiny_bundle(tmp_path / "bundle")
    with_head(folder, RANDOM, line_head=scale)

    with pytest.raises(BundleCorrupt, match="line_head is"):
        load_bundle(folder)


def test_a_head_on_plain_input_is_refused(tmp_path: Path) -> None:
    folder = with_head(write_tiny_bundle(tmp_path / "bundle"), RANDOM, input="plain")

    with pytest.raises(BundleCorrupt, match="reads lines, but its input is 'plain'"):
        load_bundle(folder)


def test_the_scorer_of_a_bundle_without_a_head_has_none(tiny_bundle: Path) -> None:
    scorer = load_scorer(tiny_bundle)

    assert isinstance(scorer, WindowScorer) and load_bundle(tiny_bundle).line_head is None
