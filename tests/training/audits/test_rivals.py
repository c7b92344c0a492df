"""A rival that crashes or hangs must cost its own line only, and none may be run twice for nothing."""

import importlib.util
import os
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from elision.training.audits.rivals import Output, Rivals

PROGRAM = Path(__file__).resolve().parents[3] / "scripts" / "peers" / "run_peers.py"
# Stands in for the peers: gives the text back, but fails where it says so, and ends where it says so.
ECHO = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    open("{log}", "a").write(asked["name"] + " ")
    if asked["text"] == "end":
        sys.exit("out of memory")
    print(json.dumps(dict(name=asked["name"], text=asked["text"], error=asked["text"] if asked["text"] == "bad" else "")))
"""


@pytest.fixture
def rivals(tmp_path: Path) -> Rivals:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    program = tmp_path / "echo.py"
    program.write_text(ECHO.format(log=tmp_path / "asked"))
    return Rivals(tmp_path, program, {"furl-ctx": "1.4.0", "drain3": "0.9.11"})


@pytest.fixture
def peers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_peers", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["run_peers"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_only_what_is_there_is_run_and_the_referee_is_no_rival(rivals: Rivals) -> None:
    assert rivals.names == ["furl"]


def test_what_was_given_once_is_not_asked_for_again(rivals: Rivals) -> None:
    first = rivals.outputs("furl", {"a": "A", "b": "B"}, 0.3)
    again = rivals.outputs("furl", {"b": "B", "c": "C"}, 0.3)

    assert first == {"a": Output("A"), "b": Output("B")}
    assert again == {"b": Output("B"), "c": Output("C")}
    assert (rivals.folder / "asked").read_text() == "a b c "


def test_another_text_or_ratio_is_another_question(rivals: Rivals) -> None:
    for text, ratio in (("A", 0.3), ("A", 0.5), ("other", 0.3)):
        assert rivals.outputs("furl", {"a": text}, ratio) == {"a": Output(text)}

    assert (rivals.folder / "asked").read_text() == "a a a "


def test_a_failure_is_said_and_tried_again(rivals: Rivals) -> None:
    for _ in range(2):
        assert rivals.outputs("furl", {"a": "bad", "b": "B"}, 0.3) == {
            "a": Output("", "bad"),
            "b": Output("B"),
        }

    assert (rivals.folder / "asked").read_text() == "a b a "


def test_a_program_that_ends_early_has_failed_on_the_rest(rivals: Rivals) -> None:
    its = rivals.outputs("furl", {"a": "A", "b": "end", "c": "C"}, 0.3)

    assert its == {"a": Output("A"), "b": Output("", "out of memory"), "c": Output("", "out of memory")}


def test_a_peer_that_works_raises_ends_or_hangs_is_told_apart(peers: ModuleType) -> None:
    asked = peers.Asked("ci-a", "text", 0.3)

    assert peers.apart(lambda a: a.text * 2, asked, 10) == ("texttext", "")
    assert peers.apart(lambda a: a.nothing, asked, 10)[1].startswith("AttributeError")
    assert peers.apart(lambda a: os._exit(7), asked, 10) == ("", "crashed with exit code 7")
    assert peers.apart(lambda a: time.sleep(60), asked, 0.2) == ("", "took more than 0.2 s")


def test_a_log_is_said_to_come_from_a_command_of_its_sort(peers: ModuleType) -> None:
    assert peers.Asked("pytest-a", "", 0.3).command == "pytest"
    assert peers.Asked("what-is-this", "", 0.3).command == peers.COMMANDS["server"]
