"""`elision compress --stream`: a real process on a real pipe, in time, and clean whatever ends it."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.serving.conftest import Ran, WordScorer

Command = Callable[..., "Ran"]
Spawn = Callable[..., "subprocess.Popen[bytes]"]

READY = "2026-01-02 10:00:00 INFO ready\n"


def rows(count: int, start: int = 0) -> str:
    return "".join(f"2026-01-02 10:00:{n % 60:02} INFO request {n} is done\n" for n in range(start, start + count))


def following(spawn: Spawn, *flags: object, **options: Any) -> "subprocess.Popen[bytes]":
    """A process that has begun to read: it has written what it was given first."""
    process = spawn("compress", "--stream", "-", "--latency", "0.2", *flags, **options)
    say(process, READY)
    assert line(process) == READY
    return process


def say(process: "subprocess.Popen[bytes]", text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text.encode())
    process.stdin.flush()


def line(process: "subprocess.Popen[bytes]", seconds: float = 30) -> str:
    """The next line that a process writes, in time."""
    assert process.stdout is not None
    found = b""
    while not found.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        assert ready, f"nothing came after {found!r}"
        found += os.read(process.stdout.fileno(), 1)
        assert found, "it has ended"
    return found.decode()


def left(process: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
    """How a process ends, and what it still writes."""
    out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), err.decode()


def test_a_line_is_written_while_the_pipe_stays_open(spawn: Spawn) -> None:
    process = following(spawn)

    say(process, "2026-01-02 10:00:01 ERROR boom\n")
    began = time.monotonic()
    assert line(process) == "2026-01-02 10:00:01 ERROR boom\n"
    assert time.monotonic() - began < 2.0
    assert process.poll() is None


def test_a_later_window_folds_what_an_earlier_one_showed(spawn: Spawn) -> None:
    process = following(spawn)

    say(process, rows(20))
    assert line(process) == rows(1)
    assert line(process) == "[…19 lines as above: 10:00:01–10:00:19, request 1..19]\n"
    say(process, rows(5, 20))
    assert line(process).startswith("[…5 lines as above: 10:00:20–10:00:24")
    assert left(process) == (0, "", "")


def test_a_line_without_an_end_is_not_lost_at_the_end(spawn: Spawn) -> None:
    process = following(spawn)
    say(process, "2026-01-02 10:00:01 ERROR bo")

    assert left(process) == (0, "2026-01-02 10:00:01 ERROR bo", "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_on_a_signal_what_was_read_is_written(spawn: Spawn, number: int, code: int) -> None:
    process = spawn("compress", "--stream", "--latency", "60")
    say(process, "2026-01-02 10:00:01 ERROR boom\n2026-01-02 10:00:02 ERROR ba")
    _until_read(process)
    process.send_signal(number)

    assert left(process) == (code, "2026-01-02 10:00:01 ERROR boom\n2026-01-02 10:00:02 ERROR ba", "")


def _until_read(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process has taken all that its pipe held."""
    assert process.stdin is not None
    end = time.monotonic() + 30
    while _held(process.stdin.fileno()):
        assert time.monotonic() < end, "it does not read"
        time.sleep(0.02)
    time.sleep(0.1)


def _held(pipe: int) -> int:
    from array import array
    from fcntl import ioctl
    from termios import FIONREAD

    held = array("i", [0])
    ioctl(pipe, FIONREAD, held)
    return held[0]


def test_a_second_signal_does_not_wait(spawn: Spawn) -> None:
    process = spawn("compress", "--stream", "--keep-ratio", "0.1", SLOW="20")
    say(process, "".join(f"{n * 7919 % 1000} words that are not alike {'x' * (n % 9)} and go on {n}\n" for n in range(300)))
    _until_read(process)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)

    assert left(process)[0] == 130


def test_nobody_who_reads_ends_it_while_it_waits(spawn: Spawn) -> None:
    process = following(spawn)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()

    assert process.wait(5) == 0
    assert process.stderr.read() == b""


