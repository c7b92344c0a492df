"""`doctor`, `models`, and the commands that need the training extra."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from elision.compaction.errors import DeadlineExceeded
from elision.model import bundle as bundles
from elision.model.bundle import MODEL, TOKENIZER, write_manifest
from elision.serving.commands import tools
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


def test_a_sample_that_stays_as_long_is_broken(elision: Command, scorer: "WordScorer") -> None:
    def late() -> None:
        raise DeadlineExceeded

    scorer.before = late

    ran = elision("doctor", "--json")

    assert ran.code == 1
    assert str(checks(ran)["self-test"]["detail"]).startswith("SelfTestFailed: a sample of ")
    assert str(checks(ran)["self-test"]["detail"]).endswith("was not shortened: deadline")


def test_a_missing_bundle_is_found_by_the_doctor(elision: Command) -> None:
    ran = elision("doctor", "--bundle", "no/such/bundle")

    assert ran.code == 1
    assert any(line.startswith("BROKEN bundle") and "no/such/bundle" in line for line in ran.out.splitlines())


def test_without_the_extra_training_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match=r"needs no_such_package: pip install 'elision\[train\]'"):
        tools.need("train", "json", "no_such_package")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["train"], "name what to learn from: either --config FILE, or --data and --out"),
        (["train", "--data", "labels.jsonl"], "--data needs --out, the folder of the run"),
        (["train", "--data", "x", "--out", "y", "--weight", "hindsight"], "write ORIGIN=NUMBER"),
        (["train", "--data", "x", "--out", "y", "--layers", "0,two"], "write numbers such as 0,2,4"),
    ],
)
def test_train_says_which_flag_is_left_out(elision: Command, args: list[str], says: str) -> None:
    ran = elision(*args)

    assert ran.code == 2
    assert says in ran.err


@pytest.mark.parametrize("command", ["label", "evaluate", "export"])
def test_a_flag_left_out_is_exit_code_2(elision: Command, command: str) -> None:
    ran = elision(command)

    assert ran.code == 2
    assert ran.err.startswith("elision: error: Missing ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["train", "--config", "missing.toml"], "missing.toml"),
        (["evaluate", "--labels", "missing.jsonl"], "missing.jsonl"),
        (["export", "--weights", "missing", "--out", "bundle"], "missing"),
        (["models", "show", "no/such/bundle"], "no bundle at no/such/bundle"),
    ],
)
def test_a_path_that_is_not_there_is_exit_code_2(elision: Command, args: list[str], message: str) -> None:
    ran = elision(*args)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("elision: error: ") and ran.err.count("\n") == 1
    assert message in ran.err


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle whose files are what its manifest says, if not good for anything."""
    folder = tmp_path / "nonsense"
    folder.mkdir()
    for name in (MODEL, TOKENIZER):
        (folder / name).write_text("nonsense")
    fields = {"name": "nonsense", "base": {}, "label_sources": [], "config": {}, "metrics": {}}
    write_manifest(folder, fields | {"window_pieces": 384, "labels": 1})
    return folder


def test_the_manifest_of_a_bundle_is_shown(elision: Command, bundle: Path) -> None:
    shown = json.loads(elision("models", "show", bundle).out)

    assert (shown["name"], shown["path"]) == ("nonsense", str(bundle))
    assert set(shown["manifest"]["files"]) == {MODEL, TOKENIZER}


def test_the_shipped_bundles_are_listed(
    elision: Command, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "SHIPPED", bundle.parent)
    ran = elision("models", "list", "--json")

    assert ran.code == 0
    assert [entry["path"] for entry in json.loads(ran.out)] == [str(bundle)]


def test_when_nothing_ships_it_is_said(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "SHIPPED", tmp_path)
    ran = elision("models", "list")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "elision: error: no bundle ships with this installation; name one with --bundle\n"


def test_the_bundle_in_use_may_come_from_a_flag_or_the_environment(
    elision: Command, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "shipped"
    shutil.copytree(bundle, shipped / "other")
    monkeypatch.setattr(bundles, "SHIPPED", shipped)
    listed = elision("models", "list", "--bundle", bundle)
    shown = elision("models", "show", "--bundle", bundle)
    monkeypatch.setenv("ELISION_BUNDLE", str(bundle))

    assert [line.split("\t")[1] for line in listed.out.splitlines()] == [str(bundle), str(shipped / "other")]
    assert json.loads(shown.out)["path"] == str(bundle)
    assert elision("models", "list") == listed
    assert elision("models", "show") == shown
    assert json.loads(elision("models", "show", "other").out)["path"] == str(shipped / "other")


@pytest.mark.parametrize(
    "command", [["compress", "-"], ["serve", "--port", "0"], ["explain", "-"], ["models", "show"]]
)
def test_a_corrupt_bundle_is_exit_code_2(cold: Command, bundle: Path, command: list[str]) -> None:
    (bundle / MODEL).write_text("something else")
    chosen = [bundle] if command[0] == "models" else ["--bundle", bundle]

    ran = cold(*command, *chosen, stdin=b"some text", real=True)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("elision: error: ") and ran.err.count("\n") == 1
    assert "model.onnx: SHA-256" in ran.err
