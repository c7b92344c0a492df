"""A summariser behind HTTP: one call is a few attempts under one deadline, and every failure has a name.

The provider's SDK sends, without retries of its own. Each attempt runs as a task under its own time limit,
so that neither a silent server nor one that drips can hold a caller. An outcome is a value until the last
attempt is over: no error of an SDK, which holds the request and its key, hangs on what is raised.
"""

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from elision.compaction.compact.measure import Usage
from elision.compaction.compact.overflow import silent_overflow
from elision.compaction.summary.types import Failure, SummaryCall, SummaryFailed, SummaryReply
from elision.serving.llm.background import Background, Closed
from elision.serving.llm.endpoint import Endpoint, Pricing, free
from elision.serving.llm.failing import Failed, from_status
from elision.serving.llm.replies import well_formed

if TYPE_CHECKING:
    from typing import Self


class Writer(ABC):
    """What writers have in common. Thread-safe; connects at its first call.

    Attributes:
        endpoint: Where it sits.
    """

    def __init__(self, endpoint: Endpoint, price: Pricing = free) -> None:
        self.endpoint = endpoint
        self._price = price
        self._background = Background()
        self._client: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.endpoint.base_url!r})"

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        return self.endpoint.name

    @property
    def window(self) -> int:
        return self.endpoint.window

    def __call__(self, call: SummaryCall) -> SummaryReply:
        """Write.

        Raises:
            SummaryFailed: If nothing came back in time, or what came is no reply.
        """
        asked = self._fit(call)
        deadline = self.endpoint.patience.deadline
        until = time.monotonic() + (deadline if call.seconds is None else min(deadline, call.seconds))
        try:
            outcome = self._background.run(lambda: self._write(asked, until))
        except Closed:
            outcome = Failed(Failure.NETWORK, "the writer is closed")
        if isinstance(outcome, Failed):
            detail = f"{self.name}: {self.endpoint.hide(outcome.detail)}"
            raise SummaryFailed(outcome.failure, detail, outcome.retry_after)
        return replace(
            outcome, cost=self._price(self.endpoint.model, outcome.input_tokens, outcome.output_tokens)
        )

    def close(self) -> None:
        """End what is under way and give the connections back."""
        self._background.close(self._disconnect)

    @abstractmethod
    def _connect(self) -> Any:
        """The SDK's asynchronous client."""

    @abstractmethod
    async def _send(self, client: Any, call: SummaryCall) -> Any:
        """The HTTP response to one request; its body is read."""

    @abstractmethod
    def _read(self, body: bytes) -> SummaryReply | Failed:
        """What the body of a response under status 200 says."""

    def _adapt(self, refused: Failed) -> bool:
        """Whether the request can be put otherwise, so that it is worth asking at once."""
        return False

    def _fit(self, call: SummaryCall) -> SummaryCall:
        most = min(call.max_tokens, self.endpoint.max_output or call.max_tokens)
        return replace(
            call, system=well_formed(call.system), prompt=well_formed(call.prompt), max_tokens=most
        )

    async def _write(self, call: SummaryCall, until: float) -> SummaryReply | Failed:
        try:
            client = self._connected()
        except Exception as error:
            return self._named(error)
        patience = self.endpoint.patience
        outcome = Failed(Failure.TIMEOUT, "no time was left")
        tries, adapted = 0, False
        while (left := until - time.monotonic()) > 0:
            latest = await self._attempt(client, call, min(patience.timeout, left))
            if isinstance(latest, SummaryReply):
                return latest
            if tries and latest.failure is Failure.TIMEOUT and left < patience.timeout:
                break  # it had only what the others left: theirs is the reason
            outcome = latest
            if not adapted and self._adapt(outcome):
                adapted = True
                continue
            pause = outcome.retry_after
            if pause is None:
                pause = patience.backoff * 2**tries * random.uniform(0.5, 1.0)
            tries += 1
            if not outcome.again or tries > patience.retries or time.monotonic() + pause >= until:
                break
            await asyncio.sleep(pause)
        return outcome

    async def _attempt(self, client: Any, call: SummaryCall, seconds: float) -> SummaryReply | Failed:
        try:
            async with asyncio.timeout(seconds):
                response = await self._send(client, call)
        except TimeoutError:
            return Failed(Failure.TIMEOUT, f"no whole reply in {seconds:.3g} s")
        except Exception as error:
            return self._named(error)
        return self._reply(response.content)

    def _reply(self, body: bytes) -> SummaryReply | Failed:
        limit = self.endpoint.patience.reply_bytes
        if len(body) > limit:
            return Failed(Failure.MALFORMED, f"a reply of more than {limit} bytes")
        reply = self._told(self._read, body)
        # Some providers cut an input that is too long, and answer as if nothing were.
        silent = isinstance(reply, SummaryReply) and silent_overflow(
            Usage(reply.input_tokens, 0, reply.output_tokens), self.window, reply.finish
        )
        return Failed(Failure.OVERFLOW, silent.said) if silent else reply

    def _connected(self) -> Any:
        if self._client is None:
            self._client = self._connect()
        return self._client

    async def _disconnect(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _told(self, read: Callable[[bytes], SummaryReply | Failed], body: bytes) -> SummaryReply | Failed:
        """What a body says; what is told of a failure is taken from the body without the key in it."""
        outcome = read(body)
        if isinstance(outcome, SummaryReply):
            return outcome
        hidden = self.endpoint.hide(body.decode("utf-8", "surrogateescape"))
        told = read(hidden.encode("utf-8", "surrogateescape"))
        return replace(outcome, detail=told.detail if isinstance(told, Failed) else "")

    def _named(self, error: Exception) -> SummaryReply | Failed:
        """What an error means: an SDK's own, or whatever it lets through."""
        import httpx2
        from anyio import EndOfStream

        refusal = getattr(error, "response", None)
        if refusal is not None and hasattr(error, "status_code"):
            now = time.time()
            return self._told(
                lambda body: from_status(refusal.status_code, refusal.headers, body, now), refusal.content
            )
        cause = error.__cause__ or error
        words = " ".join(self.endpoint.hide(str(cause)).split())[:160]
        detail = f"{type(cause).__name__}: {words}"
        if isinstance(cause, (httpx2.RequestError, OSError, EndOfStream)):
            return Failed(Failure.NETWORK, detail, again=True)
        return Failed(Failure.MALFORMED, detail)
