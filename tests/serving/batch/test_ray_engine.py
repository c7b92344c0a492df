"""The same bytes by way of a real Ray, started here: whole, resumed, with a worker killed, and quietly."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from elision.serving.batch.errors import CannotResume, WorkerDied
from elision.serving.batch.events import Event, Kept
from elision.serving.batch.local import run_local
from elision.serving.batch.ray_engine import run_ray
from elision.serving.batch.run import Engine, run
from elision.serving.batch.types import (
    OUR_FOLDER,
    PAGE,
    REPORT,
    BatchSettings,
    Form,
    Packing,
    RunReport,
    Source,
)

ELISION = Path(sys.executable).with_name("elision")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of several portions, packed and plain, a batch file with a broken line, one damaged file."""
    folder = tmp_path_factory.mktemp("texts")
    chance = random.Random(7)
    log = "".join(
        f"2026-11-30T10:{n // 600 % 60:02}:{n // 10 % 60:02}Z INFO request {chance.getrandbits(32):08x} took {n % 90} ms\n"
        if n % 97
        else f"2026-11-30T10:{n // 600 % 60:02}:{n // 10 % 60:02}Z ERROR volume {n} is not mounted\n"
        for n in range(6000)
    )
    answers = [
        {"custom_id": f"r{n}", "body": {"messages": [{"role": "user", "content": f"why? {n}"}]}}
        for n in range(40)
    ]
    lines = [json.dumps(answer) for answer in answers]
    (folder / "a").mkdir()
    (folder / "a" / "service.log").write_text(log)
    (folder / "service.log.gz").write_bytes(gzip.compress(log[::-1].encode() + b"\n", mtime=0))
    (folder / "damaged.log.gz").write_bytes(gzip.compress(log.encode(), mtime=0)[:-2000])
    (folder / "asked.jsonl").write_text("\n".join([*lines[:20], '{"custom_id": "torn', *lines[20:]]) + "\n")
    (folder / "empty.log").write_text("")
    for n in range(5):
        (folder / f"note-{n}.txt").write_text(f"note {n}\n" * (n + 1))
    return folder


@pytest.fixture(scope="module")
def settings(tiny_bundle: Path) -> BatchSettings:
    return BatchSettings(0.3, bundle=tiny_bundle, portion_chars=40_000)


