"""Another bundle while the service runs: who may ask for which, and how it is made ready.

A new scorer is loaded, checked and warmed in a thread before anything refers to it; then one
assignment makes it the one that new requests take. A request holds on to the scorer that it began
with, so none is dropped and each receipt names what scored it.
"""

import asyncio
import ipaddress
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from starlette.requests import Request

from elision.model.bundle import list_bundles
from elision.model.errors import BundleCorrupt, BundleError
from elision.model.types import Scorer
from elision.serving.choice import in_use
from elision.serving.errors import BundleNotAllowed, BundleUnusable, SwapInProgress
from elision.serving.logging import get_logger, where

if TYPE_CHECKING:
    from elision.serving.service import Service

WARM = "INFO started\nERROR disk /dev/sda1 is full\n"
# Set by proxies: then the caller is not on this machine, whatever the connection says.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_log = get_logger()


def load_warm(path: Path | None) -> Scorer:
    """The scorer of a bundle, once it has scored a text.

    Raises:
        BundleError: If the bundle cannot be loaded, or gives no keep values.
    """
    from elision.model.scorer import load_scorer  # onnxruntime: not for those who hand in a scorer

    scorer = load_scorer(path)
    try:
        values = scorer.score(WARM, "what failed").values
    except Exception as error:
        raise BundleCorrupt(f"{path}: it loads, but cannot score: {error}") from error
    if not len(values) or not (np.isfinite(values).all() and 0 <= values.min() and values.max() <= 1):
        raise BundleCorrupt(f"{path}: it loads, but its scores are no keep values")
    return scorer


async def use(service: "Service", path: Path) -> Scorer:
    """Put the bundle at ``path`` to use; whatever goes wrong, the one before stays.

    Raises:
        BundleUnusable: If it cannot be loaded; says why.
        SwapInProgress: If another is being loaded.
    """
    try:
        return await service.swap(lambda: load_warm(path))
    except SwapInProgress:
        raise
    except Exception as error:  # a bundle is somebody's files: too long a name, too large a model ...
        if not isinstance(error, BundleError):
            _log.error("bundle not swapped", **where(error))
        raise BundleUnusable(f"{error}; {_stays(service)}") from error


def allowed(named: str, request: Request, folder: Path | None) -> Path:
    """The folder that a request names; what it may name depends on where it comes from.

    Args:
        named: A shipped bundle, a path under ``folder``, or from this machine any absolute path.
        request: Who asks.
        folder: Where others may choose from.

    Raises:
        BundleNotAllowed: If it may not be read for this caller, or is no path, or relative to nothing.
    """
    if "\0" in named or not _spelled(named):
        raise BundleNotAllowed(f"{named!r} can be no path")
    shipped = {path.name: path for path in list_bundles()}
    if named in shipped:
        return shipped[named]
    path = folder / named if folder else Path(named)
    if folder and path.resolve().is_relative_to(folder.resolve()):
        return path
    if not Path(named).is_absolute():
        raise BundleNotAllowed(f"no bundle named {named!r} ships, and a path must be absolute")
    if not is_local(request):
        raise BundleNotAllowed("from another machine only shipped bundles and those under ELISION_BUNDLE_FOLDER can be used")
    return path


def is_local(request: Request) -> bool:
    """Whether the caller is a program on this machine: not a proxy's client, nor a page under another name."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    forwarded = any(name in request.headers for name in _FORWARDED)
    caller = request.client.host if request.client else ""
    return not forwarded and _loopback(caller) and _loopback(host)


def _spelled(path: str) -> bool:
    try:
        return bool(os.fsencode(path))
    except UnicodeEncodeError:
        return False


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def on_hangup(service: "Service") -> Iterator[None]:
    """While this lasts, SIGHUP makes the service look again which bundle is in use.

    One that comes because the terminal was closed still ends it.
    """
    tasks: set[asyncio.Task[None]] = set()  # the loop keeps no reference of its own
    in_terminal = os.isatty(0)

    def hung_up() -> None:
        if in_terminal and not os.isatty(0):
            signal.raise_signal(signal.SIGTERM)
            return
        task = asyncio.ensure_future(_look_again(service))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    with _handled(hung_up):
        yield


@contextmanager
def _handled(call: Callable[[], None]) -> Iterator[None]:
    loop, number = asyncio.get_running_loop(), getattr(signal, "SIGHUP", None)
    handled = False
    # Not on Windows, nor where the loop is not in the main thread.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        if number is not None:
            loop.add_signal_handler(number, call)
            handled = True
    try:
        yield
    finally:
        if handled and number is not None:
            loop.remove_signal_handler(number)


async def _look_again(service: "Service") -> None:
    try:
        found = await asyncio.to_thread(in_use, service.settings.bundle, service.settings.bundle_file)
        await service.swap(lambda: load_warm(found.path), wait=True)
    except Exception as error:
        _log.error("bundle not swapped", reason=f"{error}; {_stays(service)}", **where(error))


def _stays(service: "Service") -> str:
    return f"{service.shortener.scorer.bundle} stays in use" if service.ready else "no other is loaded"
