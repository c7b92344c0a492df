"""The simulated team in miniature: two made-up sessions, a tiny bundle, every step for real."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from judged import judged_rows

from elision.training.labels.rows import write_labels
from elision.training.transcripts.files import write_transcripts
from elision.training.transcripts.types import Transcript

ROOT = Path(__file__).parent.parent
PAGE = "before\n<!-- simulated team: written by scripts/simulated_team.py -->\n<!-- /simulated team -->\nafter\n"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("simulated_team", ROOT / "scripts" / "simulated_team.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["simulated_team"] = module
    spec.loader.exec_module(module)
    return module


def part(session: str, number: int) -> Transcript:
    """The agent reads a long log, looks at one step of it and says so."""
    log = "\n".join(f"step {n} of {session}_{number}_{n:03d} took {1000 + n * 7 + number} ms" for n in range(60))
    calls = [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "cat log"}'}}]
    return Transcript(
        id=f"{session}-{number:02d}",
        source="made-up",
        task="t",
        messages=(
            {"role": "user", "content": "what is slow"},
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c", "content": log},
            {"role": "assistant", "content": f"It is {session}_{number}_{number:03d} that took too long."},
        ),
        kind="coding-agent",
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "transcripts" / "dev").mkdir(parents=True)
    (folder / "labels").mkdir()
    parts = [part(session, number) for session in ("one", "two") for number in range(4)]
    write_transcripts(folder / "transcripts" / "dev" / "coding-pi-mono.jsonl.gz", parts)
    write_labels(folder / "labels" / "train.jsonl.gz", judged_rows(12))
    write_labels(folder / "labels" / "dev.jsonl.gz", judged_rows(5))
    return folder


@pytest.fixture
def team(script: ModuleType, data: Path, tiny_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def call(*args: str) -> int:
        fixed = ["--data", str(data), "--bundle", str(tiny_bundle), "--out", str(tmp_path / "out"), "--passes", "1", "--chunks", "8"]
        monkeypatch.setattr(sys, "argv", ["simulated_team.py", *fixed, *args])
        return int(script.main())

    return call


@pytest.mark.slow  # a run of training
def test_each_step_is_made_once_and_the_table_written_between_its_marks(
    team: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    team("--train-on", "1", "--write", str(page))
    first = page.read_text()
    capsys.readouterr()
    team("--train-on", "1", "--write", str(page))
    again = capsys.readouterr()

    assert again.err == "" and page.read_text() == first
    assert first.startswith("before\n<!--") and first.endswith("<!-- /simulated team -->\nafter\n")
    assert "learnt from `one`" in first and "drawing parts" in first and "`line_auc_ge2` of judged lines elsewhere" in first
    labels = json.loads((tmp_path / "out" / "1" / "label.json").read_text())
    assert 0 < labels["chunks"] <= 8

    with pytest.raises(SystemExit) as other:
        team("--train-on", "1", "--rate", "1e-3")
    assert other.value.code == 2
    assert "holds results of another bundle or other settings" in capsys.readouterr().err


def test_a_page_without_the_marks_is_refused_before_anything_is_run(
    team: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.md").write_text("nothing here\n")
    with pytest.raises(SystemExit):
        team("--write", str(tmp_path / "page.md"))

    assert "page.md: the page has no <!-- simulated team" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
