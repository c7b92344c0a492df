"""`elision batch`: outputs under --out, the rest on stderr, and exit codes that tell."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from batches import content_of, log_text

from elision.serving.cli import run

Start = Callable[..., "subprocess.Popen[str]"]
Ran = subprocess.CompletedProcess


@pytest.fixture
def start(tiny_bundle: Path, tmp_path: Path) -> Iterator[Start]:
    """Begin a batch in a process, and a process group, of its own."""
    started: list[subprocess.Popen[str]] = []

    def command(*args: object) -> "subprocess.Popen[str]":
        code = "from elision.serving.cli import main; main()"
        options = ["--bundle", tiny_bundle, "--floor-tokens", 20, "--keep-ratio", 0.3]
        process = subprocess.Popen(
            [sys.executable, "-c", code, "batch", *map(str, [*args, *options])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield command
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def elision(start: Start) -> Callable[..., "Ran[str]"]:
    """Run a batch to its end."""

    def command(*args: object) -> "Ran[str]":
        process = start(*args)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    return command


Command = Callable[..., "Ran[str]"]


def children(process: "subprocess.Popen[str]") -> list[int]:
    """The workers of a batch."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
            command = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == process.pid and b"spawn_main" in command:
            found.append(int(path.parent.name))
    return found


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except OSError:
        return True


def blocked(pid: int, number: int) -> bool:
    """Whether a process does not hear of a signal."""
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(status["SigBlk"], 16) >> (number - 1) & 1)


def busy(tmp_path: Path) -> Path:
    """A file that takes some seconds."""
    path = tmp_path / "slow.jsonl"
    text = " ".join(f"word{n} and another one," for n in range(3000))
    path.write_text(f"{json.dumps({'text': text})}\n" * 60)
    return path


def test_a_folder_comes_out_with_a_line_that_sums_it_up(elision: Command, folder: Path, tmp_path: Path) -> None:
    ran = elision(folder, "--out", "out", "--jobs", 2)

    assert (ran.returncode, ran.stdout) == (0, "")
    warning, summary = ran.stderr.splitlines()
    assert warning == "elision: warning: 1 record set aside, see out/set-aside.jsonl"
    assert summary.startswith("elision: 6 files, ") and summary.endswith("; see out/report.html")
    assert len(content_of(tmp_path / "out")) == 8


