"""Which bundle is in use: flags and the environment first, then the choice, then what ships."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tiny import write_tiny_bundle

from elision.model import bundle as bundles
from elision.model.bundle import MODEL, load_bundle, write_manifest
from elision.serving.choice import choice_file, in_use, read_choice, write_choice

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bundle(tmp_path_factory.mktemp("bundles") / "mine")


@pytest.fixture
def shipped(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two bundles ship: ``first`` and ``second``."""
    folder = tmp_path / "shipped"
    for name in ("first", "second"):
        shutil.copytree(made, folder / name)
        manifest = load_bundle(made).manifest
        write_manifest(folder / name, {**{k: v for k, v in manifest.items() if k != "files"}, "name": name})
    monkeypatch.setattr(bundles, "SHIPPED", folder)
    return folder


def listed(ran: "Ran") -> list[tuple[str, str | None]]:
    assert ran.code == 0
    return [(entry["name"], entry["in_use"]) for entry in json.loads(ran.out)]


def test_a_choice_lasts_until_it_is_reset(elision: Command, shipped: Path, made: Path) -> None:
    before = listed(elision("models", "list", "--json"))
    used = elision("models", "use", "second")
    chosen = listed(elision("models", "list", "--json"))
    shown = json.loads(elision("models", "show").out)["name"]
    elision("models", "use", made)
    own = listed(elision("models", "list", "--json"))
    reset = elision("models", "use", "--reset")

    why = f"chosen in {choice_file()}"
    assert before == [("first", "the first that ships"), ("second", None)]
    assert chosen == [("second", why), ("first", None)] and shown == "second"
    assert used.out == f"{load_bundle(shipped / 'second').identity}\tin use: {why}\n"
    assert own == [("tiny", why), ("first", None), ("second", None)]
    assert reset.out.endswith("\tin use: the first that ships\n")
    assert listed(elision("models", "list", "--json")) == before


def test_a_flag_and_the_environment_go_before_the_choice(
    elision: Command, shipped: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elision("models", "use", "second")
    flag = listed(elision("models", "list", "--json", "--bundle", made))
    monkeypatch.setenv("ELISION_BUNDLE", str(made))

    assert flag[0] == ("tiny", "given by --bundle or ELISION_BUNDLE")
    assert listed(elision("models", "list", "--json")) == flag
    assert json.loads(elision("models", "show").out)["name"] == "tiny"
    assert "ELISION_BUNDLE is set and goes before the choice" in elision("models", "use", "first").err


def test_every_command_scores_with_the_choice(cold: Command, made: Path, shipped: Path) -> None:
    assert cold("models", "use", made, real=True).code == 0
    explained = cold("compress", "-", "--json", stdin=b"error: file not passed\n" * 60, real=True)

    assert json.loads(explained.out)["bundle"] == load_bundle(made).identity


def test_a_shipped_bundle_is_remembered_by_name_and_another_by_its_path(
    shipped: Path, made: Path, tmp_path: Path
) -> None:
    file = tmp_path / "config" / "choice"
    write_choice(file, load_bundle(shipped / "second"))
    named = file.read_text()
    write_choice(file, load_bundle(made))

    assert named == "second\n" and file.read_text() == f"{made}\n"
    assert read_choice(file) == made and [path.name for path in file.parent.iterdir()] == ["choice"]


def test_the_file_of_the_choice_may_be_set(
    elision: Command, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELISION_BUNDLE_FILE", str(tmp_path / "choice"))
    elision("models", "use", made)

    assert (tmp_path / "choice").read_text() == f"{made}\n" and in_use(None).path == made


def test_a_choice_that_is_gone_says_where_it_stands_and_can_be_reset(elision: Command, shipped: Path) -> None:
    file = choice_file()
    file.parent.mkdir(parents=True)
    file.write_text("third\n")

    for command in (["models", "show"], ["models", "list"], ["doctor"]):
        ran = elision(*command)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert f"no bundle at 'third', which {file} names: choose with 'elision models use', or '--reset'" in ran.err
    assert elision("models", "use", "--reset").code == 0 and elision("models", "list").code == 0


def test_a_bundle_that_cannot_score_is_not_chosen(elision: Command, made: Path, shipped: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(made, tmp_path / "broken")
    (broken / MODEL).write_bytes(b"nonsense")
    write_manifest(broken, {k: v for k, v in load_bundle(made).manifest.items() if k != "files"})
    ran = elision("models", "use", broken)

    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1) and "ONNX Runtime cannot load it" in ran.err
    assert in_use(None).path is None


@pytest.mark.parametrize("args", [[], ["a", "--reset"], ["--reset", "--service", "http://x"]])
def test_use_takes_a_bundle_or_a_reset(elision: Command, args: list[str]) -> None:
    ran = elision("models", "use", *args)

    assert ran.code == 2 and "give a bundle, or --reset alone" in ran.err
