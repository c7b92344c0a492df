"""`elision import`: what it writes, what it says, and what never gets into its files."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.serving.conftest import Ran

Command = Callable[..., "Ran"]
KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PLANTED = (KEY, "nina7", "nina.meier", "nina\\u002emeier", "nina%2Emeier")


def session(number: int, folder: str = "/Users/nina7/src/shop") -> str:
    lines: list[dict[str, Any]] = [
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": f"task {number} of nina.meier@corp.com"}},
        {
            "type": "assistant",
            "uuid": "2",
            "parentUuid": "1",
            "message": {
                "id": "m1",
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"curl -H 'x: {KEY}' a/?m=nina.meier%40corp.com"}}
                ],
            },
        },
        {
            "type": "user",
            "uuid": "3",
            "parentUuid": "2",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": f'{{"by":"nina.meier\\u0040corp.com","at":"\\/Users\\/nina7\\/x {number}"}}'}]},
        },
        {"type": "assistant", "uuid": "4", "parentUuid": "3", "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "done"}]}},
    ]
    more = {"sessionId": f"s{number}", "cwd": folder, "isSidechain": False}
    return "\n".join(json.dumps(line | more) for line in lines) + '\n{"type":"tools-used"}\n{"cut'


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder of a user's own, with her name in it, and three projects."""
    for number, project in enumerate(("shop", "shop", "till", "desk")):
        folder = tmp_path / "home" / "nina7" / ".claude" / "projects" / f"-Users-nina7-src-{project}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"s{number}.jsonl").write_text(session(number, f"/Users/nina7/src/{project}"))
    return tmp_path / "home"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_sessions_are_written_split_and_told(elision: Command, sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    ran = elision("import", sessions, "--out", out, "--dev-share", "0.3", "--licence", "MIT")

    train, dev = rows(out / "train.jsonl.gz"), rows(out / "dev.jsonl.gz")
    assert ran.code == 0
    assert sorted(path.name for path in out.iterdir()) == ["dev.jsonl.gz", "import.json", "train.jsonl.gz"]
    assert len(train) + len(dev) == 4 and dev
    assert not {row["task"] for row in train} & {row["task"] for row in dev}
    assert {row["licence"] for row in train + dev} == {"MIT"}
    assert "claude-code: 4 sessions in 4 files" in ran.out
    assert "broken line" in ran.err and "s3.jsonl:6" in ran.err


def test_nothing_planted_is_in_any_output_file(elision: Command, sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    ran = elision("import", sessions, "--out", out, "--json")

    written = ran.out + (out / "import.json").read_text()
    written += "".join(gzip.decompress(path.read_bytes()).decode() for path in out.glob("*.gz"))
    assert not [planted for planted in PLANTED if planted in written]
    assert json.loads(ran.out)["scrubbed"].keys() == {"secret", "e-mail address", "user name"}
    assert json.loads(ran.out) == json.loads((out / "import.json").read_text())


def test_without_scrubbing_all_is_kept_and_a_warning_given(elision: Command, sessions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    ran = elision("import", sessions, "--out", out, "--no-scrub", "--json")

    assert json.loads(ran.out)["scrubbed"] is None
    assert KEY in gzip.decompress((out / "train.jsonl.gz").read_bytes()).decode()


def test_the_report_says_what_was_passed_over_where(elision: Command, sessions: Path, tmp_path: Path) -> None:
    ran = elision("import", sessions, "--out", tmp_path / "out", "--json")

    file = json.loads(ran.out)["files"][0]
    assert (file["format"], file["sessions"], file["messages"]) == ("claude-code", 1, 4)
    assert {"what": "broken line", "count": 1, "line": 6} in file["skipped"]
    assert {"what": "tools-used", "count": 1, "line": 5} in file["skipped"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["notes.txt"], "of no known format (claude-code, "),
        (["missing"], "missing: no such file or folder"),
        (["notes.txt", "--format", "word"], "no format is called 'word'; known: claude-code, "),
        (["notes.txt", "--format", "codex"], "no session found in"),
        (["notes.txt", "--dev-share", "1"], "the dev share must be from 0 to below 1, is 1.0"),
    ],
)
def test_a_mistake_is_one_line_exit_code_2_and_nothing_written(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("milk\n")

    ran = elision("import", *args, "--out", "out")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("elision: error: ") and ran.err.count("\n") == 1 and message in ran.err
    assert not (tmp_path / "out").exists()


def test_an_output_that_is_a_file_is_a_mistake(elision: Command, sessions: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")

    ran = elision("import", sessions, "--out", tmp_path / "out")

    assert ran.code == 2 and "cannot write to" in ran.err
