"""An event loop in a thread of its own, for callers that have none.

Only a task can be stopped at any point: while a name is looked up, a key is exchanged, or a reply drips
in byte by byte. A blocking read cannot. So calls that wait for a provider run here, whole, under one
time limit, and the caller's thread waits for the outcome.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")
_LEAVES_WITHIN = 5.0  # seconds that a closing waits for its thread


class Closed(Exception):
    """There is no loop any more."""


class Background:
    """The loop; starts at its first call. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._closed = False

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do the work there and wait for it; if the caller is interrupted, so is the work.

        Raises:
            Closed: If the loop is closed, or is while the work is under way.
        """
        with self._lock:  # what is handed over before the end is known there when it comes
            if self._closed:
                raise Closed
            future = asyncio.run_coroutine_threadsafe(work(), self._started())
        try:
            return future.result()
        except CancelledError:
            raise Closed from None
        except BaseException:
            future.cancel()
            raise

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Stop what is under way, do the last work, and end; a second time nothing is done."""
        with self._lock:
            loop, thread = (None, None) if self._closed else (self._loop, self._thread)
            self._closed = True
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_end(last), loop)
        thread.join(_LEAVES_WITHIN)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = loop = asyncio.new_event_loop()
            self._thread = Thread(target=_serve, args=(loop,), name="elision-llm", daemon=True)
            self._thread.start()
        return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _end(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await last()
        await asyncio.get_running_loop().shutdown_asyncgens()
    finally:
        asyncio.get_running_loop().stop()
