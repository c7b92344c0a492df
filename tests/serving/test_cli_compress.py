"""`elision compress`: data on stdout, the rest on stderr, and exit codes that tell."""

import gzip
import io
import json
import lzma
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from elision.model.errors import BundleCorrupt

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Command = Callable[..., "Ran"]
Rebuild = Callable[[str, dict[str, Any]], str]

FIELDS = {
    "text", "handle", "tokens_before", "tokens_after", "tokens_saved", "target_met", "changed", "reason",
    "dropped", "pinned", "bundle", "runner", "token_counter",
}  # fmt: skip


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


def test_a_log_comes_out_shorter_with_what_matters(elision: Command, log: Path, log_text: str) -> None:
    ran = elision("compress", log)

    assert ran.code == 0
    assert "ERROR disk /dev/sda1 is full" in ran.out
    assert len(ran.out) < 0.7 * len(log_text)
    assert ran.err == ""


def test_json_has_the_fields_promised_and_rebuilds(
    elision: Command, log: Path, log_text: str, rebuilt: Rebuild
) -> None:
    answer = json.loads(elision("compress", log, "--keep-ratio", "0.33", "--json").out)

    assert set(answer) == FIELDS
    assert answer["tokens_saved"] == answer["tokens_before"] - answer["tokens_after"] > 0
    assert answer["token_counter"] == {"encoding": "o200k_base", "exact": True}
    assert (answer["bundle"], answer["runner"]) == ("words@0", "python")
    assert all(set(drop) == {"start", "end", "replacement", "reason"} for drop in answer["dropped"])
    assert rebuilt(log_text, answer) == answer["text"]


def test_stdin_is_read_when_there_is_no_file(
    elision: Command, log_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, log_text.encode())
    unnamed = elision("compress")
    pipe(monkeypatch, log_text.encode())
    dash = elision("compress", "-")

    assert unnamed.out == dash.out != ""


def test_a_pin_stays(elision: Command, log: Path) -> None:
    args = ("compress", log, "--keep-ratio", "0.2", "--json")
    plain, pinned = elision(*args), elision(*args, "--pin", "step 30 [a-z ]+", "--pin", "step 58 ")

    assert "step 30 " not in json.loads(plain.out)["text"]
    assert "step 30 went well" in json.loads(pinned.out)["text"]
    assert len(json.loads(pinned.out)["pinned"]) >= 2


def test_the_query_reaches_the_scorer(elision: Command, log: Path) -> None:
    args = ("compress", log, "--keep-ratio", "0.5")

    assert "step 30 " not in elision(*args).out
    assert "step 30 " in elision(*args, "--query", "30").out