def test_a_reader_of_one_line_ends_an_endless_log(tmp_path: Path) -> None:
    elision = f"{sys.executable} -Ic 'from elision.serving.cli import main; main()'"
    endless = f"{sys.executable} -uc 'import itertools; [print(f\"INFO request {{n}}\") for n in itertools.count()]'"
    command = f"set -o pipefail; {endless} 2>/dev/null | {{ {elision} compress --stream --window 50000; echo code $? >&2; }} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, cwd=tmp_path)

    assert done.stdout == "INFO request 0\n"
    assert done.stderr == "code 0\n"


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(spawn: Spawn) -> None:
    process = spawn("compress", "--stream", "--window", "200000", real=True)
    assert process.stdin is not None and process.stdout is not None
    peaks = list[int]()
    os.set_blocking(process.stdout.fileno(), False)
    for megabyte in range(50):
        block = "".join(
            f"2026-01-02 10:{n // 60 % 60:02}:{n % 60:02} INFO worker-{n % 7} request {megabyte * 12_000 + n} took {n % 97} ms, user {n * 31 % 1000}\n"
            for n in range(12_000)
        )
        _feed(process, block.encode())
        if megabyte in (9, 49):
            peaks.append(_peak(process.pid))
    process.stdin.close()
    process.stdin = None

    assert _drained(process) == 0
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 400_000


def _feed(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    assert process.stdin is not None and process.stdout is not None
    source, sink = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(source, False)
    while data:
        readable, writable, _ = select.select([sink], [source], [], 60)
        assert readable or writable, "it does not go on"
        if readable:
            os.read(sink, 1 << 16)
        if writable:
            data = data[os.write(source, data[: 1 << 16]) :]


def _drained(process: "subprocess.Popen[bytes]") -> int:
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), True)
    while os.read(process.stdout.fileno(), 1 << 16):
        pass
    return process.wait(30)


def _peak(pid: int) -> int:
    """The most memory that a process has had, in KiB."""
    return int(re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[0])


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    seen, _, code = on_a_terminal(["compress", "--stream", "--keep-ratio", "0.5"], rows(50).encode(), tmp_path)

    assert code == 0
    assert re.search(r"\relision: 50 lines, [\d,]+ -> \d+ tokens \([\d.]+%\), [\d,]+ lines/s\x1b\[K\r\x1b\[K", seen)
    assert re.search(r"elision: 50 lines, [\d,]+ -> \d+ tokens \([\d.]+%\), [\d,]+ lines/s\r\n$", seen)


def test_who_waits_for_a_pipe_that_does_not_end_is_told_once_what_follows_it(tmp_path: Path) -> None:
    seen, out, code = on_a_terminal(["compress"], b"a\n", tmp_path, until="--stream")

    assert seen.count("--stream") == 1
    assert (out, code) == (b"a\n", 0)


def on_a_terminal(args: list[str], data: bytes, cwd: Path, until: str = "") -> tuple[str, bytes, int]:
    """What a command shows on a terminal as its stderr, what it writes, and its exit code.

    Its input ends once ``until`` is shown.
    """
    master, slave = pty.openpty()
    main = "from elision.serving.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-Ic", main, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=slave, cwd=cwd
    )
    os.close(slave)
    try:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
        seen = "".join(shown(master, until))
        out, _ = process.communicate(timeout=60)
        return seen + "".join(shown(master)), out, process.returncode
    finally:
        process.kill()
        os.close(master)


def shown(terminal: int, until: str | None = None) -> Iterator[str]:
    """What is shown on a terminal, to its end or until something is."""
    seen = ""
    while until is None or until not in seen:
        assert select.select([terminal], [], [], 30)[0], "nothing was shown"
        try:
            part = os.read(terminal, 4096).decode()
        except OSError:  # so Linux says that the other side is closed
            return
        if not part:
            return
        seen += part
        yield part


