"""The engine for where one machine is outgrown: the same portions, stages and parts, spread by Ray Data.

A cluster is joined where RAY_ADDRESS names one; else Ray is started on this machine and ended again. The
inputs and OUT are on a file system that all machines share. What Ray itself has to say is kept off the
terminal; what goes wrong is raised.
"""

import logging
import os
import shutil
import socket
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from elision.serving.batch.engines.ray_account import GOES_ON, Account
from elision.serving.batch.errors import WorkerDied
from elision.serving.batch.events import Events
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.types import OUR_FOLDER, Source
from elision.serving.errors import MissingExtra

_PORTIONS_HELD = 8  # for each job: read, waiting, at work, done; Ray spills to the disk what is over it
_LEAST_STORE = 128 << 20  # Ray itself takes 75 MiB as the least
# A dead worker's portion is tried again without end; one that kills whoever takes it is given up on then.
_STUCK_S = 3600
_LONGEST_TEMPORARY = 20
_REACH_S = 10.0
_HERE = ("", "local")
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # what it prints of workers that died, whatever log_to_driver says
}


def run_ray(
    sources: Sequence[Source],
    settings: BatchSettings,
    out: Path,
    done: Mapping[int, frozenset[int]],
    jobs: int,
) -> Events:
    """Shorten what is not done of the sources, with up to ``jobs`` stages; parts go to ``out``.

    A source is told of when all its portions are kept.

    Args:
        done: The portions of each source that are kept already.

    Raises:
        MissingExtra: If Ray is not installed.
        WorkerDied: If there is no cluster, its machines are not alike, or Ray gives up on a portion.
    """
    if find_spec("ray") is None or find_spec("pyarrow") is None:
        raise MissingExtra("--engine ray needs ray and pyarrow: pip install 'elision[ray]'")
    if not sources:
        return
    (out / OUR_FOLDER).mkdir(parents=True, exist_ok=True)
    absolute = [replace(source, path=source.path.absolute()) for source in sources]  # workers are elsewhere
    with _ray(settings, jobs) as fewest:
        yield from _events(absolute, settings, out.absolute(), done, (fewest, jobs))


def _events(
    sources: Sequence[Source],
    settings: BatchSettings,
    out: Path,
    done: Mapping[int, frozenset[int]],
    workers: tuple[int, int],
) -> Events:
    from ray.data.exceptions import ExecutionTimeoutError, SystemException
    from ray.exceptions import RayError

    from elision.serving.batch.engines.ray_data import pipeline, unpacked

    account = Account(done)
    run = pipeline(sources, settings, done, out, workers)
    try:
        for table in run.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            yield from account.events(unpacked(table))
    except (RayError, SystemException, ExecutionTimeoutError) as error:
        raise WorkerDied(f"Ray gave up: {_first_line(error)}; {GOES_ON}") from error
    if missing := len(sources) - len(account.told):
        raise WorkerDied(f"Ray ended before {missing} files were done; {GOES_ON}")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


@contextmanager
def _ray(settings: BatchSettings, jobs: int) -> Iterator[int]:
    """Ray, joined or started; gives the fewest stages to begin with. What was joined goes on afterwards."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import ray
    import ray.data

    joined = ray.is_initialized()
    address = os.environ.get("RAY_ADDRESS", "local")
    folder = tempfile.mkdtemp(prefix="elision-ray-", dir=_temporary())
    store = max(_LEAST_STORE, _PORTIONS_HELD * jobs * settings.portion_chars)
    try:
        if not joined and address not in _HERE:
            _reach(address)
            _start(address=address)
        elif not joined:
            # One more than the stages take, for what reads and writes.
            _start(
                address="local",
                num_cpus=jobs + 1,
                object_store_memory=store,
                include_dashboard=False,
                _temp_dir=folder,
            )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"ray\.")
            _hush(settings)
            yield 1 if joined or address not in _HERE else jobs
    finally:
        if not joined:
            ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def _temporary() -> str:
    """Where Ray may put its sockets: their paths have room for about a hundred characters."""
    usual = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST_TEMPORARY else "/tmp"


def _reach(address: str) -> None:
    """See that somebody listens: Ray itself would try for minutes and then end the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():
        return  # "auto"
    try:
        socket.create_connection((host, int(port)), _REACH_S).close()
    except OSError as error:
        raise WorkerDied(
            f"there is no Ray cluster at RAY_ADDRESS={address}: {error.strerror or error}"
        ) from None


def _start(**options: Any) -> None:
    import ray

    with _quiet_stderr():
        try:
            ray.init(log_to_driver=False, logging_level=logging.CRITICAL, **options)
        except ConnectionError as error:
            raise WorkerDied(
                f"there is no Ray cluster at RAY_ADDRESS={options['address']}: {_first_line(error)}"
            ) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise WorkerDied(f"Ray does not start: {_first_line(error)}") from error


def _hush(settings: BatchSettings) -> None:
    from ray.data import DataContext

    from elision.serving.batch.engines.ray_data import BLOCK_SHARE

    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_no_progress_timeout_s = _STUCK_S
    context.target_max_block_size = max(1, settings.portion_chars // BLOCK_SHARE)


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """While Ray starts, its C++ side writes to the file descriptor itself."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
