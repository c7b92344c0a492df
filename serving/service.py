"""What the routes call: the loaded scorer and the way of a request through the pool."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from starlette.requests import Request

from elision.compaction.compress import DEADLINE
from elision.compaction.decisions import compress_once, original_of
from elision.compaction.errors import DeadlineExceeded
from elision.compaction.pins.text import compile_pins
from elision.compaction.store import handle_of
from elision.compaction.summary.types import Summariser
from elision.compaction.tokens import counter, for_model
from elision.compaction.types import Budget, Compressed, Order
from elision.model.types import Scorer
from elision.serving.compacting.service import Compactions
from elision.serving.compacting.sessions import Sessions
from elision.serving.compacting.writers import writers_of
from elision.serving.errors import NotReady, SwapInProgress
from elision.serving.fail_open import Shortener
from elision.serving.logging import get_logger, where
from elision.serving.metrics import Metrics
from elision.serving.pool import Pool
from elision.serving.schemas import CompressText
from elision.serving.settings import NO_STORE, Settings
from elision.serving.stores import open_stores

# In the place of bundle and runner in the keys of decisions: an agent resends its history whole, and
# what an old message became must stand when the bundle is swapped.
DECIDES_AS = "service"
_log = get_logger()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment; `tick` raises once it has passed."""

    at: float

    def tick(self) -> None:
        if time.monotonic() >= self.at:
            raise DeadlineExceeded("the time for this request is over")

    @property
    def seconds(self) -> float:
        return max(0.0, self.at - time.monotonic())


class Service:
    """One per app; its methods run on the event loop, its work in the pool."""

    def __init__(
        self, settings: Settings, scorer: Scorer | None, writers: Sequence[Summariser] | None = None
    ) -> None:
        self.settings = settings
        self.stores = open_stores(settings)
        self.metrics = Metrics()
        self.pool = Pool(settings.workers, settings.queue_limit)
        self.metrics.running.set_function(lambda: self.pool.requests)
        self._counter = counter(settings.encoding)
        self._shortener: Shortener | None = None
        self._waiting_for = "the scorer is loading"
        self._loading = asyncio.Lock()
        self.compactions = Compactions(self, writers_of(settings) if writers is None else writers)
        self.sessions = Sessions(self)
        if scorer is not None:
            self._use(scorer)

    @property
    def ready(self) -> bool:
        """Whether texts can be shortened."""
        return self._shortener is not None

    @property
    def shortener(self) -> Shortener:
        """What shortens.

        Raises:
            NotReady: If its scorer is not loaded; says why.
        """
        if self._shortener is None:
            raise NotReady(self._waiting_for)
        return self._shortener

    async def load(self, load: Callable[[], Scorer]) -> None:
        """Load the scorer; until then, and if that fails, the service says it is not ready."""
        try:
            await self.swap(load)
        except Exception as error:
            self._waiting_for = f"the scorer could not be loaded: {error}"
            _log.error("scorer not loaded", reason=str(error), **where(error))

    async def swap(self, load: Callable[[], Scorer], *, wait: bool = False) -> Scorer:
        """Load a scorer and give it to every request that begins after; those that run keep theirs.

        Whatever ``load`` raises is passed on, and nothing has changed then.

        Args:
            load: Called in a thread.
            wait: Let a load that is under way come to its end first.

        Raises:
            SwapInProgress: If one is under way, and there is to be no waiting.
        """
        if self._loading.locked() and not wait:
            raise SwapInProgress("another bundle is being loaded, ask again when it is in use")
        async with self._loading:
            scorer = await asyncio.to_thread(load)
            self._use(scorer)
        _log.info("scorer loaded", bundle=scorer.bundle, runner=scorer.runner)
        return scorer

    @contextmanager
    def admit(self) -> Iterator[Deadline]:
        """Take a request on, before its body is read; its time begins here.

        Raises:
            NotReady: If there is no scorer.
            Overloaded: If too many requests are waiting.
        """
        if not self.ready:
            raise NotReady(self._waiting_for)
        with self.pool.slot():
            yield Deadline(time.monotonic() + self.settings.deadline_seconds)

    async def compress(self, asked: CompressText, tenant: str, deadline: Deadline) -> list[Compressed]:
        """Shorten each text; one that is not done in time comes back as it was."""
        shortener, order = await self.shortener_for(asked.model), self._order(asked)
        once = partial(
            compress_once,
            order=order,
            shorten=partial(shortener.shorten, tick=deadline.tick),
            store=self.stores.scope(tenant, asked.session_id or ""),
            made_by=shortener.made_by,
        )
        found = await self.pool.run([partial(once, text) for text in asked.all], deadline.seconds)
        results = [
            await asyncio.to_thread(shortener.untouched, text, order, DEADLINE) if result is None else result
            for text, result in zip(asked.all, found, strict=True)
        ]
        for result in results:
            self.metrics.shortened(result.receipt)
        return results

    @property
    def keeps(self) -> bool:
        """Whether originals can be had back."""
        return self.settings.store != NO_STORE

    def handle(self, asked: CompressText, text: str, result: Compressed) -> str | None:
        """Where the original of a text can be had, if it changed and there is a store."""
        keeps = self.keeps and result.receipt.changed
        return handle_of(original_of(text, self._order(asked))) if keeps else None

    async def shortener_for(self, model: str | None) -> Shortener:
        """What shortens, counting the tokens of a reading model if one is named.

        Raises:
            NotReady: If its scorer is not loaded; says why.
        """
        if not model:
            return self.shortener
        # In a thread: an encoding's first use reads megabytes.
        return replace(self.shortener, counter=await asyncio.to_thread(for_model, model))

    def close(self) -> None:
        """Let the running jobs end."""
        self.pool.close()
        self.compactions.close()
        self.sessions.close()
        self.stores.close()

    def _use(self, scorer: Scorer) -> None:
        self._shortener = Shortener(scorer, self._counter, _report, DECIDES_AS)
        self.metrics.loaded(scorer)

    def _order(self, asked: CompressText) -> Order:
        floor = self.settings.floor_tokens if asked.floor_tokens is None else asked.floor_tokens
        budget = Budget.asked(asked.keep_ratio, asked.target_tokens, floor)
        return Order(
            budget,
            query=asked.query or "",
            asked=bool(asked.query),
            pins=compile_pins(asked.pins or []),
            clean=asked.clean,
            redact=asked.redact,
            clip=asked.overflow == "clip",
        )


def service_of(request: Request) -> Service:
    """The service of the app that a request came to."""
    service: Service = request.app.state.service
    return service


def _report(error: BaseException) -> None:
    _log.error("text returned as it came", reason="internal_error", **where(error))