def test_json_is_an_object_for_each_window_and_counts_add_up(elision: Command, tmp_path: Path) -> None:
    text = "".join(rows(30, start) + f"2026-01-02 10:00:59 ERROR boom {start}\n" for start in range(0, 300, 30))
    (tmp_path / "log").write_text(text)

    ran = elision("compress", "--stream", tmp_path / "log", "--window", "1000", "--json", "--counts")
    *parts, last = map(json.loads, ran.out.splitlines())

    assert "".join(part["text"] for part in parts) == elision("compress", "--stream", tmp_path / "log", "--window", "1000").out
    assert [part["window"] for part in parts] == list(range(1, len(parts) + 1))
    assert all(part["handle"] is None for part in parts)
    assert sum(part["lines"] for part in parts) == 310 == last["counts"]["lines"]
    assert last["counts"]["levels"] == {"INFO": 300, "ERROR": 10}
    assert sum(row["lines"] for row in last["counts"]["templates"]) == 310
    assert last["counts"]["tokens_after"] == sum(part["tokens_after"] for part in parts)
    for part in parts:
        source = text[part["start"] :]
        for drop in reversed(part["dropped"]):
            source = source[: drop["start"]] + drop["replacement"] + source[drop["end"] :]
        assert source.startswith(part["text"])


def test_counts_are_told_on_stderr(elision: Command, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(rows(30) + "2026-01-02 10:00:59 ERROR boom\n")

    ran = elision("compress", "--stream", tmp_path / "log", "--level", "error", "--counts")

    assert ran.out == "[…30 lines]\n2026-01-02 10:00:59 ERROR boom\n"
    assert re.search(r"^ +1  ERROR\n +30  not selected\n +31  lines\n\n +lines +kept  template\n +1 +1  ", ran.err)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--stream", "--format", "anthropic"], "--format anthropic is a request, and a log is a text"),
        (["--stream", "--set", "mode=history"], "--set is for requests"),
        (["--stream", "--store", "s.sqlite"], "of a stream no originals are kept"),
        (["--stream", "-o", "out"], "a stream may never end"),
        (["--stream", "--window", "10"], "Invalid value for '--window'"),
        (["--stream", "--latency", "-1"], "Invalid value for '--latency'"),
        (["--stream", "--context", "3"], "--context needs --around"),
        (["--stream", "--level", "loud"], "'loud' is no level"),
        (["--stream", "--around", "("], "not a regular expression"),
        (["--stream", "--since", "later"], "later"),
        (["--stream", "--bundle", "nowhere"], "nowhere"),
        (["--window", "10000"], "--window needs --stream"),
        (["--latency", "1"], "--latency needs --stream"),
        (["--counts"], "--counts needs --log"),
        (["--log", "--format", "gemini"], "--format gemini is a request"),
    ],
)
def test_what_makes_no_sense_is_said(cold: Command, tmp_path: Path, flags: list[str], said: str) -> None:
    ran = cold("compress", *flags, real=True, stdin=b"a line\n")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("elision: error: ") and ran.err.count("\n") == 1
    assert said in ran.err


def test_a_file_that_is_none_is_said(elision: Command, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")

    assert "no such file" in elision("compress", "--stream", tmp_path / "missing").err
    assert "is a directory" in elision("compress", "--stream", tmp_path).err
    assert "is a binary file" in elision("compress", "--stream", tmp_path / "binary").err


def test_bytes_that_are_no_text_are_counted(cold: Command) -> None:
    ran = cold("compress", "--stream", stdin=b"caf\xe9\n")

    assert ran.out == "caf\ufffd\n"
    assert ran.err == "elision: warning: 1 bytes are not valid utf-8, U+FFFD stands for them\n"


def test_our_own_mistake_gives_the_window_back(elision: Command, scorer: "WordScorer", tmp_path: Path) -> None:
    text = "".join(f"{'abcdefgh'[n % 8] * 5} {'ijklmnop'[n // 8 % 8] * 5} is not like {'qrstuvwx'[n * 5 % 8] * 4}\n" for n in range(64))
    (tmp_path / "log").write_text(text)
    scorer.before = lambda: [][0]

    ran = elision("compress", "--stream", tmp_path / "log", "--keep-ratio", "0.2")

    assert (ran.code, ran.out) == (0, text)
    assert ran.err.startswith("elision: warning: internal error, a part goes through unchanged: IndexError")
    assert elision("compress", "--stream", "--redact", tmp_path / "log", "--keep-ratio", "0.2").code == 2
