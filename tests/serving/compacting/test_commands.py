"""What `elision plan`, `compact` and `compare` say to a person: on stderr what happened, on stdout all of a table."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compact_calls import session_in
from fake_llm import closed_port

from elision.compaction.conversation import Format
from elision.compaction.policies.load import load, names

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]
SHORT = ["--window", "3000", "--set", "select.tail_min=300", "--set", "select.tail_max=400"]
SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "conversation.json"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    path.write_text(session_in(Format.OPENAI_CHAT), encoding="utf-8")
    return path


def decision(said: str) -> str:
    found = re.search(r"(?:decision|tokens): (leave|reduce|compact) ", said)
    assert found, said
    return found[1]


@pytest.mark.parametrize("cause", ["check", "request"])
@pytest.mark.parametrize("window", ["16000", "128000"])
def test_a_plan_decides_as_a_compaction_does(elision: Command, cause: str, window: str) -> None:
    """Where the classifier alone makes it shorter, too."""
    planned = elision("plan", SAMPLE, "--cause", cause, "--window", window)
    done = elision("compact", SAMPLE, "--cause", cause, "--window", window)

    assert decision(planned.out) == decision(done.err)
    # Of the sample in a window of 128,000 nothing is due until somebody asks.
    assert ("leave" in planned.out) == ((cause, window) == ("check", "128000"))


def test_the_original_of_a_compaction_comes_back_by_what_it_says(
    elision: Command, history: Path, tmp_path: Path
) -> None:
    store = ["--store", tmp_path / "a store.db"]
    said = elision("compact", history, *SHORT, *store).err
    (handle,) = re.findall(r"^elision: original: elision expand ([0-9a-f]{24}) --store '", said, re.M)

    assert elision("expand", handle, *store).out == history.read_text(encoding="utf-8")
    assert "original:" not in elision("compact", history, *SHORT, "--no-store").err
    assert "original:" not in elision("compact", history, "--cause", "check", "--window", "900000").err


def test_a_target_that_is_missed_is_said_and_the_result_still_written(
    elision: Command, history: Path
) -> None:
    ran = elision("compact", history, "--policy", "jetbrains-masking", "--total-tokens", "300")

    assert ran.code == 0 and ran.out
    assert re.search(r"^elision: warning: [\d,]+ tokens are left, 300 were asked for$", ran.err, re.M)
    assert "were asked for" not in elision("compact", history, "--total-tokens", "2000").err


def test_writers_that_are_given_up_are_named_with_their_reason(elision: Command, history: Path) -> None:
    chain = ", ".join(f"openai:{name}@http://127.0.0.1:{closed_port()} retries=0" for name in ("one", "two"))
    lines = elision("compact", history, *SHORT, "--writers", chain).err.splitlines()
    warned = [line for line in lines if "is given up" in line]

    assert [line.split()[3] for line in warned] == ["openai/one", "openai/two"]
    assert all("(network: " in line and line.endswith(": written by rule") for line in warned)
    assert "given up" not in elision("compact", history, *SHORT).err


def test_a_wrong_writer_is_told_where_it_was_given(elision: Command, history: Path) -> None:
    assert "--writers" in elision("plan", history, "--writers", "openai:x@notaurl").err


def test_a_comparison_is_whole_where_nobody_watches(
    elision: Command, history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = elision("compare", history, "--window", "3000").out.splitlines()

    assert [line.split()[0] for line in lines[1:]] == [f"{name}@{load(name).version}" for name in names()]
    assert len({len(line) for line in lines}) == 1 and "…" not in "".join(lines)


@pytest.mark.parametrize("columns", [60, 80, 100, 300])
def test_a_comparison_fits_a_terminal_and_tells_every_figure(
    elision: Command, history: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    wide = elision("compare", history, "--window", "3000").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = elision("compare", history, "--window", "3000").out

    assert max(map(len, shown.splitlines())) <= columns
    assert _words(wide) - {"policy"} <= _words(shown)


def _words(text: str) -> set[str]:
    return {word.strip(",") for word in text.split()}
