"""A run learns from the rows it may, holds out whole documents, and replays by its seed."""

from pathlib import Path
from typing import Any

import pytest
from learning import write_logs

from elision.training.config import TrainConfig
from elision.training.dataset import encode, share_of
from elision.training.errors import BadConfig
from elision.training.labels.rows import read_labels
from elision.training.mixture import Mixture, drawn, gather


def config(**changed: Any) -> TrainConfig:
    return TrainConfig(**{"name": "t", "labels": (), "out": "", "held_out": 0.2, **changed})


def gathered(log: list[str] | None = None, **changed: Any) -> Mixture:
    return gather(config(**changed), (log if log is not None else []).append)


@pytest.fixture
def own(tmp_path: Path) -> str:
    return str(write_logs(tmp_path / "own.jsonl", licence="MIT"))


@pytest.fixture
def judged(tmp_path: Path) -> str:
    return str(write_logs(tmp_path / "judged.jsonl", chunks=60, licence="GPL-3.0"))


def test_whole_documents_are_held_out_of_own_and_replayed_rows_alike(own: str, judged: str) -> None:
    mixture = gathered(labels=(own,), replay=(judged,))

    assert [len(rows) for rows in mixture.held_out] == [8, 12]
    for rows, held in zip((mixture.own, mixture.replayed), mixture.held_out, strict=True):
        assert {row.doc for row in rows}.isdisjoint(row.doc for row in held)
    assert (len(mixture.own), len(mixture.replayed)) == (32, 48)


def test_texts_of_other_licences_are_left_out_and_counted(own: str, judged: str) -> None:
    log: list[str] = []

    mixture = gathered(log, labels=(own, judged), licences=("MIT",))

    assert {row.licence for rows in (mixture.own, *mixture.held_out) for row in rows} == {"MIT"}
    assert "60 chunks left out, licence: GPL-3.0" in log


@pytest.mark.parametrize("changed", [{"licences": ("Apache-2.0",)}, {"share": 0.0}, {"held_out": 1.0}])
def test_a_run_without_rows_is_refused(own: str, changed: Any) -> None:
    with pytest.raises(BadConfig, match=r"no rows to learn from in .*own\.jsonl"):
        gathered(labels=(own,), **changed)


def test_a_weight_of_an_origin_that_no_row_has_is_refused(own: str, tmp_path: Path) -> None:
    seen = str(write_logs(tmp_path / "seen.jsonl", origin="hindsight"))

    with pytest.raises(BadConfig, match="no row has the origin hindsigth .*; there are hindsight, judged$"):
        gathered(labels=(own,), replay=(seen,), weights={"hindsigth": 0.5, "judged": 1.0})
    assert gathered(labels=(own,), replay=(seen,), weights={"hindsight": 0.5}).replayed
    assert gathered(labels=(own, seen), licences=("MIT",), weights={"hindsight": 0.5}).own, "read, and left out"


def test_sets_that_hold_nothing_are_left_out(own: str) -> None:
    assert gathered(labels=(own,), held_out=0.0).held_out == ()


def test_passes_replay_different_rows_and_the_same_for_the_same_seed() -> None:
    passes = [drawn(100, 20, config(), number) for number in range(3)]

    assert passes == [drawn(100, 20, config(), number) for number in range(3)]
    assert len(set(map(tuple, passes))) == 3
    assert passes[0] != drawn(100, 20, config(seed=1), 0)
    assert all(sorted(set(some)) == some for some in passes)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.2, 5), (0.5, 20), (0.75, 60), (0.99, 100), (1.0, 100)])
def test_replayed_rows_are_their_share_of_a_pass_as_far_as_there_are_enough(share: float, count: int) -> None:
    assert len(drawn(100, 20, config(replay_share=share), 0)) == count


def test_a_larger_share_of_the_documents_holds_a_smaller_one(own: str) -> None:
    rows = read_labels(Path(own))
    found = [share_of(rows, share, seed=3) for share in (0.25, 0.5, 1.0)]

    assert [len(some) for some in found] == [10, 20, 40]
    assert {row.id for row in found[0]} < {row.id for row in found[1]}


def test_a_row_weighs_what_its_origin_does(tmp_path: Path) -> None:
    from tiny import tiny_tokenizer

    from elision.model.tokeniser import PieceTokeniser

    rows = [read_labels(write_logs(tmp_path / f"{o}.jsonl", 1, origin=o))[0] for o in ("hindsight", "team")]
    data = encode(rows, PieceTokeniser(tiny_tokenizer()), config(weights={"hindsight": 0.3}))

    assert data["weight"][:] == [0.3, 1.0]