def test_a_dry_run_says_what_and_touches_nothing(elision: Command, folder: Path, tmp_path: Path) -> None:
    (folder / "picture.log").write_bytes(b"\0")
    ran = elision(folder, "--out", "out", "--dry-run")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert not (tmp_path / "out").exists()
    rows = ran.stdout.splitlines()
    assert len(rows) == 7
    assert rows[1].split() == [
        "log", "gz", f"{(folder / 'deep/app.log.gz').stat().st_size:,}",
        str(folder / "deep/app.log.gz"), "->", "deep/app.log.gz",
    ]  # fmt: skip
    assert rows[-1].endswith("picture.log: it is a binary file (it holds NUL bytes)")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no.log", "--out", "out"], "no such file or folder: no.log"),
        (["*.none", "--out", "out"], "nothing matches *.none"),
        (["in", "--out", "in"], "there is no file in in"),
        (["in", "--out", "in/app.log"], "--out in/app.log is not a folder"),
        (["in", "--out", "full"], "full is not empty (it holds mine.txt)"),
        (["in", "--out", "full", "--resume"], "cannot resume: there is no run in"),
        (["in"], "Missing option '--out'"),
        (["in", "--out", "out", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["in", "--out", "out", "--form", "novel"], "Invalid value for '--form'"),
        (["in", "--out", "out", "--context", "3"], "--context needs --around"),
        (["in", "--out", "out", "--pin", "("], "pin pattern '(' is not a regular expression"),
        (["in", "--out", "out", "--since", "whenever"], "whenever"),
        (["in", "--out", "out", "--level", "warn"], "no logs are in/one.json (records), in/records.jsonl (records): leave"),
        (["in", "--out", "out", "--level", "warn", "--dry-run"], "no logs are in/one.json (records)"),
        (["in/app.log", "--out", "out", "--column", "text"], "--column text: there is no parquet file"),
        (["in", "--out", "out", "--encoding", "o200k_base", "--model", "gpt-4o"], "--model and --encoding exclude"),
        ([], "Missing argument 'INPUT...'"),
    ],
)
def test_a_mistake_of_the_caller_is_one_line_and_exit_code_2(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    message: str,
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    code = run(["batch", *args])
    said = capsys.readouterr().err.replace(f"{tmp_path}/", "")

    assert code == 2
    assert message in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_read_is_exit_code_1(elision: Command, folder: Path) -> None:
    (folder / "broken.log.gz").write_bytes((folder / "deep" / "app.log.gz").read_bytes()[:-9])
    ran = elision(folder, "--out", "out", "--jobs", 1)

    assert ran.returncode == 1
    assert "elision: error: in/broken.log.gz: the gzip file is damaged" in ran.stderr.replace(str(folder.parent) + "/", "")


def test_no_text_in_a_folder_is_left_out_one_that_is_named_is_exit_code_1(elision: Command, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/picture.log").write_bytes(b"\0")
    (tmp_path / "in/app.log").write_bytes(log_text(20).encode() + b"caf\xe9 \xe9\n")
    left_out, named = elision("in", "--out", "out", "--jobs", 1), elision("in/picture.log", "--out", "out-2", "--jobs", 1)

    assert left_out.returncode == 0
    warning, replaced, summary = left_out.stderr.splitlines()
    assert warning == "elision: warning: in/picture.log: it is a binary file (it holds NUL bytes)"
    assert replaced == "elision: warning: 2 bytes in 1 file were not valid, U+FFFD stands there"
    assert summary.startswith("elision: 1 file, ")
    assert named.returncode == 1
    assert named.stderr.startswith("elision: error: in/picture.log: it is a binary file")


def test_json_lines_that_are_a_log_are_selected_like_one(elision: Command, tmp_path: Path) -> None:
    levels = ["error" if n % 50 == 0 else "info" for n in range(200)]
    lines = [json.dumps({"level": level, "msg": f"job {n}", "ts": 1767225600 + n}) for n, level in enumerate(levels)]
    (tmp_path / "app.jsonl").write_text("\n".join(lines) + "\n")
    ran = elision("app.jsonl", "--out", "out", "--level", "error", "--jobs", 1)
    kept = (tmp_path / "out/app.jsonl").read_text()

    assert ran.returncode == 0
    assert lines[0] in kept.splitlines()
    assert '"info"' not in kept


@pytest.mark.slow
def test_ctrl_c_ends_all_at_once_and_says_how_to_go_on(
    start: Start, elision: Command, tmp_path: Path, eventually: Callable[..., None]
) -> None:
    path = busy(tmp_path)
    process = start(path, "--out", "out", "--jobs", 2)
    eventually(lambda: len(children(process)) == 1)
    time.sleep(2)
    workers = children(process)
    assert all(blocked(pid, signal.SIGINT) for pid in workers)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, err = process.communicate(timeout=10)

    assert process.returncode == 130
    assert err == "elision: interrupted; what is done stays, --resume goes on\n"
    assert all(ended(pid) for pid in workers)


@pytest.mark.slow
def test_a_worker_that_was_ended_is_told_and_the_run_goes_on_with_resume(
    start: Start, elision: Command, tmp_path: Path, eventually: Callable[..., None]
) -> None:
    path = tmp_path / "app.log"
    path.write_text(log_text(300))
    process = start(path, "--out", "out", "--jobs", 1)
    eventually(lambda: children(process))
    os.kill(children(process)[0], signal.SIGKILL)  # while it begins
    _, err = process.communicate(timeout=20)

    assert process.returncode == 2
    assert err.startswith("elision: error: a worker process ended by signal 9 (the system may have run out of memory")
    assert err.endswith("--resume goes on\n") and len(err.splitlines()) == 1
    assert elision(path, "--out", "out", "--jobs", 1, "--resume").returncode == 0


@pytest.mark.slow
def test_workers_end_with_a_run_that_is_killed(
    start: Start, tmp_path: Path, eventually: Callable[..., None]
) -> None:
    process = start(busy(tmp_path), "--out", "out", "--jobs", 1)
    eventually(lambda: children(process))
    time.sleep(1)
    workers = children(process)
    process.kill()

    assert workers
    eventually(lambda: all(ended(pid) for pid in workers))


@pytest.mark.slow
def test_a_second_run_into_the_same_out_is_refused(
    start: Start, elision: Command, tmp_path: Path, eventually: Callable[..., None]
) -> None:
    path = busy(tmp_path)
    process = start(path, "--out", "out", "--jobs", 1)
    eventually(lambda: (tmp_path / "out/.elision/run.json").exists())
    ran = elision(path, "--out", "out", "--resume")

    assert ran.returncode == 2
    assert f"another run (process {process.pid}) is writing to" in ran.stderr


def test_a_table_needs_its_column(elision: Command, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"n": [1], "text": [log_text(50)]}), tmp_path / "a.parquet")

    refused, ran = elision("a.parquet", "--out", "out"), elision("a.parquet", "--out", "out", "--column", "text")

    assert refused.returncode == 2
    assert "name its column of texts with --column (columns of texts there: text)" in refused.stderr
    assert ran.returncode == 0
    assert len(pq.read_table(tmp_path / "out" / "a.parquet")["text"][0].as_py()) < len(log_text(50))
