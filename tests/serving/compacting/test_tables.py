"""A policy in plain text: a file that says the same."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.policies.load import load, names, parse_policy, settings
from elision.serving.compacting.tables import policy_text

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]


@pytest.mark.parametrize("name", names())
def test_the_file_that_is_shown_is_the_policy(elision: Command, tmp_path: Path, name: str) -> None:
    shown = elision("policies", name).out
    path = tmp_path / "policy.toml"
    path.write_text(shown, encoding="utf-8")

    assert parse_policy(shown, "shown") == load(name)
    assert elision("policies", path).out == shown


@pytest.mark.parametrize(
    "sets",
    [
        ["reduce.mask.on=true", "reduce.mask.minimum=10"],
        ["reduce.mask=none", "trigger.remaining=none"],
        ['compose.prefix="a\\n\\"\\"\\"b\\\\ c\\u0000\\r\\n\'\'\'"'],
        ['summary.sections=[{heading = "A", ask = "B"}]'],
        ["reduce.dedupe={}", "version=2026-10-11"],
        ["title=# x\ny"],
    ],
)
def test_what_is_set_over_it_is_in_the_file(elision: Command, sets: list[str]) -> None:
    ran = elision("policies", "opencode", *(part for one in sets for part in ("--set", one)))
    mine = parse_policy(ran.out, "shown")

    assert mine == load("opencode", sets).model_copy(update={"changed": ()})
    assert ran.out.startswith("# --set ")


def test_what_a_file_extends_is_in_it_and_what_is_off_as_well(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('extends = "opencode"\n[trigger]\nratio = 0.5\n', encoding="utf-8")
    shown = elision("policies", path).out
    tree = tomllib.loads(shown)

    assert "extends" not in tree and (tree["name"], tree["trigger"]["ratio"]) == ("opencode-own", 0.5)
    assert (tree["reduce"]["mask"]["on"], tree["reduce"]["mask"]["protect_tokens"]) == (False, 40_000)
    assert (
        shown.count("[[summary.sections]]") == 5 and "[reduce.dedupe]" in elision("policies", "elision").out
    )


def test_what_is_wrong_is_told_and_not_shown(elision: Command) -> None:
    ran = elision("policies", "pi", "--set", "trigger.ratio=7")

    assert (ran.code, ran.out) == (2, "") and "trigger.ratio" in ran.err


@pytest.mark.law
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from(names()))
def test_any_text_comes_back(text: str, name: str) -> None:
    said = settings(name)
    said["compose"] = said.get("compose", {}) | {"suffix": text}

    assert parse_policy(policy_text(said, [text]), "shown").compose.suffix == text
