"""`doctor`, `models`, and the commands that need the training extra."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from elision.serving.commands import learning
from elision.serving.errors import MissingExtra

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Command = Callable[..., "Ran"]


def checks(ran: "Ran") -> dict[str, dict[str, object]]:
    return {check["name"]: check for check in json.loads(ran.out)}


def test_the_doctor_names_versions_and_times_itself(elision: Command) -> None:
    found = checks(elision("doctor", "--json"))

    assert found["python"]["ok"] and found["onnxruntime"]["ok"] and found["tokens"]["ok"]
    assert "CPUExecutionProvider" in str(found["providers"]["detail"])
    assert "words@0 on python" in str(found["self-test"]["detail"])
    assert found["torch"]["ok"] is None


def test_what_is_broken_is_exit_code_1(elision: Command, scorer: "WordScorer") -> None:
    scorer.before = lambda: [][0]

    ran = elision("doctor", "--json")

    assert ran.code == 1
    assert checks(ran)["self-test"]["detail"] == "IndexError: list index out of range"


def test_a_missing_bundle_is_found_by_the_doctor(elision: Command) -> None:
    ran = elision("doctor", "--bundle", "no/such/bundle")

    assert ran.code == 1
    assert any(line.startswith("BROKEN bundle") and "no/such/bundle" in line for line in ran.out.splitlines())


def test_without_the_extra_training_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match=r"needs no_such_package: pip install 'elision\[train\]'"):
        learning._need("json", "no_such_package")


@pytest.mark.parametrize("command", ["train", "evaluate", "export"])
def test_a_flag_left_out_is_exit_code_2(elision: Command, command: str) -> None:
    ran = elision(command)

    assert ran.code == 2
    assert ran.err.startswith("elision: error: Missing ")


def test_an_unknown_bundle_is_exit_code_2(elision: Command) -> None:
    ran = elision("models", "show", "no/such/bundle")

    assert (ran.code, ran.out) == (2, "")
    assert "no/such/bundle" in ran.err
