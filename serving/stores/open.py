"""Which store and which logs the settings ask for, and which file the command line works on."""

from pathlib import Path

from platformdirs import user_data_path

from elision.compaction.sessions.log import EventLogs
from elision.serving.errors import BadInput
from elision.serving.settings import MEMORY, NO_STORE, Settings, read_settings
from elision.serving.stores.events import MemoryLogs, SqliteLogs
from elision.serving.stores.sqlite import MemoryStores, SqliteStores
from elision.serving.stores.types import Limits, NoStores, Stores

_LOGS_BYTES = 8 * 1024**3  # in a file, where nobody sets a limit: these cannot be had again


def open_stores(settings: Settings) -> Stores:
    """Open the store of the settings.

    Raises:
        StoreUnavailable: If it is a file that cannot be opened or made; says why.
    """
    if settings.store == NO_STORE:
        return NoStores()
    limits = Limits(settings.store_ttl_seconds, settings.store_bytes)
    return MemoryStores(limits) if settings.store == MEMORY else SqliteStores(Path(settings.store), limits)


def open_logs(settings: Settings) -> EventLogs | None:
    """Open the logs of sessions, in the file of the store if it is one; None where nothing is to be kept.

    Raises:
        StoreUnavailable: As `open_stores` does.
    """
    if settings.store == NO_STORE:
        return None
    ttl = settings.session_ttl_seconds
    if settings.store == MEMORY:
        return MemoryLogs(ttl, max_bytes=settings.store_bytes)
    return SqliteLogs(Path(settings.store), ttl, max_bytes=settings.store_max_bytes or _LOGS_BYTES)


def command_line_store(path: Path | None = None) -> Path:
    """The store file of a command: the one given, the one of ELISION_STORE, or the user's own.

    A command ends after one text, so that memory is no place for it. The user's folder is made.
    """
    if path is not None:
        return path
    store = read_settings().store
    if store not in (MEMORY, NO_STORE):
        return Path(store)
    return user_data_path("elision", appauthor=False, ensure_exists=True) / "store.sqlite"


def open_existing(path: Path | None = None) -> SqliteStores:
    """Open the command line's store to look into it; none is made.

    Raises:
        BadInput: If there is none.
        StoreUnavailable: If it cannot be opened.
    """
    path = command_line_store(path)
    if not path.exists():
        raise BadInput(f"no store at {path}; name one with --store")
    settings = read_settings(store=str(path.absolute()))
    return SqliteStores(path, Limits(settings.store_ttl_seconds, settings.store_bytes))
