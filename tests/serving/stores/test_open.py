"""Which store the settings ask for."""

from pathlib import Path

import pytest

from elision.compaction.errors import StoreUnavailable
from elision.serving.errors import BadSettings
from elision.serving.settings import read_settings
from elision.serving.stores import open_stores
from elision.serving.stores.open import command_line_store
from elision.serving.stores.sqlite import MemoryStores, SqliteStores
from elision.serving.stores.types import NoStores

MIB = 1024 * 1024


def test_memory_is_the_default_and_a_file_may_hold_more() -> None:
    assert isinstance(open_stores(read_settings()), MemoryStores)
    assert read_settings().store_ttl_seconds == 7 * 24 * 3600
    assert read_settings().store_bytes == 128 * MIB
    assert read_settings(store="./s.sqlite").store_bytes == 512 * MIB
    assert read_settings(store="./s.sqlite", store_max_bytes=5).store_bytes == 5


def test_a_path_is_a_file_and_none_is_nothing(tmp_path: Path) -> None:
    stores = open_stores(read_settings(store=str(tmp_path / "s.sqlite")))

    assert type(stores) is SqliteStores and (tmp_path / "s.sqlite").is_file()
    assert isinstance(open_stores(read_settings(store="none")), NoStores)
    stores.close()


def test_a_file_that_cannot_be_made_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        open_stores(read_settings(store=str(tmp_path / "no" / "s.sqlite")))


@pytest.mark.parametrize(
    ("name", "value"),
    [("STORE", "memroy"), ("STORE", ""), ("STORE_TTL_SECONDS", "0"), ("STORE_TTL_SECONDS", "nan"), ("STORE_MAX_BYTES", "0")],
)
def test_a_bad_value_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"ELISION_{name}", value)

    with pytest.raises(BadSettings, match=f"ELISION_{name}: "):
        read_settings()


def test_commands_work_on_the_file_given_then_of_the_environment_then_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = command_line_store()
    monkeypatch.setenv("ELISION_STORE", "/srv/s.sqlite")

    assert own.name == "store.sqlite" and own.parent.name == "elision" and own.parent.is_dir()
    assert command_line_store() == Path("/srv/s.sqlite")
    assert command_line_store(Path("mine")) == Path("mine")