@pytest.fixture(scope="module")
def undisturbed(
    texts: Path, settings: BatchSettings, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What the local engine writes."""
    out = tmp_path_factory.mktemp("local") / "out"
    shorten(texts, out, settings, run_local)
    return written(out)


def shorten(
    texts: Path, out: Path, settings: BatchSettings, engine: Engine, resume: bool = False
) -> RunReport | None:
    return run([str(texts)], out, settings, engine=engine, jobs=2, resume=resume)


def written(out: Path) -> dict[str, bytes]:
    """Everything in OUT but the reports, which hold times."""
    files = (path for path in out.rglob("*") if path.is_file() and path.name not in (REPORT, PAGE))
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray that is there already."""
    ray = pytest.importorskip("ray")
    folder = tempfile.mkdtemp(prefix="ray-")  # a short path: sockets go there
    ray.init(
        address="local",
        num_cpus=3,
        object_store_memory=128 << 20,
        include_dashboard=False,
        log_to_driver=False,
        _temp_dir=folder,
    )
    yield
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def stopping_after(portions: int, engine: Engine) -> Engine:
    """The engine, and Ctrl-C after some portions."""

    def stopped(
        sources: Sequence[Source],
        settings: BatchSettings,
        out: Path,
        done: Mapping[int, frozenset[int]],
        jobs: int,
    ) -> Iterator[Event]:
        kept = 0
        for event in engine(sources, settings, out, done, jobs):
            yield event
            kept += isinstance(event, Kept)
            if kept == portions:
                raise KeyboardInterrupt

    return stopped


@pytest.mark.usefixtures("cluster")
def test_ray_writes_the_bytes_of_the_local_engine(
    texts: Path, settings: BatchSettings, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    done = shorten(texts, tmp_path / "out", settings, run_ray)

    assert written(tmp_path / "out") == undisturbed
    assert done is not None and [Path(one.path).name for one in done.failed] == ["damaged.log.gz"]
    assert max(file.portions for file in done.files) > 5
    assert "set-aside.jsonl" in undisturbed


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(("first", "then"), [(run_local, run_ray), (run_ray, run_local)])
def test_what_one_engine_begins_the_other_ends(
    first: Engine,
    then: Engine,
    texts: Path,
    settings: BatchSettings,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
) -> None:
    with pytest.raises(KeyboardInterrupt):
        shorten(texts, tmp_path / "out", settings, stopping_after(7, first))
    assert (tmp_path / "out" / OUR_FOLDER).exists()
    shorten(texts, tmp_path / "out", settings, then, resume=True)

    assert written(tmp_path / "out") == undisturbed


@pytest.mark.usefixtures("cluster")
def test_a_portion_whose_worker_is_killed_is_neither_lost_nor_doubled(
    texts: Path, settings: BatchSettings, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for pid in processes("ray::MapWorker(MapBatches(Worker)).submit"):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break

    killer = threading.Thread(target=kill_one)
    killer.start()
    shorten(texts, tmp_path / "out", settings, run_ray)
    killer.join()

    assert killed
    assert written(tmp_path / "out") == undisturbed


@pytest.mark.usefixtures("cluster")
def test_a_disk_that_the_driver_cannot_share_is_an_error_that_says_where(
    texts: Path, settings: BatchSettings, tmp_path: Path
) -> None:
    (tmp_path / OUR_FOLDER).mkdir()
    (tmp_path / OUR_FOLDER / "parts").write_text("no folder")
    source = Source(0, texts / "note-0.txt", "note-0.txt", Form.LOG, Packing.PLAIN, 7)

    with pytest.raises(WorkerDied, match="cannot write .*parts.*; what is done stays, --resume goes on"):
        list(run_ray([source], settings, tmp_path, {}, 2))


@pytest.fixture
def ray_folder() -> Iterator[Path]:
    """Where the Ray of a command puts its files, and by which its processes are known."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def command(texts: Path, bundle: Path, out: Path, engine: str) -> list[str]:
    asked = ["batch", str(texts), "--keep-ratio", "0.3", "--bundle", str(bundle), "--jobs", "2"]
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
    assert written(tmp_path / "ray") == written(tmp_path / "local")
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


def test_other_weights_on_the_driver_than_the_run_began_with_are_refused(
    texts: Path, settings: BatchSettings, tmp_path: Path
) -> None:
    """Not Ray's business, but what keeps the engines alike."""
    with pytest.raises(KeyboardInterrupt):
        shorten(texts, tmp_path / "out", settings, stopping_after(2, run_local))
    other = shutil.copytree(str(settings.bundle), tmp_path / "other")
    manifest = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps(manifest | {"name": "other"}))

    with pytest.raises(CannotResume, match="bundle"):
        run(
            [str(texts)],
            tmp_path / "out",
            BatchSettings(0.3, bundle=other, portion_chars=40_000),
            engine=run_ray,
            resume=True,
        )


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


@pytest.mark.usefixtures("cluster")
def test_the_dev_logs_come_out_alike(shared: Path, tmp_path: Path) -> None:
    logs = shared / "data" / "logs" / "dev"
    for name, engine in (("local", run_local), ("ray", run_ray)):
        shorten(logs, tmp_path / name, BatchSettings(0.3), engine)

    assert written(tmp_path / "ray") == written(tmp_path / "local")


def processes(title: str) -> Iterator[int]:
    """Processes with this in their command line."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if title in (path / "cmdline").read_text(errors="replace"):
                yield int(path.name)
        except OSError:
            continue
