"""A step is taken once, whatever happens to the ones after it."""

from pathlib import Path

import pytest

from elision.training.errors import BadConfig
from elision.training.steps import Clock, take


def test_a_run_goes_on_with_the_step_that_failed(tmp_path: Path) -> None:
    taken: list[str] = []

    def first(clock: Clock) -> dict[str, int]:
        taken.append("first")
        return {"chunks": 3}

    def second(clock: Clock) -> list[int]:
        taken.append("second")
        if len(taken) == 2:
            raise RuntimeError
        return [1]

    steps, said = {"first": first, "second": second}, list[str]()
    with pytest.raises(RuntimeError):
        take(steps, {"n": 1}, tmp_path, said.append)
    found = take(steps, {"n": 1}, tmp_path, said.append)

    assert taken == ["first", "second", "second"] == said
    assert (found["first"], found["second"]) == ({"chunks": 3}, [1])
    assert set(found["minutes"]) == {"first", "second"} and all(its > 0 for its in found["minutes"].values())
    assert not list(tmp_path.glob("*.partial"))


def test_a_clock_counts_all_attempts(tmp_path: Path) -> None:
    (tmp_path / "x.minutes").write_text("2.5")
    clock = Clock(tmp_path / "x.minutes")
    clock.keep()

    assert Clock(tmp_path / "x.minutes").before > 2.5


def test_results_of_something_else_are_neither_used_nor_overwritten(tmp_path: Path) -> None:
    take({"a": lambda clock: 1}, {"pair": (1, 2)}, tmp_path, lambda name: None)

    assert take({"a": lambda clock: 2}, {"pair": (1, 2)}, tmp_path, lambda name: None)["a"] == 1
    with pytest.raises(BadConfig, match="holds results of another bundle or other settings"):
        take({"a": lambda clock: 2}, {"pair": (1, 3)}, tmp_path, lambda name: None)
