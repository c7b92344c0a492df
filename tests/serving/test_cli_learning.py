"""`train`, `export` and `evaluate --against` from the command line: from label files to a bundle and a verdict."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from learning import write_logs

from elision.model.bundle import default_path, load_bundle
from elision.serving.commands.learning import FINE_TUNE

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]
SHIPPED = default_path().name


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    write_logs(folder / "team.jsonl")
    return folder


def test_a_team_trains_exports_and_compares(elision: Command, data: Path, tiny_bundle: Path, tmp_path: Path) -> None:
    out, bundle = tmp_path / "run", tmp_path / "bundle"
    flags = ("--data", str(data), "--init", str(tiny_bundle), "--out", str(out), "--passes", "2", "--name", "ours", "--mean-with-init")

    trained = elision("train", *flags, "--weight", "judged=0.5", "--replay", str(data), "--replay-share", "0.2")
    exported = elision("export", "--weights", str(out), "--out", str(bundle), "--labels", str(data / "team.jsonl"))
    compared = elision(
        *("evaluate", "--bundle", str(bundle), "--against", str(tiny_bundle), "--labels", str(data / "team.jsonl"), "--json")
    )

    assert (trained.code, trained.out.splitlines()[-1]) == (0, str(out / "best"))
    assert "36 chunks to learn from" in trained.err
    config = json.loads((out / "config.json").read_text())
    assert (config["weights"], config["replay_share"], config["patience"]) == ({"judged": 0.5}, 0.2, FINE_TUNE["patience"])
    assert config["mean_with_init"]
    assert (exported.code, exported.out.splitlines()[-1]) == (0, str(bundle))
    assert load_bundle(bundle).name == "ours"
    assert compared.code == 0
    (labels,) = json.loads(compared.out)["labels"]
    assert {one["verdict"] for one in labels["bundle"]} <= {"better", "not distinguishable", "worse"}


def test_every_bad_row_is_named_and_nothing_is_trained(
    elision: Command, data: Path, tiny_bundle: Path, tmp_path: Path
) -> None:
    with (data / "team.jsonl").open("a") as stream:
        stream.write('{\n{"id": "x", "text": "a"}\n')
    (data / "empty.jsonl").write_text("\n")

    ran = elision("train", "--data", str(data), "--init", str(tiny_bundle), "--out", str(tmp_path / "run"))

    assert (ran.code, ran.out) == (2, "")
    for said in ("team.jsonl:41: not JSON", "team.jsonl:42: unit is missing", "breaks the schema", "empty.jsonl holds no rows"):
        assert said in ran.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ([], "either --config FILE, or --data"),
        (["--data", "d"], "--data needs --out"),
        (["--data", "d", "--out", "o"], "d: cannot be read"),
        (["--data", ".", "--out", "o"], "holds no .jsonl"),
        (["--data", "d", "--out", "o", "--weight", "hindsight"], "write ORIGIN=NUMBER"),
        (["--data", "d", "--out", "o", "--weight", "hindsight=-1"], "must be a number from 0"),
        (["--data", "d", "--out", "o", "--weight", "hindsight=nan"], "must be a number from 0"),
        (["--data", "d", "--out", "o", "--replay-share", "2"], "--replay-share"),
        (["--data", "d", "--out", "o", "--init", "last-light"], "last-light: is no training run"),
        (["--data", "d", "--out", "o", "--teacher", "last-light"], "no bundle at last-light"),
        (["--data", "d", "--out", "o", "--init", SHIPPED], "d: cannot be read"),
        (["--config", "none.toml"], "none.toml"),
        (["--config", "none.toml", "--seed", "13"], "leave out --seed"),
        (["--config", "none.toml", "--data", "d", "--mean-with-init"], "leave out --data, --mean-with-init"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = elision("train", *flags)

    assert (ran.code, list(tmp_path.iterdir())) == (2, [])
    assert says in ran.err and "Traceback" not in ran.err


def test_the_mean_with_a_start_of_more_layers_is_refused(elision: Command, data: Path, tiny_bundle: Path, tmp_path: Path) -> None:
    flags = ("--data", str(data), "--init", str(tiny_bundle), "--out", str(tmp_path / "run"))

    ran = elision("train", *flags, "--layers", "0", "--mean-with-init")

    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "mean_with_init and layers exclude each other" in ran.err
    assert not (tmp_path / "run").exists()


def test_a_start_is_given_by_name(elision: Command, tmp_path: Path) -> None:
    labels = write_logs(tmp_path / "team.jsonl", chunks=4)
    flags = ("--data", str(labels), "--init", SHIPPED, "--passes", "0", "--out", str(tmp_path / "run"))

    ran = elision("train", *flags, "--weight", "hindsigth=0.5")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].endswith("no row has the origin hindsigth that is to be weighed; there are judged")
    assert not (tmp_path / "run").exists()


def test_another_command_on_the_same_folder_is_refused_in_one_line(
    elision: Command, data: Path, tiny_bundle: Path, tmp_path: Path
) -> None:
    flags = ("--data", str(data), "--init", str(tiny_bundle), "--out", str(tmp_path / "run"), "--passes")
    assert elision("train", *flags, "1").code == 0
    weights = (tmp_path / "run" / "best" / "model.safetensors").read_bytes()

    ran = elision("train", *flags, "0")

    assert (ran.code, ran.out) == (2, "")
    assert "holds another run: passes was 1, is 0; give another --out" in ran.err.splitlines()[-1]
    assert (tmp_path / "run" / "best" / "model.safetensors").read_bytes() == weights
