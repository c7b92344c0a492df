"""Both kinds of store, under a clock that moves when told, and decisions to keep in them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from elision.compaction.types import Compressed, Drop, Pin, Receipt
from elision.model.types import Span
from elision.serving.stores.sqlite import MemoryStores, SqliteStores
from elision.serving.stores.types import Limits

DAY = 86_400.0


@dataclass
class Clock:
    """Tells what it was set to."""

    at: float = 1_000_000.0

    def __call__(self) -> float:
        return self.at


def decision(text: str, changed: bool = True) -> Compressed:
    """A decision whose output is ``text``."""
    drops = (Drop(Span(0, 4), "[…]", "low_value"),) if changed else ()
    pins = (Pin(Span(4, 9), "error"),)
    return Compressed(text, Receipt(90, 30, 45, True, changed, "", drops, pins, "tiny@1", "python", "o200k_base", True))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def decided() -> Callable[..., Compressed]:
    return decision


@pytest.fixture(params=["memory", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Callable[..., SqliteStores]]:
    """Open a store of either kind: a day to live and 100 kB unless said otherwise."""
    opened: list[SqliteStores] = []

    def build(ttl_seconds: float = DAY, max_bytes: int = 100_000) -> SqliteStores:
        limits = Limits(ttl_seconds, max_bytes)
        in_file = request.param == "sqlite"
        opened.append(SqliteStores(tmp_path / "s.sqlite", limits, clock) if in_file else MemoryStores(limits, clock))
        return opened[-1]

    yield build
    for stores in opened:
        stores.close()
