"""A batch as Ray Data runs it: read the sources, shorten their portions, keep the parts, all on the workers.

What travels is a pickled portion in each row, and Ray holds the readers back while the stages are busy.
Nothing of a text comes to the driver: it only hears what was kept and what was read. Importing this needs
the extra ``ray``.
"""

import pickle
import socket
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
from ray.data import ActorPoolStrategy, Dataset, Datasource, ReadTask, read_datasource
from ray.data.block import BlockMetadata

from elision.model.bundle import load_bundle
from elision.model.errors import ElisionError
from elision.serving.batch.engines.ray_account import Ended, Failed, Heard
from elision.serving.batch.errors import Unreadable
from elision.serving.batch.events import Kept
from elision.serving.batch.inputs.read import read
from elision.serving.batch.outputs.parts import Parts
from elision.serving.batch.settings import BatchSettings
from elision.serving.batch.stage import Stage
from elision.serving.batch.types import OUR_FOLDER, Packing, Portion, Source

BLOCK_SHARE = 16  # of a portion of a log, in bytes: only small portions share a block, and so a task
READER_CPUS = 0.25  # of a core: a reader unpacks and looks for line ends, and is held back most of the time
_READ_AHEAD = 4  # batches of sources for each worker, so that the last ones end together
_GROWTH = 8  # of a packed text, about
_COLUMN = "pickled"


class PortionSource(Datasource):
    """Reads sources on the workers, each as a generator of blocks of one portion.

    Args:
        batches: Sources that one task reads after another.
        settings: How they are read.
        done: The portions of each that are kept already.
    """

    def __init__(
        self, batches: Sequence[Sequence[Source]], settings: BatchSettings, done: Mapping[int, frozenset[int]]
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._tasks = [partial(_blocks, batch, settings, _of(batch, done)) for batch in batches]

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[ReadTask]:
        unknown = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(task, unknown, per_task_row_limit=per_task_row_limit) for task in self._tasks]


class Worker:
    """One stage, in an actor so that the bundle is loaded once; what it has done it keeps on the shared disk.

    What fails is told and not raised: Ray would wrap it, try it again and talk of it.

    Args:
        settings: What is wanted.
        made_by_driver: What `made_by` says there; another version or bundle would give other bytes.
        out: Where parts go; a portion that comes twice is replaced by itself.
    """

    def __init__(self, settings: BatchSettings, made_by_driver: str, out: Path) -> None:
        self._stage, self._parts = Stage(settings), Parts(out)
        self._settings, self._made_by_driver, self._out = settings, made_by_driver, out

    def __call__(self, batch: pa.Table) -> pa.Table:
        return _packed([self._told(row) if isinstance(row, Portion) else row for row in unpacked(batch)])

    def _told(self, portion: Portion) -> Heard:
        try:
            if self._unlike_driver:
                return Failed(f"{_machine()}: {self._unlike_driver}")
            self._parts.save(self._stage(portion))
        except ElisionError as error:
            return Failed(f"{_machine()}: {error}")
        except OSError as error:
            return Failed(f"{_machine()} cannot write {error.filename}: {error.strerror}")
        except Exception:
            return Failed(_machine(), traceback.format_exc())
        return Kept(portion.source, portion.number, portion.size)

    @cached_property
    def _unlike_driver(self) -> str:
        """How this machine is not like the driver's; empty if it is."""
        if (here := made_by(self._settings)) != self._made_by_driver:
            return f"has {here}, the driver {self._made_by_driver}: install the same everywhere"
        if not (self._out / OUR_FOLDER).is_dir():
            return f"{self._out} is not the folder that the driver writes to: it must be shared"
        return ""


def made_by(settings: BatchSettings) -> str:
    """Version and weights that decide the bytes, on this machine."""
    return f"elision {version('elision')} with {load_bundle(settings.bundle).identity}"


def pipeline(
    sources: Sequence[Source],
    settings: BatchSettings,
    done: Mapping[int, frozenset[int]],
    out: Path,
    workers: tuple[int, int],
) -> Dataset:
    """All of a run; its rows are what the driver hears (see `unpacked`).

    Args:
        workers: The fewest and the most stages.
    """
    batches = _batched(sources, settings, workers[1])
    portions = read_datasource(
        PortionSource(batches, settings, done),
        override_num_blocks=len(batches),
        num_cpus=READER_CPUS,
        concurrency=min(len(batches), workers[1]),
    )
    shortened: Dataset = portions.map_batches(
        Worker,
        fn_constructor_args=(settings, made_by(settings), out),
        batch_format="pyarrow",
        compute=ActorPoolStrategy(min_size=workers[0], max_size=workers[1], max_tasks_in_flight_per_actor=2),
        num_cpus=1,
    )
    return shortened


def unpacked(table: pa.Table) -> Iterator[Any]:
    """The values of a table of rows."""
    for value in table[_COLUMN]:
        yield pickle.loads(value.as_buffer())


def _packed(values: Iterable[object]) -> pa.Table:
    pickled = [pickle.dumps(value, pickle.HIGHEST_PROTOCOL) for value in values]
    return pa.table({_COLUMN: pa.array(pickled, pa.large_binary())})


def _blocks(
    sources: Sequence[Source], settings: BatchSettings, done: Mapping[int, frozenset[int]]
) -> Iterator[pa.Table]:
    for source in sources:
        portions, reason = 0, ""
        try:
            for portion in read(source, settings, done[source.index]):
                yield _packed([portion])
                portions += 1
        except Unreadable as error:
            reason = str(error)
        except Exception as error:
            yield _packed(
                [Failed(str(error), "" if isinstance(error, ElisionError) else traceback.format_exc())]
            )
            return
        yield _packed([Ended(source.index, portions, reason)])


def _batched(sources: Sequence[Source], settings: BatchSettings, workers: int) -> list[list[Source]]:
    """Sources that a task reads one after another: small ones together, large ones alone."""
    sizes = [source.size * (1 if source.packing is Packing.PLAIN else _GROWTH) for source in sources]
    limit = min(settings.portion_chars, sum(sizes) // (_READ_AHEAD * workers))
    batches: list[list[Source]] = []
    room = -1
    for source, size in zip(sources, sizes, strict=True):
        if size > room:
            batches.append([])
            room = limit
        batches[-1].append(source)
        room -= size
    return batches


def _of(sources: Sequence[Source], done: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    return {source.index: done.get(source.index, frozenset()) for source in sources}


def _machine() -> str:
    return socket.gethostname()
