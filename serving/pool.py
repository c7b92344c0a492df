"""Scoring off the event loop, under its own limits.

A request holds a slot from before its body is read, and brings one job per text. Jobs run on a
few threads; requests beyond a limit are turned away at once, and one whose time is over gets
what is done by then.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from elision.serving.errors import Overloaded

T = TypeVar("T")


class Pool:
    """A bounded thread pool. Its methods are called from one event loop."""

    def __init__(self, workers: int, queue_limit: int) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="elision-score")
        self._limit = workers + queue_limit
        self.requests = 0

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Count a request as running or waiting.

        Raises:
            Overloaded: If as many as allowed do.
        """
        if self.requests >= self._limit:
            raise Overloaded(f"{self.requests} requests are running or waiting, the limit is {self._limit}")
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1

    async def run(self, jobs: Sequence[Callable[[], T]], seconds: float) -> list[T | None]:
        """Run the jobs of one request; ``None`` stands for one not done after ``seconds``.

        A job that has not begun by then never will; one that has must end by itself.
        """
        if not jobs:
            return []
        loop = asyncio.get_running_loop()
        # Each job gets the request's context, so that its log lines carry the request id.
        futures = [
            loop.run_in_executor(self._executor, contextvars.copy_context().run, job) for job in jobs
        ]
        done, late = await asyncio.wait(futures, timeout=seconds)
        for future in late:
            future.cancel()
        return [future.result() if future in done else None for future in futures]

    def close(self) -> None:
        """Wait for the running jobs and drop the waiting ones."""
        self._executor.shutdown(wait=True, cancel_futures=True)
