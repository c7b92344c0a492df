"""What compacts in a service: its writers, its breaker, and the way of a history through its threads.

A summary waits for somebody else's server, so it has threads of its own: those that score texts are never
held up by it. Two requests that ask for the same thing at the same time get one answer.
"""

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from elision.compaction.compact.types import CompactedHistory, Means
from elision.compaction.decisions import Shorten
from elision.compaction.store import Store
from elision.compaction.summary.breaker import Breaker
from elision.compaction.summary.types import Summariser
from elision.compaction.types import TokenCounter
from elision.serving.compacting.jobs import Job, job_of, read_asked
from elision.serving.compacting.schemas import PlanCompaction
from elision.serving.errors import NotReady
from elision.serving.pool import Pool

if TYPE_CHECKING:
    from elision.serving.service import Service

T = TypeVar("T")
_GRACE = 30.0  # seconds that a compaction has besides those of its summary


class Compactions:
    """The compactions of a service; its methods run on the event loop, its work in threads."""

    def __init__(self, service: "Service", writers: Sequence[Summariser]) -> None:
        settings = service.settings
        self._service = service
        self._writers = tuple(writers)
        self._seconds = settings.summary_seconds
        self._breaker = Breaker(time.monotonic)
        self._pool = Pool(settings.compactions, settings.queue_limit)
        self._running: dict[str, asyncio.Task[CompactedHistory]] = {}
        self._closing = threading.Event()

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Take a request on, before its body is read.

        Raises:
            NotReady: If there is no scorer.
            Overloaded: If too many requests are waiting.
        """
        self._service.shortener  # noqa: B018 - raises if there is none
        with self._pool.slot():
            yield

    async def job(self, raw: str, asked: PlanCompaction, tenant: str) -> Job:
        """Read a request; raises as `read_asked` and `job_of` do."""
        conversation = await asyncio.to_thread(read_asked, raw, asked)
        means = await self.means(asked.model or conversation.model, tenant, asked.session_id or "")
        return await asyncio.to_thread(job_of, conversation, asked, means)

    async def means(self, model: str | None, tenant: str, session: str, lives: float = 0.0) -> Means:
        """What is at hand for a tenant, whose session lives that many seconds if nobody uses it."""
        shortener = await self._service.shortener_for(model)
        store = self._service.stores.scope(tenant, session, lives)
        return means_of(
            shortener.counter,
            store,
            shortener.shorten,
            shortener.made_by,
            self._writers,
            self._breaker,
            tenant,
            self._wait,
        )

    async def run(self, job: Job) -> CompactedHistory:
        """Compact one history.

        Raises:
            BudgetTooSmall: If what may not be lost does not fit into the target.
            NotReady: If it takes far longer than a summary may.
        """
        return await self.threaded(self.timed(job).run)

    def timed(self, job: Job) -> Job:
        """A job whose summary has to be there in the time that the settings give it, from now on."""
        return replace(job, means=replace(job.means, deadline=time.monotonic() + self._seconds))

    async def threaded(self, work: Callable[[], T], tries: int = 1) -> T:
        """What ``work`` gives, in a thread of its own.

        Args:
            tries: How many summaries it may take.

        Raises:
            NotReady: If it takes far longer than they may. The thread goes on, and has to be told.
        """
        (done,) = await self._pool.run([work], tries * self._seconds + _GRACE)
        if done is None:
            raise NotReady("the compaction took too long; history is unchanged")
        return done

    async def once(
        self, raw: str, asked: PlanCompaction, tenant: str, run: Callable[[], Awaitable[CompactedHistory]]
    ) -> CompactedHistory:
        """What ``run`` gives; of requests that are alike and come together, one runs for all."""
        # Not by pydantic's own JSON, which takes no lone surrogates.
        fields = json.dumps(asked.model_dump(exclude={"body"}))
        spelled = "\0".join([tenant, fields, raw])
        key = hashlib.sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.ensure_future(run())
            task.add_done_callback(lambda _: self._running.pop(key, None))
        # Who hangs up must not take the others' answer away.
        return await asyncio.shield(task)

    def _wait(self, seconds: float) -> None:
        """Wait for a writer's sake, unless all ends."""
        self._closing.wait(seconds)

    def close(self) -> None:
        """Let the writers go, which frees who waits for them, and then the running ones end."""
        self._closing.set()
        for writer in self._writers:
            close = getattr(writer, "close", None)
            if close:
                close()
        self._pool.close()


def means_of(
    counter: TokenCounter,
    store: Store,
    shorten: Shorten | None = None,
    made_by: str = "",
    writers: Sequence[Summariser] = (),
    breaker: Breaker | None = None,
    tenant: str = "",
    sleep: Callable[[float], None] = time.sleep,
) -> Means:
    """What a compaction is handed at the edge, where there are clocks."""
    return Means(
        counter=counter,
        store=store,
        shorten=shorten,
        made_by=made_by,
        writers=writers,
        breaker=breaker,
        clock=time.monotonic,
        sleep=sleep,
        tenant=tenant,
    )
