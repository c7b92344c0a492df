"""The guide to fine-tuning is run: a stranger who copies its commands gets a bundle and a card.

The sessions are made here, the bundle they begin with is tiny, and the teacher is a script. What needs a
service that runs or several GPUs is only looked up in the commands' help.
"""

import gzip
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from fake_teacher import Json, Step, fake_teacher
from judged import judged_rows

from elision.model.bundle import list_bundles
from elision.serving.cli import run
from elision.training.config import TrainConfig
from elision.training.labels.rows import write_labels
from elision.training.transcripts.reports import ImportReport

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "fine-tune.md"
FIXTURES = Path(__file__).parent / "training" / "transcripts" / "fixtures"
TEACHER = "http://127.0.0.1:8000/v1"
SHIPPED_NAME = "daylight"
NOT_RUN = ("accelerate", "--service")
TWO_WORDS = ("label", "models")
SESSIONS, STEPS = 20, 24  # few and short, but a log of so many steps is long enough for next-action support
FASTER = {"train": ("--passes", "1")}  # what is not in the guide
FLAG = re.compile(r"--[a-z][a-z-]+")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


COMMANDS = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]


def of_elision(command: list[str]) -> list[str]:
    """The arguments of the command line, however it is started."""
    return command[command.index("elision.serving.cli" if command[0] == "accelerate" else "elision") + 1 :]


@pytest.fixture(scope="module")
def help_of() -> Callable[..., str]:
    known: dict[tuple[str, ...], str] = {}

    def find(*command: str) -> str:
        if command not in known:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("COLUMNS", "500")
                known[command] = _printed([*command, "--help"])
        return known[command]

    return find


def _printed(args: list[str]) -> str:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(args) == 0
    return out.getvalue()


@pytest.mark.parametrize("command", [c for c in COMMANDS if c[0] != "mkdir"], ids=lambda command: " ".join(command)[:60])
def test_every_flag_of_a_command_is_in_its_help(command: list[str], help_of: Callable[..., str]) -> None:
    args = of_elision(command)
    its = help_of(*args[: 2 if args[0] in TWO_WORDS else 1])

    assert [flag for flag in args if flag.startswith("--") and flag not in FLAG.findall(its)] == []


def test_every_flag_that_the_text_names_is_one_of_some_command(help_of: Callable[..., str]) -> None:
    labels = [("label", how) for how in ("hindsight", "teacher", "own", "pointed")]
    commands = [("import",), *labels, ("agree",), ("train",), ("export",), ("evaluate",), ("models", "use"), ("models", "import"), ("compress",)]
    known = {flag for command in commands for flag in FLAG.findall(help_of(*command))}
    named = {flag for quoted in re.findall(r"`([^`\n]+)`", GUIDE.read_text()) for flag in FLAG.findall(quoted)}

    assert named - known == set()


def test_fields_that_the_text_names_are_there() -> None:
    text = GUIDE.read_text()
    rows = re.findall(r"^\| (`[^|]+`) \| [^|]* \|$", text.partition("| field |")[2].partition("\n\n")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named == {one.name for one in fields(ImportReport)}
    assert set(re.findall(r"`(\w+) = ", text)) <= {one.name for one in fields(TrainConfig)}


def session(number: int) -> str:
    """A Claude Code session of a project of its own, in which the agent looks up a step of a long log."""
    steps = [f"step {n} of build_{number}_{n:03d} took {1000 + 7 * n + number} ms on host{n % 7}" for n in range(STEPS)]
    wanted = f"build_{number}_{number % STEPS:03d} took {1000 + 7 * (number % STEPS) + number} ms"
    parts: list[tuple[str, list[Json]]] = [
        ("user", [{"type": "text", "text": f"why is build {number} slow"}]),
        ("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"cat /Users/nina7/build-{number}.log"}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "\n".join(steps)}]),
        ("assistant", [{"type": "text", "text": f"The slow one is `{wanted}`."}]),
    ]
    more = {"sessionId": f"s{number}", "cwd": f"/Users/nina7/src/project{number}", "isSidechain": False}
    lines = [
        {"type": role, "uuid": str(at), "parentUuid": str(at - 1) if at else None, "message": {"id": f"m{at}", "role": role, "content": content}}
        for at, (role, content) in enumerate(parts)
    ]  # fmt: skip
    return "\n".join(json.dumps(line | more) for line in lines) + "\n"


def judging(request: Json, before: int) -> Step:
    count = re.search(r"(\d+) (?:line|sentence)s, numbered", request["messages"][1]["content"])
    assert count
    return Step(json.dumps({"lv": ("0123" * int(count[1]))[: int(count[1])]}))


@pytest.fixture
def stranger(tmp_path: Path, tiny_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[list[str]], Any]]:
    """Somebody with sessions, a label file of her own, some old labels and a teacher; runs one command."""
    home = tmp_path / "home"
    for number in range(SESSIONS):
        folder = home / ".claude" / "projects" / f"-Users-nina7-src-project{number}"
        folder.mkdir(parents=True)
        (folder / f"s{number}.jsonl").write_text(session(number))
    shutil.copytree(FIXTURES / "codex", home / ".codex" / "sessions")
    desk = tmp_path / "desk"
    (desk / "labels" / "old").mkdir(parents=True)
    (desk / "mine.jsonl").write_text(blocks("json")[0])
    write_labels(desk / "labels" / "old" / "old.jsonl.gz", judged_rows(12))
    (tmp_path / "choice").write_text(f"{tiny_bundle}\n")
    for name in [name for name in os.environ if name.startswith("ELISION_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ELISION_BUNDLE_FILE", str(tmp_path / "choice"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(desk)
    with fake_teacher(judging) as teacher:
        stand_ins = {TEACHER: teacher.url, SHIPPED_NAME: str(tiny_bundle)}

        def type_in(command: list[str]) -> int:
            words = [stand_ins.get(word, os.path.expanduser(word)) for word in command]
            if words[0] == "mkdir":
                for folder in words[2:]:
                    os.makedirs(folder, exist_ok=True)
                return 0
            args = of_elision(words)
            return run([*args, *FASTER.get(args[0], ())])

        yield type_in


@pytest.mark.slow  # three runs of training
def test_the_commands_of_the_guide_run_one_after_the_other(
    stranger: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    for command in COMMANDS:
        if not any(word in command for word in NOT_RUN):
            assert stranger(command) == 0, (command, capsys.readouterr().err)

    report = json.loads(Path("data/import.json").read_text())
    assert report["sessions"]["dev"] >= 1 and report["scrubbed"]["user name"] > 0
    assert "nina7" not in Path("data/import.json").read_text()
    assert b"nina7" not in gzip.decompress(Path("labels/train/hindsight.jsonl.gz").read_bytes())
    assert json.loads(Path("bundles/team/manifest.json").read_text())["name"] == "team"
    assert Path("hf/team/model.safetensors").is_file()
    card = Path("bundles/team-card.md").read_text()
    assert "next_action@0.33" in card and "elision evaluate --labels labels/dev/hindsight.jsonl.gz" in card


def test_the_bundle_that_the_guide_names_is_one_that_ships() -> None:
    named = {command[command.index(flag) + 1] for command in COMMANDS for flag in ("--against", "--teacher") if flag in command}

    assert named == {SHIPPED_NAME} <= {path.name for path in list_bundles()}


def test_the_figures_of_the_guide_have_their_place() -> None:
    text = GUIDE.read_text()
    before, begin, rest = text.partition("<!-- simulated team: written by scripts/simulated_team.py -->")

    assert begin and "<!-- /simulated team -->" in rest
