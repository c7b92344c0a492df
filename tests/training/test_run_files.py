"""A folder belongs to one run: the same goes on in it, whenever it was killed, and another is refused."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from learning import quiet, tiny_run, write_logs
from tiny import write_tiny_bundle

from elision.model.errors import BundleNotFound
from elision.training.config import TrainConfig
from elision.training.errors import BadConfig
from elision.training.loop import train
from elision.training.run_files import check_same, file_hashes, put_back, write_config

pytestmark = pytest.mark.usefixtures("one_thread")


def remembered(config: TrainConfig) -> Path:
    """A folder in which a run has just begun."""
    out = Path(config.out)
    out.mkdir(exist_ok=True)
    write_config(out, config, file_hashes(config))
    return out


def goes_on(config: TrainConfig) -> None:
    check_same(Path(config.out), config, file_hashes(config))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"passes": 0}, "passes was 6, is 0"),
        ({"seed": 1, "weights": {"judged": 0.5}}, r"weights was {}, is {'judged': 0.5}; seed was 13, is 1"),
        ({"init": "elsewhere"}, "init was '', is 'elsewhere'"),
    ],
)
def test_a_run_of_other_numbers_is_refused_and_they_are_named(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    config = tiny_run(tmp_path)
    remembered(config)

    with pytest.raises(BadConfig, match=f"out: holds another run: {says}; give another --out"):
        goes_on(dataclasses.replace(config, **changed))
    goes_on(dataclasses.replace(config, checkpoint_minutes=1.0))


@pytest.mark.parametrize("key", ["labels", "replay"])
def test_a_run_of_other_labels_is_refused_and_they_are_named(tmp_path: Path, key: str) -> None:
    file = write_logs(tmp_path / "some.jsonl", chunks=9)
    config = tiny_run(tmp_path, **{key: (str(file),)})
    remembered(config)
    goes_on(config)

    write_logs(file, chunks=10)

    with pytest.raises(BadConfig, match=r"some\.jsonl has changed; give another --out"):
        goes_on(config)


def test_a_finished_run_is_not_repeated_over_more_labels(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, passes=1)
    train(config, quiet)
    before = contents(Path(config.out))
    write_logs(Path(config.labels[0]), chunks=44)

    for other in (config, dataclasses.replace(config, passes=0)):
        with pytest.raises(BadConfig, match="holds another run"):
            train(other, quiet)

    assert contents(Path(config.out)) == before


def test_a_run_of_an_older_version_goes_on(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, passes=1)
    train(config, quiet)
    out = Path(config.out)
    saved = json.loads((out / "config.json").read_text())
    (out / "config.json").write_text(json.dumps({key: value for key, value in saved.items() if key != "line_head"} | {"gone": 1}))
    for name in ("labels.json", "lines.bin"):
        (out / name).unlink()

    train(config, quiet)

    assert json.loads((out / "config.json").read_text()) == saved
    assert (out / "lines.bin").is_file()
    write_logs(Path(config.labels[0]), chunks=44)
    with pytest.raises(BadConfig, match="has changed"):
        train(config, quiet)


def test_a_start_that_was_killed_before_the_configuration_was_written_binds_nobody(tmp_path: Path) -> None:
    config = tiny_run(tmp_path)
    out = remembered(config)
    (out / "config.json").rename(out / "config.json.partial")

    goes_on(dataclasses.replace(config, seed=1))


def bundle_there(out: Path) -> None:
    write_tiny_bundle(out)


def project_there(out: Path) -> None:
    out.mkdir()
    (out / "config.json").write_text('{"port": 80}')


def list_there(out: Path) -> None:
    out.mkdir()
    (out / "config.json").write_text("[]")


def nonsense_there(out: Path) -> None:
    out.mkdir()
    (out / "config.json").write_text("port = 80")


@pytest.mark.parametrize("there", [bundle_there, project_there, list_there, nonsense_there])
def test_a_folder_of_something_else_is_left(tmp_path: Path, there: Callable[[Path], None]) -> None:
    config = tiny_run(tmp_path)
    out = Path(config.out)
    there(out)
    before = contents(out)

    with pytest.raises(BadConfig, match="give another --out"):
        train(config, quiet)
    assert contents(out) == before


@pytest.mark.parametrize("name", ["best", "state"])
def test_a_kill_between_two_renames_loses_nothing(tmp_path: Path, name: str) -> None:
    config = tiny_run(tmp_path, passes=1)
    train(config, quiet)
    out = Path(config.out)
    (out / name).rename(out / f"{name}.old")
    log: list[str] = []

    train(config, log.append)

    assert (out / "best" / "config.json").is_file() and not (out / f"{name}.old").exists()
    assert any(line.startswith("resumed at step") for line in log)


def test_what_is_whole_is_not_put_back(tmp_path: Path) -> None:
    for name in ("best", "best.old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "is").write_text(name)

    put_back(tmp_path)

    assert (tmp_path / "best" / "is").read_text() == "best"


def test_a_start_or_a_teacher_that_is_not_there_is_told_before_anything_is_read_or_written(tmp_path: Path) -> None:
    config = tiny_run(tmp_path, labels=("no/such/file.jsonl",))
    shutil.rmtree(config.out, ignore_errors=True)

    with pytest.raises(BadConfig, match="nowhere: is no training run"):
        train(dataclasses.replace(config, init="nowhere"), quiet)
    with pytest.raises(BundleNotFound, match="no bundle at nobody"):
        train(dataclasses.replace(config, teacher="nobody"), quiet)
    assert not Path(config.out).exists()