def test_a_short_text_is_left_alone_unless_the_floor_is_lower(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("one line\n" * 20)

    assert json.loads(elision("compress", path, "--json").out)["reason"] == "below_floor"
    assert json.loads(elision("compress", path, "--json", "--floor-tokens", "0").out)["changed"]


def test_keeping_all_gives_back_every_byte(elision: Command, tmp_path: Path) -> None:
    path, out = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_bytes("a\r\nb\rc\u2028ü\n\n".encode() * 200)

    assert elision("compress", path, "--keep-ratio", "1", "-o", out).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_the_output_may_replace_the_input(elision: Command, log: Path, log_text: str) -> None:
    ran = elision("compress", log, "-o", log)

    assert (ran.code, ran.out) == (0, "")
    assert 0 < len(log.read_text()) < len(log_text)


def test_utf16_with_a_mark_is_read_and_offsets_count_characters(
    elision: Command, tmp_path: Path, rebuilt: Rebuild
) -> None:
    text = "👍 étape sans intérêt, rien à dire\r\n" * 60
    path = tmp_path / "utf16.txt"
    path.write_bytes(text.encode("utf-16"))

    answer = json.loads(elision("compress", path, "--json").out)

    assert answer["changed"]
    assert rebuilt(text, answer) == answer["text"]


PACKED = gzip.compress(b"2024-05-01 10:00:00 INFO up\n" * 9, mtime=0)  # the same in every process of a run


@pytest.mark.parametrize(
    ("name", "data", "unpacker", "batched"),
    [
        ("app.log.gz", PACKED, "zcat", True),
        ("app log", PACKED, "zcat", True),
        ("app.log.gz", b"cut\0off", "zcat", True),
        ("app.log.zst", zstandard.compress(b"up\n" * 99), "zstdcat", True),
        ("app.log.xz", lzma.compress(b"up\n" * 99), "xzcat", False),
    ],
    ids=["gzip", "gzip without its name", "gzip cut off", "zstd", "xz"],
)
@pytest.mark.parametrize("flags", [[], ["--log"], ["--stream"]])
def test_a_packed_file_is_told_with_what_unpacks_it(
    elision: Command, tmp_path: Path, name: str, data: bytes, unpacker: str, batched: bool, flags: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    ran = elision("compress", path, *flags)

    assert (ran.code, ran.out) == (2, "")
    assert f"`{unpacker} {shlex.quote(str(path))} | elision compress -`" in ran.err
    assert ("`elision batch " in ran.err) is batched


def test_a_text_may_have_the_name_of_a_packed_file(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "app.log.gz"
    path.write_text("one line\n")

    assert elision("compress", path).out == "one line\n"


def test_a_packed_stdin_is_told(elision: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(PACKED))))
    ran = elision("compress")

    assert ran.code == 2
    assert "packed by gzip: unpack it first, with zcat" in ran.err


def test_invalid_utf8_is_replaced_counted_and_reported(elision: Command, tmp_path: Path) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("café\n".encode("latin-1") * 3)

    ran = elision("compress", path, "--json")

    assert ran.code == 0
    assert json.loads(ran.out)["replaced_bytes"] == 3
    assert "caf\ufffd" in json.loads(ran.out)["text"]
    assert ran.err == "elision: warning: 3 bytes are not valid utf-8, U+FFFD stands for them\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["missing.log"], "no such file: missing.log"),
        (["."], ". is a directory"),
        (["binary"], "binary is a binary file"),
        (["log", "--keep-ratio", "0"], "keep_ratio is 0.0, must be above 0"),
        (["log", "--keep-ratio", "1.5"], "keep_ratio is 1.5, must be above 0 and at most 1"),
        (["log", "--keep-ratio", "nan"], "keep_ratio is nan"),
        (["log", "--keep-ratio", "half"], "Invalid value for '--keep-ratio'"),
        (["log", "--target-tokens", "0"], "target_tokens is 0"),
        (["log", "--floor-tokens", "-1"], "floor_tokens is -1"),
        (["log", "--keep-ratio", "0.5", "--target-tokens", "9"], "--keep-ratio and --target-tokens exclude"),
        (["log", "--pin", "("], "'('"),
        (["log", "--encoding", "p50k"], "unknown encoding 'p50k', known are o200k_base, cl100k_base"),
        (["log", "--encoding", "o200k_base", "--model", "gpt-4"], "--model and --encoding exclude each other"),
        (["log", "-o", "no/such/folder"], "cannot write no/such/folder"),
        (["log", "--keep"], "No such option"),
        (["log", "twice"], "unexpected extra argument"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(
    elision: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    (tmp_path / "log").write_text("a line\n" * 200)
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    monkeypatch.chdir(tmp_path)

    ran = elision("compress", *args)

    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("elision: error: ") and ran.err.count("\n") == 1
    assert message in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said(elision: Command, log: Path) -> None:
    log.chmod(0)

    assert "Permission denied" in elision("compress", log).err


def test_a_failed_write_leaves_what_was_there(elision: Command, log: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    assert elision("compress", log, "-o", tmp_path / "folder").code == 2
    assert sorted(os.listdir(tmp_path)) == ["build.log", "folder"]


def test_our_own_mistake_gives_the_text_back(
    elision: Command, scorer: "WordScorer", log: Path, log_text: str
) -> None:
    scorer.before = lambda: [][0]

    ran = elision("compress", log)

    assert (ran.code, ran.out) == (0, log_text)
    assert ran.err.startswith("elision: warning: internal error, the text is unchanged: IndexError")


def test_an_error_of_ours_gives_the_text_back_too(
    elision: Command, scorer: "WordScorer", log: Path, log_text: str
) -> None:
    def broken() -> None:
        raise BundleCorrupt("the model answers NaN")

    scorer.before = broken

    ran = elision("compress", log)

    assert (ran.code, ran.out) == (0, log_text)
    assert "BundleCorrupt: the model answers NaN" in ran.err


@pytest.mark.parametrize(
    ("model", "encoding", "exact"),
    [("gpt-4-0613", "cl100k_base", True), ("claude-sonnet-4-5", "o200k_base", False)],
)
def test_the_tokens_of_the_reading_model_are_counted(
    elision: Command, log: Path, monkeypatch: pytest.MonkeyPatch, model: str, encoding: str, exact: bool
) -> None:
    monkeypatch.setenv("ELISION_ENCODING", "o200k_base")  # what is typed goes before it

    answer = json.loads(elision("compress", log, "--model", model, "--json").out)

    assert answer["token_counter"] == {"encoding": encoding, "exact": exact}


def test_ctrl_c_is_130(elision: Command, scorer: "WordScorer", log: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    scorer.before = interrupt

    assert elision("compress", log).code == 130


def test_a_reader_that_leaves_early_is_no_error(spawn: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("one line\n" * 30_000)
    process = spawn("compress", "long.txt", "--keep-ratio", "1")
    process.stdout.read(1)
    process.stdout.close()

    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_a_signal_from_the_keyboard_is_130(
    spawn: Callable[..., Any], eventually: Callable[..., None]
) -> None:
    process = spawn("compress")
    process.stdin.write(b"half a text")
    process.stdin.flush()
    eventually(lambda: waits_for_input(process.pid))
    process.send_signal(signal.SIGINT)

    assert process.wait() == 130
    assert process.stderr.read() == b""


def waits_for_input(pid: int) -> bool:
    """Whether a process has made its imports and sleeps."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S" and "tiktoken" in Path(f"/proc/{pid}/maps").read_text()


def test_version_and_help_go_to_stdout(elision: Command) -> None:
    assert elision("--version").out.startswith("elision ")
    assert "--target-tokens" in elision("compress", "--help").out


def test_what_a_short_text_needs_is_imported_and_no_more() -> None:
    """A cold start may take 3 s; a web server or torch alone would eat that."""
    code = (
        "import sys, io\n"
        "from types import SimpleNamespace\n"
        "from elision.serving.cli import run\nfrom elision.serving.commands.tools import Tools\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'x\\n' * 900))\n"
        "scorer = SimpleNamespace(bundle='', runner='')\n"
        "assert run(['compress', '--keep-ratio', '1', '-o', '/dev/null'], Tools(scorer=scorer)) == 0\n"
        "print(sorted({'fastapi', 'uvicorn', 'structlog', 'rich', 'torch', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-Ic", code], capture_output=True, text=True)

    assert done.stdout == "[]\n", done.stderr


def records(count: int) -> str:
    return "".join(f"2026-01-02 10:00:{n % 60:02} INFO request {n} is done\n" for n in range(count))


def test_a_text_that_is_called_a_log_is_folded(elision: Command, tmp_path: Path, rebuilt: Rebuild) -> None:
    (tmp_path / "log").write_text(records(50))

    answer = json.loads(elision("compress", tmp_path / "log", "--log", "--json").out)

    assert answer["text"] == records(1) + "[…49 lines as above: 10:00:01–10:00:49, request 1..49]\n"
    assert rebuilt(records(50), answer) == answer["text"]
    assert (answer["lines"], answer["left_out"], answer["levels"]) == (50, 0, {"INFO": 50})
    assert answer["templates"] == [{"template": "* * INFO request * is done", "lines": 50, "kept": 1}]
    assert elision("expand", answer["handle"]).out == records(50)


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--level", "error"], "[…5 lines]\n2026-01-02 10:00:59 ERROR boom\n[…5 lines]\n"),
        (["--since", "2026-01-02 10:00:59"], "[…5 lines]\n2026-01-02 10:00:59 ERROR boom\n[…5 lines]\n"),
        (["--until", "2026-01-02 10:00:00"], "2026-01-02 10:00:00 INFO request 0 is done\n[…5 lines]\n2026-01-02 10:00:00 INFO request 0 is done\n[…4 lines]\n"),
        (["--around", "boom"], "[…5 lines]\n2026-01-02 10:00:59 ERROR boom\n[…5 lines]\n"),
        (
            ["--around", "boom", "--context", "1"],
            "[…4 lines]\n2026-01-02 10:00:04 INFO request 4 is done\n2026-01-02 10:00:59 ERROR boom\n"
            "2026-01-02 10:00:00 INFO request 0 is done\n[…4 lines]\n",
        ),
    ],
)
def test_records_that_are_not_selected_leave_a_marker(
    elision: Command, tmp_path: Path, flags: list[str], shown: str
) -> None:
    (tmp_path / "log").write_text(records(5) + "2026-01-02 10:00:59 ERROR boom\n" + records(5))

    ran = elision("compress", tmp_path / "log", "--keep-ratio", "1", *flags, "--counts")

    assert (ran.code, ran.out) == (0, shown)
    assert re.search(r"^ +11  lines$", ran.err, re.MULTILINE)
    assert elision("compress", "--stream", tmp_path / "log", "--keep-ratio", "1", *flags).out == shown


def test_a_request_may_be_read_as_a_log(elision: Command, tmp_path: Path) -> None:
    (tmp_path / "log").write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')

    assert elision("compress", tmp_path / "log", "--json").out.startswith('{"body"')
    assert elision("compress", tmp_path / "log", "--log", "--json").out.startswith('{"text"')


def test_what_we_wrote_is_left_alone_as_a_log_too(elision: Command, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(records(50) + "".join(f"worker {'abcdefghij'[n % 10] * 9} went\n" for n in range(90)))
    shorter = elision("compress", tmp_path / "log", "--log", "--keep-ratio", "0.6").out
    (tmp_path / "log").write_text(shorter)

    assert elision("compress", tmp_path / "log", "--log", "--keep-ratio", "0.1").out == shorter
