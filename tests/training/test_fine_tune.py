"""A run starts where it is told to, replays, stops early, and is one run in several processes."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from foreign import write_checkpoint
from learning import SHOWN, quiet, tiny_run, write_logs
from safetensors.torch import load_file
from tiny import write_tiny_bundle
from transformers import AutoModelForTokenClassification

from elision.model.scorer import load_scorer
from elision.model.types import FloatArray
from elision.training.config import TrainConfig
from elision.training.errors import BadConfig
from elision.training.loop import train
from elision.training.processes import own_batches
from elision.training.start import start_of, starting_point
from elision.training.torch_scorer import TorchScorer

TEXT = "\n".join(SHOWN.values()) + "\nthe test did not pass: file un-re\n" * 9
INT8_STEP = 0.1  # more than 8-bit weights move a keep value of these random weights (0.06)


pytestmark = pytest.mark.usefixtures("one_thread")


def values_at_start(config: TrainConfig) -> FloatArray:
    Path(config.out).mkdir(exist_ok=True)
    model, tokeniser = starting_point(config)
    return TorchScorer(model, tokeniser, config.window_pieces).score(TEXT, "test").values


def events(config: TrainConfig, key: str) -> list[dict[str, object]]:
    rows = map(json.loads, (Path(config.out) / "metrics.jsonl").read_text().splitlines())
    return [row for row in rows if key in row]


@pytest.mark.parametrize("labels", [1, 2])
def test_a_run_from_a_bundle_starts_with_what_the_bundle_says(tmp_path: Path, labels: int) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle", labels=labels)
    exact = write_tiny_bundle(tmp_path / "exact", labels=labels, quantised=False)

    def away(folder: Path) -> float:
        found = values_at_start(tiny_run(tmp_path, init=str(folder), out=str(tmp_path / f"out-{folder.name}")))
        return float(np.abs(found - load_scorer(folder).score(TEXT, "test").values).max())

    assert away(exact) < 1e-4
    assert away(bundle) < INT8_STEP


def test_two_logits_become_the_one_that_says_the_same(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "source", "bert", labels=2)
    model = AutoModelForTokenClassification.from_pretrained(source)
    config = tiny_run(tmp_path, init=str(source))
    found = values_at_start(config)
    _, tokeniser = starting_point(config)

    assert np.abs(found - TorchScorer(model, tokeniser, config.window_pieces).score(TEXT, "test").values).max() < 1e-6


def test_a_tokeniser_that_cuts_and_pads_reads_lines_as_they_are(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, init=str(write_checkpoint(tmp_path / "source", "bert")))  # saved with a limit of 512
    Path(config.out).mkdir()
    _, tokeniser = starting_point(config)

    (short,) = tokeniser.lines("un-re")
    (long,) = tokeniser.lines("cannot open " * 300)
    assert len(short.ids) <= 5
    assert long.stops[-1] == len("cannot open " * 300) - 1


def test_layers_are_kept_by_number(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, layers=(1,))
    Path(config.out).mkdir()
    model, _ = starting_point(config)
    whole = AutoModelForTokenClassification.from_pretrained(tmp_path / "cache" / "base-tiny-1", num_labels=1).state_dict()

    name = "roberta.encoder.layer.{}.output.dense.weight"
    assert model.config.num_hidden_layers == 1
    assert torch.equal(model.state_dict()[name.format(0)], whole[name.format(1)])
    with pytest.raises(BadConfig, match=r"layers \[2\]: the starting point has layers 0 to 1"):
        starting_point(dataclasses.replace(config, layers=(0, 2)))


def test_a_start_that_is_none_of_the_known_ones_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="is no training run"):
        start_of(tiny_run(tmp_path, init=str(tmp_path / "nothing")))


def test_a_run_that_gets_no_better_stops_and_keeps_its_best(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, learning_rate=0.0, patience=2)
    log: list[str] = []

    train(config, log.append)

    assert len(events(config, "held_out")) == 3
    assert any("2 evaluations without a better score" in line for line in log)


def test_a_run_learns_its_own_labels_and_replays_others_against_forgetting(tmp_path: Path) -> None:
    others = write_logs(tmp_path / "others.jsonl", chunks=60)
    config = tiny_run(tmp_path, replay=(str(others),), replay_share=0.5)
    log: list[str] = []

    best = train(config, log.append)

    assert any("54 to replay" in line for line in log)
    assert all(len(row["held_out"]) == 2 for row in events(config, "held_out"))  # type: ignore[arg-type]
    assert json.loads((best / "figures.json").read_text())["line_auc_ge2"] > 0.95


def test_what_weighs_nothing_is_not_learnt(tmp_path: Path) -> None:
    ours = write_logs(tmp_path / "ours.jsonl", origin="judged")
    wrong = write_logs(tmp_path / "wrong.jsonl", wanted="info", origin="hindsight", doc="elsewhere")
    config = tiny_run(tmp_path, labels=(str(ours), str(wrong)), weights={"hindsight": 0.0}, held_out=0.0)

    train(config, quiet)

    model = AutoModelForTokenClassification.from_pretrained(Path(config.out) / "best")
    scorer = TorchScorer(model, starting_point(config)[1], config.window_pieces)
    first, *_, last = scorer.score(f"{SHOWN['error']}\n{SHOWN['info']}").values
    assert first > last


def test_without_held_out_rows_the_last_weights_are_kept(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, held_out=0.0, passes=2)

    best = train(config, quiet)

    kept, last = load_file(best / "model.safetensors"), load_file(Path(config.out) / "state" / "model.safetensors")
    assert kept and all(torch.equal(kept[name], last[name]) for name in kept)
    assert json.loads((best / "figures.json").read_text()) == {}


def test_processes_share_the_batches_of_a_pass_out() -> None:
    order = [[number] for number in range(11)]
    shares = [own_batches(order, 3, own, 3) for own in range(3)]

    assert sorted(batch for share in shares for batch in share) == order[:9]
    assert [own_batches(order[:5], 2, own, 3) for own in range(2)] == [[[0], [2], [4]], [[1], [3], [0]]]


@pytest.mark.slow
def test_two_processes_are_one_run(tmp_path: Path) -> None:
    bundle = write_tiny_bundle(tmp_path / "bundle")
    config = tiny_run(tmp_path, init=str(bundle), passes=16, checkpoint_minutes=0.01)
    fields = {key: value for key, value in dataclasses.asdict(config).items() if value not in ({}, "")}
    (tmp_path / "run.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in fields.items()))
    # accelerate launch starts several processes on GPUs, on a CPU only through MPI; this is what it calls for GPUs.
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"),
        *("-m", "elision.serving.cli", "train", "--config", str(tmp_path / "run.toml")),
    ]

    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == str(Path(config.out) / "best")
    assert ran.stderr.count("chunks to learn from") == 1
    figures = json.loads((Path(config.out) / "best" / "figures.json").read_text())
    assert figures["line_auc_ge2"] > 0.95
    names = {path.name for path in Path(config.out).iterdir()}
    assert names == {"best", "config.json", "init", "labels.json", "lines.bin", "metrics.jsonl", "state", "tokenizer.json"}
    alone = tiny_run(tmp_path, init=str(bundle), passes=1, out=str(tmp_path / "alone"))
    train(alone, quiet)
    steps = [max(int(str(row["step"])) for row in events(one, "held_out")) for one in (config, alone)]
    assert steps[0] <= 16 * steps[1] / 2  # each saw half of the batches


def toml(value: object) -> str:
    return json.dumps(value)  # strings, numbers, booleans and lists are written alike
