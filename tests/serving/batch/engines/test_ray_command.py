"""`elision batch --engine ray` says no more than the local engine does, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from batches import content_of, processes

ELISION = Path(sys.executable).with_name("elision")

pytestmark = pytest.mark.slow


@pytest.fixture
def ray_folder() -> Iterator[Path]:
    """Where the Ray of a command puts its files, and by which its processes are known."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def command(texts: Path, bundle: Path, out: Path, engine: str) -> list[str]:
    asked = ["batch", str(texts), "--keep-ratio", "0.3", "--bundle", str(bundle), "--jobs", "1"]
    return [str(ELISION), *asked, "--engine", engine, "--out", str(out)]


def test_the_command_says_no_more_with_ray_and_leaves_nothing_behind(
    texts: Path, tiny_bundle: Path, tmp_path: Path, ray_folder: Path
) -> None:
    said = {}
    for engine in ("local", "ray"):
        asked = command(texts / "a", tiny_bundle, tmp_path / engine, engine)
        done = subprocess.run(
            asked, capture_output=True, text=True, env={**os.environ, "RAY_TMPDIR": str(ray_folder)}
        )
        said[engine] = (done.returncode, done.stdout, done.stderr.replace(str(tmp_path / engine), "OUT"))

    assert said["ray"] == said["local"]
    assert said["ray"][0] == 0
    assert content_of(tmp_path / "ray") == content_of(tmp_path / "local")
    assert not list(ray_folder.iterdir())
    assert not list(processes(str(ray_folder)))


def test_an_interrupted_command_leaves_no_ray_behind(
    texts: Path, tiny_bundle: Path, tmp_path: Path, ray_folder: Path
) -> None:
    asked = command(texts, tiny_bundle, tmp_path / "out", "ray")
    process = subprocess.Popen(
        asked, stderr=subprocess.PIPE, text=True, env={**os.environ, "RAY_TMPDIR": str(ray_folder)}
    )
    while process.poll() is None and not list(tmp_path.glob("out/.elision/parts/*/[0-9]*")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]

    assert (process.returncode, said) == (130, "elision: interrupted; what is done stays, --resume goes on\n")
    assert not list(ray_folder.iterdir())
    assert not list(processes(str(ray_folder)))


def test_without_ray_the_error_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    arguments = ["batch", str(tmp_path / "a.log"), "--out", str(tmp_path / "out"), "--engine", "ray"]
    program = f"import sys; sys.modules['ray'] = None; from elision.serving.cli import run; sys.exit(run({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr == "elision: error: --engine ray needs ray and pyarrow: pip install 'elision[ray]'\n"


def test_a_cluster_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    command = [
        str(ELISION),
        "batch",
        str(tmp_path / "a.log"),
        "--out",
        str(tmp_path / "out"),
        "--engine",
        "ray",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "RAY_ADDRESS": "localhost:9"}
    )

    assert done.returncode == 2
    assert done.stderr.startswith(
        "elision: error: there is no Ray cluster at RAY_ADDRESS=localhost:9: Connection refused"
    )
    assert len(done.stderr.splitlines()) == 1
