"""The same bytes by way of a real Ray, started here: whole, resumed, with a worker killed."""

import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from batches import Stopped, content_of, processes, stopping_after

from elision.serving.batch.engines.local import run_local
from elision.serving.batch.engines.ray_engine import run_ray
from elision.serving.batch.errors import CannotResume, WorkerDied
from elision.serving.batch.run import Engine, run
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import OUR_FOLDER, Form, Packing, RunReport, Source

pytestmark = pytest.mark.slow


def shorten(
    texts: Path, out: Path, settings: BatchSettings, engine: Engine, resume: bool = False
) -> RunReport | None:
    return run([str(texts)], out, settings, engine=engine, jobs=2, resume=resume)


@pytest.fixture(scope="module")
def undisturbed(
    texts: Path, settings: BatchSettings, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What the local engine writes."""
    out = tmp_path_factory.mktemp("local") / "out"
    shorten(texts, out, settings, run_local)
    return content_of(out)


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


@pytest.mark.usefixtures("cluster")
def test_ray_writes_the_bytes_of_the_local_engine(
    texts: Path, settings: BatchSettings, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    done = shorten(texts, tmp_path / "out", settings, run_ray)

    assert content_of(tmp_path / "out") == undisturbed
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
    with pytest.raises(Stopped):
        shorten(texts, tmp_path / "out", settings, stopping_after(7, first))
    assert (tmp_path / "out" / OUR_FOLDER).exists()
    shorten(texts, tmp_path / "out", settings, then, resume=True)

    assert content_of(tmp_path / "out") == undisturbed


@pytest.mark.usefixtures("cluster")
def test_a_portion_whose_worker_is_killed_is_neither_lost_nor_doubled(
    texts: Path, settings: BatchSettings, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    killed: list[int] = []
    over = threading.Event()

    def kill_one() -> None:
        while not killed and not over.is_set():
            # Only ours: other tests may have a Ray of their own.
            for pid in processes("ray::MapWorker(MapBatches(Worker)).submit", above=os.getpid()):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break
            time.sleep(0.01)

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        shorten(texts, tmp_path / "out", settings, run_ray)
    finally:
        over.set()
        killer.join()

    assert killed
    assert content_of(tmp_path / "out") == undisturbed


@pytest.mark.usefixtures("cluster")
def test_a_disk_that_the_driver_cannot_share_is_an_error_that_says_where(
    texts: Path, settings: BatchSettings, tmp_path: Path
) -> None:
    (tmp_path / OUR_FOLDER).mkdir()
    (tmp_path / OUR_FOLDER / "parts").write_text("no folder")
    source = Source(0, texts / "note-0.txt", "note-0.txt", Form.LOG, Packing.PLAIN, 7)

    with pytest.raises(WorkerDied, match="cannot write .*parts.*; what is done stays, --resume goes on"):
        list(run_ray([source], settings, tmp_path, {}, 2))


def test_other_weights_on_the_driver_than_the_run_began_with_are_refused(
    texts: Path, settings: BatchSettings, tmp_path: Path
) -> None:
    """Not Ray's business, but what keeps the engines alike."""
    with pytest.raises(Stopped):
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


@pytest.mark.usefixtures("cluster")
def test_the_dev_logs_come_out_alike(shared: Path, settings: BatchSettings, tmp_path: Path) -> None:
    logs = shared / "data" / "logs" / "dev"
    for name, engine in (("local", run_local), ("ray", run_ray)):
        shorten(logs, tmp_path / name, settings, engine)

    assert content_of(tmp_path / "ray") == content_of(tmp_path / "local")
