"""A run multiplies in what the machine is quicker with, unless it is told."""

from pathlib import Path

import pytest
import torch
from learning import tiny_run

from elision.training import precision
from elision.training.loop import train
from elision.training.precision import use_bf16


@pytest.mark.parametrize("quicker", [torch.bfloat16, torch.float32])
def test_the_quicker_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quicker: torch.dtype) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    precision._bf16_is_quicker.cache_clear()
    monkeypatch.setattr(precision, "seconds", lambda dtype: 1.0 if dtype is quicker else 2.0)

    assert use_bf16(tiny_run(tmp_path, precision="auto")) is (quicker is torch.bfloat16)
    precision._bf16_is_quicker.cache_clear()


@pytest.mark.parametrize("said", ["bf16", "float32"])
def test_what_the_configuration_says_holds(tmp_path: Path, said: str) -> None:
    assert use_bf16(tiny_run(tmp_path, precision=said)) is (said == "bf16")


def test_both_are_timed_on_this_machine() -> None:
    assert precision.seconds(torch.float32) > 0 and precision.seconds(torch.bfloat16) > 0


def test_two_runs_of_one_process_may_multiply_differently(tmp_path: Path) -> None:
    for said in ("float32", "bf16", "float32"):
        train(tiny_run(tmp_path, precision=said, passes=1, out=str(tmp_path / said)), lambda line: None)
