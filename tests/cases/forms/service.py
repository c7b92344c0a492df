"""Forms about the answer as such: success, errors, its fields, and the service's manners."""

import re
from typing import Any

from tests.cases.grammar import each_run, form
from tests.cases.outcome import Outcome, Run, same


@each_run("request succeeds")
def succeeds(run: Run) -> None:
    assert run.failure is None, f"failed with {run.failure}"


@each_run("request fails with error type <text>")
def fails(run: Run, kind: str) -> None:
    assert run.failure, "the request succeeded"
    assert run.failure.type == kind, f"failed with {run.failure}"


@each_run("request fails with error type <text> and names <ints>")
def fails_naming(run: Run, kind: str, numbers: list[int]) -> None:
    fails(run, kind)
    missing = set(numbers) - _numbers(run)
    assert not missing, f"{missing} are not in {run.failure}"


@each_run("request fails with error type <text> and names the fixed tokens")
def fails_naming_fixed(run: Run, kind: str) -> None:
    """What is fixed exceeds the budget, so a number above it has to be there."""
    fails(run, kind)
    assert max(_numbers(run), default=0) > run.asked["budget_tokens"], f"no such number in {run.failure}"


@form("request fails with error type <text> for <word> <int>")
def fails_for(outcome: Outcome, kind: str, name: str, value: int) -> None:
    tried = [run for run in outcome.runs if run.asked.get(name) == value]
    assert tried, f"{name} {value} was never asked for"
    for run in tried:
        fails(run, kind)


@form("request fails with error type <text> for <word> <int> and for <int>")
def fails_for_both(outcome: Outcome, kind: str, name: str, first: int, second: int) -> None:
    fails_for(outcome, kind, name, first)
    fails_for(outcome, kind, name, second)


@each_run("field <text> in the response is <value>")
def field_is(run: Run, name: str, wanted: Any) -> None:
    _answered(run, name)
    assert same(run.fields[name], wanted), f"{name} is {run.fields[name]!r}"


@each_run("field <text> is <value> in all answers")
def field_is_everywhere(run: Run, name: str, wanted: Any) -> None:
    field_is(run, name, wanted)


@each_run("the answer has <word> <value>")
def answer_has_value(run: Run, name: str, wanted: Any) -> None:
    field_is(run, name, wanted)


@each_run("the answer has <word> and <word>")
def answer_has(run: Run, first: str, second: str) -> None:
    _answered(run, first)
    _answered(run, second)


@each_run("the answer has an? <word>")
def answer_says(run: Run, name: str) -> None:
    _answered(run, name)
    assert run.fields[name], f"{name} is {run.fields[name]!r}"


@each_run("finishes within <number> seconds?")
def in_time(run: Run, seconds: float) -> None:
    assert run.failure is None, f"failed with {run.failure}"
    assert run.seconds <= seconds, f"took {run.seconds:.1f} s"


@form("the health endpoint answers within <number> seconds? at all times")
def healthy(outcome: Outcome, seconds: float) -> None:
    assert outcome.health, "health was never asked"
    assert max(outcome.health) <= seconds, f"slowest answer took {max(outcome.health):.2f} s"


def _answered(run: Run, name: str) -> None:
    assert run.failure is None, f"failed with {run.failure}"
    assert name in run.fields, f"the answer has only {sorted(run.fields)}"


def _numbers(run: Run) -> set[int]:
    return {int(found) for found in re.findall(r"\d+", run.failure.said if run.failure else "")}
