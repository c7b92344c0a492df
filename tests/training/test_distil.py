"""A teacher's keep values are a share of each target, asked for once."""

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from datasets import Dataset
from tiny import tiny_tokenizer, write_tiny_bundle

from elision.compaction.query import compose_query
from elision.model.bundle import MANIFEST, TOKENIZER, load_bundle, write_manifest
from elision.model.errors import BundleNotFound
from elision.model.scorer import load_scorer
from elision.model.tokeniser import PieceTokeniser
from elision.training.bundles.export import export
from elision.training.config import TrainConfig
from elision.training.dataset import IGNORED, encode, examples
from elision.training.distil import taught
from elision.training.errors import BadConfig
from elision.training.labels.rows import JudgedLine, LabelRow
from elision.training.loop import train

TOKENISER = PieceTokeniser(tiny_tokenizer())
LEVELS = tuple(JudgedLine(14 * n, 14 * n + 13, n % 4, None) for n in range(30))


def row(number: int) -> LabelRow:
    """Its last line is not judged."""
    return LabelRow(f"{number}", "log", "line", "s", "d", "fix the test", "run", "", "error in file\n" * 30 + f"path {number}", LEVELS)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "teacher", apart=True)


@pytest.fixture
def config(teacher: Path, tmp_path: Path) -> TrainConfig:
    out = tmp_path / "out"
    out.mkdir()
    tiny_tokenizer().save(str(out / TOKENIZER), pretty=False)
    named: dict[str, Any] = {"name": "t", "labels": (), "out": str(out), "teacher": str(teacher), "teacher_share": 0.3}
    return TrainConfig(**named, window_pieces=80, mask_share=0.0)


def told(config: TrainConfig, *numbers: int) -> tuple[Dataset, list[str]]:
    lines: list[str] = []
    return taught(encode([row(n) for n in numbers], TOKENISER, config), TOKENISER, config, lines.append), lines


def test_the_teacher_says_of_each_piece_what_its_bundle_scores(config: TrainConfig, teacher: Path) -> None:
    data, _ = told(config, 1)

    scores = load_scorer(teacher).score(row(1).text, compose_query(row(1).task, row(1).call, row(1).before))
    assert np.array_equal(np.array(data[0]["teacher"], dtype=np.float32), scores.values)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_each_target_is_the_stated_mixture_and_none_where_nothing_was_judged(config: TrainConfig, share: float) -> None:
    data, _ = told(dataclasses.replace(config, teacher_share=share), 1)

    found = examples(data, TOKENISER, dataclasses.replace(config, teacher_share=share), 0)

    groups = np.concatenate([example.groups for example in found])
    targets = np.concatenate([example.targets for example in found])
    flat = np.array(data[0]["groups"])
    said = np.array(data[0]["teacher"], dtype=np.float32)
    assert np.isnan(targets[groups == IGNORED]).all()
    for n in range(30):
        expected = (1 - share) * config.levels[n % 4] + share * said[flat == n]
        assert np.allclose(targets[groups == n], expected, atol=1e-6)


def test_what_the_teacher_said_is_not_asked_again_and_what_is_new_is(config: TrainConfig) -> None:
    first, lines = told(config, 1, 2)
    again, none = told(config, 2, 1)
    _, one = told(config, 1, 2, 3)

    assert [line.split("@")[1].split(" ", 1)[1] for line in lines] == ["scores 2 of 2 chunks as the teacher"]
    assert none == []
    assert one[0].endswith("scores 1 of 3 chunks as the teacher")
    assert (again[0]["teacher"], again[1]["teacher"]) == (first[1]["teacher"], first[0]["teacher"])


def test_another_teacher_is_asked_anew(config: TrainConfig, tmp_path: Path) -> None:
    first, _ = told(config, 1)
    other = write_tiny_bundle(tmp_path / "other", seed=3)

    second, lines = told(dataclasses.replace(config, teacher=str(other)), 1)

    assert len(lines) == 1
    assert first[0]["teacher"] != second[0]["teacher"]


def test_a_teacher_of_another_tokeniser_is_refused(config: TrainConfig, tmp_path: Path) -> None:
    other = write_tiny_bundle(tmp_path / "other")
    tokenizer = json.loads((other / TOKENIZER).read_text())
    tokenizer["model"]["vocab"][9][1] -= 1
    (other / TOKENIZER).write_text(json.dumps(tokenizer))
    manifest = json.loads((other / MANIFEST).read_text())
    write_manifest(other, {key: value for key, value in manifest.items() if key not in ("schema", "files")})

    with pytest.raises(BadConfig, match=r"teacher tiny@\w+: its tokeniser is not that of the starting point"):
        told(dataclasses.replace(config, teacher=str(other)), 1)


def test_a_share_that_is_none_and_a_teacher_that_is_not_there_are_refused(config: TrainConfig) -> None:
    with pytest.raises(BadConfig, match=r"teacher_share is 1\.5"):
        told(dataclasses.replace(config, teacher_share=1.5), 1)
    with pytest.raises(BundleNotFound, match="no bundle at nowhere"):
        told(dataclasses.replace(config, teacher="nowhere"), 1)


def test_a_student_of_fewer_layers_learns_goes_on_and_shares_the_teachers_files(teacher: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl.gz"
    with gzip.open(labels, "wt") as stream:
        for n in range(10):
            judged = [{"start": line.start, "end": line.end, "level": line.level} for line in LEVELS]
            text = {**dict.fromkeys(("task", "call", "before"), ""), "text": row(n).text, "lines": judged}
            stream.write(json.dumps({"id": str(n), "kind": "log", "unit": "line", "source": "s", "doc": f"d{n}", **text}) + "\n")
    out = tmp_path / "out"
    config = TrainConfig(
        name="small",
        labels=(str(labels),),
        out=str(out),
        init=str(teacher),
        layers=(1,),
        teacher=str(teacher),
        window_pieces=96,
        passes=1,
        batch_pieces=800,
    )
    lines: list[str] = []
    train(config, log=lines.append)
    train(config, log=lambda line: lines.append(f"again: {line}"))

    bundle = export(out, teacher.parent / "small", share=teacher)

    assert sum("as the teacher" in line for line in lines) == 1
    assert any(line.startswith("again: resumed at step") for line in lines)
    assert load_bundle(bundle).manifest["teacher"] == load_bundle(teacher).identity
    assert len(load_scorer(bundle).score("error in file").values)
