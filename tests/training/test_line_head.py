"""The line head learns what lines are worth in seconds, keeps what it knew, and travels with the bundle."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from learning import SHOWN, quiet, tiny_run, write_logs
from safetensors.torch import load_file
from tiny import write_tiny_bundle

from elision.model.bundle import LINE_HEAD, load_bundle
from elision.model.line_head import WEIGHTS, read_weights
from elision.model.scorer import WindowScorer, load_scorer
from elision.training.bundles.export import export
from elision.training.config import TrainConfig
from elision.training.errors import BadConfig
from elision.training.line_head import starting_head
from elision.training.loop import train


def head_only(tmp_path: Path, out: str, labels: Path, init: Path, **changed: object) -> TrainConfig:
    """A run in which only the head learns."""
    return tiny_run(
        tmp_path, passes=0, held_out=0.0, labels=(str(labels),), init=str(init), out=str(tmp_path / out), **changed
    )


def lead(scorer: WindowScorer, better: str, worse: str) -> float:
    """How many logits a line's pieces stand above another's."""
    text = f"{SHOWN[better]}\n{SHOWN[worse]}"
    scores = scorer.score(text)
    first = scores.starts < len(SHOWN[better])
    values = np.clip(scores.values.astype(float), 1e-6, 1 - 1e-6)
    logits = np.log(values / (1 - values))
    return float(logits[first].mean() - logits[~first].mean())


def test_without_a_pass_the_head_alone_learns_and_the_network_stays(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    config = head_only(tmp_path, "out", write_logs(tmp_path / "own.jsonl"), bundle)

    best = train(config, quiet)

    new, old = load_file(best / "model.safetensors"), load_file(Path(config.out) / "init" / "model.safetensors")
    assert all(torch.equal(new[name], old[name]) for name in new)
    tuned = load_scorer(export(Path(config.out), tmp_path / "tuned"))
    assert lead(tuned, "error", "info") > lead(load_scorer(bundle), "error", "info") + 0.2


def test_what_it_starts_from_is_kept_where_the_new_labels_say_nothing(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    first = head_only(tmp_path, "first", write_logs(tmp_path / "errors.jsonl"), bundle)
    train(first, quiet)
    once = export(Path(first.out), tmp_path / "once")
    judged = [{"start": 0, "end": 9, "level": 0}, {"start": 10, "end": 19, "level": 3}]
    others = write_logs(tmp_path / "others.jsonl", text="pass file\nfail test", lines=judged)

    train(head_only(tmp_path, "second", others, once), quiet)

    before, between = lead(load_scorer(bundle), "error", "info"), lead(load_scorer(once), "error", "info")
    after = lead(load_scorer(export(tmp_path / "second", tmp_path / "twice")), "error", "info")
    assert after - before > 0.7 * (between - before) > 0.1


def test_a_run_goes_on_from_the_head_of_a_run_and_of_a_bundle_on_its_own_scale(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    config = head_only(tmp_path, "out", write_logs(tmp_path / "own.jsonl"), bundle)
    train(config, quiet)
    exported = export(Path(config.out), tmp_path / "tuned")
    own = read_weights(Path(config.out) / LINE_HEAD)

    assert np.array_equal(starting_head(dataclasses.replace(config, init=config.out)), own)
    assert np.allclose(starting_head(dataclasses.replace(config, init=str(exported), line_head=4.0)), own / 2)
    assert not starting_head(config).any() and len(own) == WEIGHTS


def test_what_a_head_counts_for_stands_in_the_manifest_and_none_is_none(tmp_path: Path) -> None:
    bundle, labels = write_tiny_bundle(tmp_path / "bundle"), write_logs(tmp_path / "own.jsonl")
    for out, scale in (("with", 3.0), ("without", 0.0)):
        train(head_only(tmp_path, out, labels, bundle, line_head=scale), quiet)

    headed, plain = (load_bundle(export(tmp_path / out, tmp_path / f"{out}-bundle")) for out in ("with", "without"))

    assert headed.manifest["line_head"] == 3.0 and headed.line_head is not None
    assert "line_head" not in plain.manifest and plain.line_head is None


def test_what_weighs_nothing_teaches_the_head_nothing(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    labels = write_logs(tmp_path / "own.jsonl", origin="hindsight")

    train(head_only(tmp_path, "out", labels, bundle, weights={"hindsight": 0.0}), quiet)

    assert not read_weights(tmp_path / "out" / LINE_HEAD).any()


def test_a_run_of_the_network_fits_its_head_too_and_the_same_one_twice(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, passes=1)
    train(config, quiet)
    first = (Path(config.out) / LINE_HEAD).read_bytes()

    train(config, quiet)  # it is done: nothing is left but the head

    assert (Path(config.out) / LINE_HEAD).read_bytes() == first
    assert json.loads((Path(config.out) / "config.json").read_text())["line_head"] == 2.0


def test_a_run_of_another_scale_is_gone_on_from_on_this_runs(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    config = head_only(tmp_path, "out", write_logs(tmp_path / "own.jsonl"), bundle, line_head=3.0)
    train(config, quiet)
    own = read_weights(Path(config.out) / LINE_HEAD)

    assert np.allclose(starting_head(dataclasses.replace(config, init=config.out, line_head=1.0)), own * 3)


@pytest.mark.parametrize("scale", [2.0, 5.0])
def test_the_mean_with_the_start_is_taken_of_the_heads_too(tmp_path: Path, scale: float) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    first = head_only(tmp_path, "first", write_logs(tmp_path / "errors.jsonl"), bundle, mean_with_init=True)
    train(first, quiet)
    once = export(Path(first.out), tmp_path / "once")  # its start has no head
    others = write_logs(tmp_path / "others.jsonl", wanted="info")
    second = head_only(tmp_path, "second", others, once, mean_with_init=True, line_head=scale)
    train(second, quiet)
    twice = load_bundle(export(Path(second.out), tmp_path / "twice"))

    own, then = read_weights(once / LINE_HEAD), read_weights(Path(second.out) / LINE_HEAD)
    assert np.allclose(own, read_weights(Path(first.out) / LINE_HEAD) / 2, atol=1e-3)
    assert twice.line_head is not None and twice.manifest["line_head"] == scale
    assert np.allclose(read_weights(twice.line_head) * scale, (2 * own + scale * then) / 2, atol=5e-3)


def test_a_run_whose_configuration_is_older_than_its_head_is_exported(tmp_path: Path) -> None:
    config = head_only(tmp_path, "out", write_logs(tmp_path / "own.jsonl"), write_tiny_bundle(tmp_path / "bundle"))
    train(config, quiet)
    path = Path(config.out) / "config.json"
    path.write_text(json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != "line_head"}))

    assert load_bundle(export(Path(config.out), tmp_path / "tuned")).manifest["line_head"] == 2.0


@pytest.mark.parametrize("scale", [-1.0, float("nan"), float("inf")])
def test_a_scale_that_is_none_is_refused(tmp_path: Path, scale: float) -> None:
    with pytest.raises(BadConfig, match="line_head"):
        tiny_run(tmp_path, line_head=scale)
