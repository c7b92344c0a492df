"""The mistakes that people make on the command line: one line that says what is wrong, no traceback, exit code 2."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compact_calls import session_in

from elision.compaction.conversation import Format

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Command = Callable[..., "Ran"]
MINE = 'extends = "pi"\nname = "mine"\n[trigger]\nratio = 0.3\n'


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_text(session_in(Format.ANTHROPIC), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--window", "99999999999999999999"], "context_window"),
        (["--turns", "99999999999999999999"], "turns_left"),
        (["--max-output", "99999999999999999999"], "max_output"),
        (["--window", "0"], "--window"),
        (["--idle", "nan"], "--idle"),
        (["--policy", "nobody"], "no policy 'nobody'"),
        (["--policy", "x" * 5000], "policy"),
        (["--set", "trigger.ratio=7"], "trigger.ratio"),
        (["--set", "trigger.rtio=0.5"], "allowed: ratio"),
        (["--set", "nothing"], "is no setting"),
        (["--writers", "smoke:signals"], "no writer"),
        (["--format", "gemini", "--window", "1000"], "contents"),
    ],
)
@pytest.mark.parametrize("command", ["plan", "compact"])
def test_a_mistake_is_one_line(
    elision: Command, history: Path, command: str, flags: list[str], said: str
) -> None:
    ran = elision(command, history, *flags)

    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err and ran.err.startswith("elision: error:")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"plain words", "not JSON"),
        (b'{"messages": [', "not JSON"),
        (b'{"hello": 1}', "none of messages, input and contents"),
        (b'{"messages": [3]}', "must be an object"),
        (b"\x00\x01\x02", "binary"),
    ],
)
@pytest.mark.parametrize("command", ["plan", "compact", "compare"])
def test_a_file_that_is_no_history_is_one_line(
    elision: Command, tmp_path: Path, command: str, content: bytes, said: str
) -> None:
    path = tmp_path / "no.json"
    path.write_bytes(content)
    ran = elision(command, path)

    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1) and said in ran.err


@pytest.mark.parametrize("name", ["[1].json", "{a}.json", " x.json", "history"])
def test_a_file_may_have_any_name(
    elision: Command, history: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(history.parent)
    history.rename(name)

    assert elision("plan", name, "--window", "3000").code == 0


def test_a_policy_may_lie_deep(elision: Command, history: Path, tmp_path: Path) -> None:
    path = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 6) / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(MINE)
    ran = elision("plan", history, "--window", "30000", "--policy", path)

    assert ran.code == 0 and ran.out.startswith("policy: mine@")


def test_one_wrong_policy_of_a_comparison_is_said_before_anything_is_scored(
    elision: Command, history: Path, scorer: "WordScorer"
) -> None:
    ran = elision("compare", history, "--policies", "pi,nobody")

    assert (ran.code, ran.out) == (2, "") and "nobody" in ran.err and scorer.seen == []


@pytest.mark.parametrize("command", ["plan", "compact"])
def test_tokens_are_those_of_the_model_that_the_request_names_unless_a_flag_says_others(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def counted(model: str, *flags: str) -> dict[str, object]:
        path = tmp_path / "request.json"
        path.write_text(session_in(Format.OPENAI_CHAT, model=model), encoding="utf-8")
        report = json.loads(elision(command, path, "--json", "--window", "100000", *flags).out)
        return dict(report.get("plan", report)["token_counter"])

    monkeypatch.setenv("ELISION_ENCODING", "cl100k_base")
    ours, other = {"encoding": "o200k_base", "exact": True}, {"encoding": "cl100k_base", "exact": True}

    assert counted("gpt-5") == ours and counted("gpt-4") == other
    assert counted("claude-sonnet-4-5") == ours | {"exact": False}
    assert counted("gpt-5", "--encoding", "cl100k_base") == counted("gpt-5", "--model", "gpt-4") == other
    assert counted("") == other


def test_comparing_no_policies_is_a_mistake(elision: Command, history: Path) -> None:
    ran = elision("compare", history, "--policies", " , ")

    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1) and "--policies" in ran.err
