"""The engine of one machine: this process reads, others shorten, and each keeps what it has done.

A worker has one portion at a time and the reader is at most one ahead, so memory does not depend on the
input. Workers end with this process however it ends, also when it is killed.
"""

import gc
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from elision.model.errors import ElisionError
from elision.serving.batch.errors import Unreadable, WorkerDied
from elision.serving.batch.events import Event, Events, Kept, Read, Unread
from elision.serving.batch.inputs.read import read
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import Portion, Source

# Spawned: a fork of a process with threads may hang, and would hold this one's memory.
_CONTEXT = get_context("spawn")
_PATIENCE_S = 5.0
_COLLECTED = 100_000  # new objects before a collection: a window makes as many, and they do not stay


def run_local(
    sources: Sequence[Source], settings: BatchSettings, out: Path, done: Mapping[int, frozenset[int]], jobs: int
) -> Events:
    """Shorten what is not done of the sources, with ``jobs`` processes; parts go to ``out``.

    Args:
        done: The portions of each source that are kept already.

    Raises:
        WorkerDied: If a worker was ended from outside, or fails in a way that hits every text.
    """
    with _workers(settings, out, jobs) as workers:
        for source in sources:
            kept, read_now = done.get(source.index, frozenset()), 0
            try:
                for portion in read(source, settings, kept):
                    while not workers.take(portion):
                        yield from workers.wait()
                    read_now += 1
            except Unreadable as error:
                yield from workers.finish()  # or else some parts would come after all is dropped
                yield Unread(source.index, str(error))
            else:
                yield Read(source.index, read_now + len(kept))
        yield from workers.finish()


@dataclass(frozen=True, slots=True)
class _Failed:
    """What went wrong in a worker; ``said`` is for the caller, ``trace`` for us where it is our mistake."""

    said: str
    trace: str = ""


class _Worker:
    """A process, and the portion that it has."""

    def __init__(self, settings: BatchSettings, out: Path) -> None:
        self.pipe, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_work, args=(settings, out, theirs), daemon=True)
        with _no_interrupt():
            self.process.start()
        theirs.close()
        self.busy = False

    def give(self, portion: Portion) -> None:
        self.busy = True
        try:
            self.pipe.send(portion)
        except OSError:
            raise self.died() from None

    def take(self) -> Kept:
        """What it has done.

        Raises:
            WorkerDied: If it did not.
        """
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            raise self.died() from None
        self.busy = False
        if isinstance(answer, _Failed):
            raise RuntimeError(answer.trace) if answer.trace else WorkerDied(answer.said)
        assert isinstance(answer, Kept)
        return answer

    def died(self) -> WorkerDied:
        self.process.join(_PATIENCE_S)
        code = self.process.exitcode
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        why = " (the system may have run out of memory: try fewer --jobs)" if code == -signal.SIGKILL else ""
        return WorkerDied(f"a worker process ended {how}{why}; what is done stays, --resume goes on")


class _Workers:
    """At most so many workers, started when there is something to do."""

    def __init__(self, settings: BatchSettings, out: Path, jobs: int) -> None:
        self._settings, self._out, self._jobs = settings, out, jobs
        self._all: list[_Worker] = []

    def take(self, portion: Portion) -> bool:
        """Give a portion to a worker; False if all have one."""
        idle = next((worker for worker in self._all if not worker.busy), None)
        if idle is None and len(self._all) < self._jobs:
            idle = _Worker(self._settings, self._out)
            self._all.append(idle)
        if idle is not None:
            idle.give(portion)
        return idle is not None

    def wait(self) -> Iterator[Event]:
        """Wait until a worker is done."""
        busy = {worker.pipe: worker for worker in self._all if worker.busy}
        for pipe in connection.wait(list(busy)):
            assert isinstance(pipe, Connection)
            yield busy[pipe].take()

    def finish(self) -> Iterator[Event]:
        """Wait until all are done."""
        while any(worker.busy for worker in self._all):
            yield from self.wait()

    def close(self) -> None:
        for worker in self._all:
            worker.pipe.close()  # an idle worker ends by itself
            if worker.busy:
                worker.process.terminate()
        for worker in self._all:
            _ended(worker.process)


@contextmanager
def _workers(settings: BatchSettings, out: Path, jobs: int) -> Iterator[_Workers]:
    workers = _Workers(settings, out, jobs)
    try:
        yield workers
    finally:
        workers.close()


def _ended(process: SpawnProcess) -> None:
    process.join(_PATIENCE_S)
    if process.is_alive():
        process.kill()
        process.join()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """What is started here never hears of Ctrl-C, not even while it begins; this process ends it."""
    resource_tracker.ensure_running()  # it begins with the first process, and unblocks the signal then
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(settings: BatchSettings, out: Path, pipe: Connection) -> None:
    """The life of a worker."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.set_threshold(_COLLECTED)
    stage, parts = Stage(settings), Parts(out)
    with suppress(EOFError, OSError):  # the pipe is closed: there is nothing more to do
        while True:
            pipe.send(_done(stage, parts, pipe.recv()))


def _done(stage: Stage, parts: Parts, portion: Portion) -> Kept | _Failed:
    try:
        done = stage(portion)
    except ElisionError as error:
        return _Failed(str(error))
    except Exception:
        return _Failed("", traceback.format_exc())
    try:
        parts.save(done)
    except OSError as error:
        return _Failed(f"cannot write {error.filename}: {error.strerror}; what is done stays, --resume goes on")
    return Kept(portion.source, portion.number, portion.size)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)
