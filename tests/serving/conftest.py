"""A scorer that can be reasoned about, a real server on a loopback port, and the command line."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from live_server import live

from elision.model.types import Scorer, Scores, nothing
from elision.serving.app import create_app
from elision.serving.cli import run
from elision.serving.commands.tools import Tools
from elision.serving.settings import Settings

LOG = "".join(f"step {n} went well and there is nothing to say about it\n" for n in range(60)) + (
    "ERROR disk /dev/sda1 is full\n"
)


@dataclass
class WordScorer:
    """Scores every word: 1.0 if it stands in the query or is ERROR, else falling with its place.

    Attributes:
        before: Called before each window of 100 words; may sleep or raise.
    """

    bundle: str = "words@0"
    runner: str = "python"
    before: Callable[[], None] = nothing
    seen: list[str] = field(default_factory=list)

    def score(self, text: str, query: str = "", tick: Callable[[], None] = nothing) -> Scores:
        self.seen.append(text)
        starts, stops, values, at = [], [], [], 0
        wanted = {"ERROR", *query.split()}
        for count, word in enumerate(text.split()):
            if count % 100 == 0:
                self.before()
                tick()
            start = text.index(word, at)
            at = start + len(word)
            starts.append(start)
            stops.append(at)
            values.append(1.0 if word in wanted else 0.5 / (1 + count))
        return Scores(np.array(starts, np.int64), np.array(stops, np.int64), np.array(values, np.float32))


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever runs the tests may have set some for themselves, and has a store and a choice of their own."""
    for name in os.environ:
        if name.startswith("ELISION_"):
            monkeypatch.delenv(name)
    for kind in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path_factory.mktemp(kind.lower())))


@pytest.fixture
def log_text() -> str:
    """60 lines of nothing and one that matters."""
    return LOG


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "build.log"
    path.write_bytes(LOG.encode())
    return path


@pytest.fixture
def eventually() -> Callable[..., None]:
    """Wait until something holds, but not for ever."""

    def wait(holds: Callable[[], object], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.02)

    return wait


@pytest.fixture
def rebuilt() -> Callable[[str, dict[str, Any]], str]:
    """Put every replacement in the place of what was dropped; this must give the output."""

    def rebuild(text: str, answer: dict[str, Any]) -> str:
        for drop in reversed(answer["dropped"]):
            text = text[: drop["start"]] + drop["replacement"] + text[drop["end"] :]
        return text

    return rebuild


@pytest.fixture
def scorer() -> WordScorer:
    return WordScorer()


@pytest.fixture
def elision(scorer: WordScorer, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ran]:
    """Run a command in this process, with the scorer above in place of a bundle."""

    def command(*args: object) -> Ran:
        capsysbinary.readouterr()
        code = run([str(arg) for arg in args], Tools(scorer=scorer))
        out, err = capsysbinary.readouterr()
        return Ran(code, out.decode("utf-8", "surrogatepass"), err.decode())

    return command


# The command line in a process of its own, with a scorer that knows nothing in place of a bundle.
_FLAT = """
import os, sys, time
import numpy as np
from elision.model.types import Scores
from elision.serving.cli import run
from elision.serving.commands.tools import Tools

class Flat:
    bundle, runner = "flat@0", "python"
    def score(self, text, query="", tick=lambda: None):
        time.sleep(float(os.environ.get("SLOW", 0)))
        tick()
        some = min(1, len(text))
        return Scores(np.zeros(some, np.int64), np.full(some, len(text)), np.full(some, 0.5, np.float32))

sys.exit(run(sys.argv[1:], Tools(scorer=Flat())))
"""
_REAL = "from elision.serving.cli import main; main()"


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a command in a process of its own, elsewhere; keywords are environment variables."""
    started: list[subprocess.Popen[bytes]] = []

    def command(*args: object, real: bool = False, **environment: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-Ic", _REAL if real else _FLAT, *map(str, args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=os.environ | environment,
        )
        started.append(process)
        return process

    yield command
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def cold(spawn: Callable[..., subprocess.Popen[bytes]]) -> Callable[..., Ran]:
    """Run a command to its end in a process of its own."""

    def command(*args: object, stdin: bytes = b"", **options: Any) -> Ran:
        process = spawn(*args, **options)
        out, err = process.communicate(stdin, timeout=60)
        return Ran(process.returncode, out.decode(), err.decode())

    return command


@contextmanager
def serving(scorer: Scorer | None, **settings: Any) -> Iterator[httpx.Client]:
    """A real uvicorn on a free port, and a client for it."""
    app = create_app(Settings(**{"workers": 2, "log_level": "error", **settings}), scorer)
    with live(app) as client:
        yield client


@pytest.fixture
def serve() -> Iterator[Callable[..., httpx.Client]]:
    """Start services that end with the test."""
    with ExitStack() as stack:
        yield lambda scorer, **settings: stack.enter_context(serving(scorer, **settings))


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A service shared by the tests of a file that only ask."""
    with serving(WordScorer(), max_body_bytes=100_000) as found:
        yield found
