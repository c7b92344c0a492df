"""Ask one question until it is answered, given up, or not worth its price.

Each attempt is counted here, because each has to be paid for and named in the report. Rate limits
wait as long as the server asks, for all questions at once; server errors, cut connections and silence
wait longer each time. A key that is refused, or a server that stays away, ends the run instead of
failing every chunk in turn.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from elision.training.errors import TeacherUnavailable
from elision.training.labels.answers import Answer, Answers, Question
from elision.training.labels.exchange import (
    AttemptFailed,
    Endpoint,
    Exchange,
    Failure,
    Final,
    Transient,
)
from elision.training.labels.spending import Purse, Tokens, most

if TYPE_CHECKING:
    from tenacity import RetryCallState

GIVE_UP = 5  # questions in a row that failed in every attempt: the server is gone
# Who hung up, or could not read the answer, may have been billed all the same; an error is free.
BILLED = (Failure.TIMEOUT, Failure.CONNECTION, Failure.MALFORMED)
CAPPED = "the next request might cost more than the cap leaves"


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without an answer, and why."""

    failure: Failure
    detail: str


class Asker:
    """Asks questions of one teacher; use as ``async with``.

    Attributes:
        purse: What was spent.
        reused: Answers that were there already.
        retried: Attempts that failed and were followed by another, by why.
        stopped: Why no more is asked; empty while it is.
    """

    def __init__(self, endpoint: Endpoint, known: Answers, purse: Purse) -> None:
        self.endpoint, self.known, self.purse = endpoint, known, purse
        self.exchange = Exchange(endpoint)
        self.reused = 0
        self.retried: Counter[str] = Counter()
        self.stopped = ""
        self._room = asyncio.Semaphore(endpoint.concurrency)
        self._not_before = 0.0
        self._in_a_row = 0
        self._answered = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.exchange.close()

    async def ask(self, question: Question) -> Answer | Unanswered:
        """The answer, from an earlier run if it is known.

        Raises:
            TeacherUnavailable: If the key, the model or the address is refused and nothing was answered yet.
        """
        key = question.key(self.endpoint.model)
        if known := self.known.get(key, self.endpoint.answer_tokens):
            self.reused += 1
            return known
        async with self._room:
            if self.stopped:
                return Unanswered(Failure.NOT_ASKED, self.stopped)
            try:
                answer = await self._persistently(question)
            except AttemptFailed as error:
                self._failed(error)
                return Unanswered(error.failure, error.detail)
            except TeacherUnavailable as error:
                if not self._answered:
                    raise
                self.stopped = str(error)
                return Unanswered(Failure.NOT_ASKED, self.stopped)
            self._answered, self._in_a_row = True, 0
            self.known.put(key, answer)
            return answer

    async def _persistently(self, question: Question) -> Answer:
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

        attempts = AsyncRetrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_attempt(self.endpoint.retries + 1),
            wait=self._wait,
            before_sleep=self._count,
            reraise=True,
        )
        return await attempts(self._once, question)

    async def _once(self, question: Question) -> Answer:
        await asyncio.sleep(self._not_before - time.monotonic())
        held = most(
            f"{question.instruction}{question.chunk}{question.schema or ''}", self.endpoint.answer_tokens
        )
        if self.stopped or not await self.purse.hold(held):
            self.stopped = self.stopped or CAPPED
            raise Final(Failure.NOT_ASKED, self.stopped)
        used: Tokens | None = Tokens()
        try:
            answer = await self.exchange.send(question)
            used = Tokens(answer.asked, answer.answered) if answer.asked else None
            return answer
        except AttemptFailed as error:
            used = None if error.failure in BILLED else Tokens()
            raise
        finally:
            await self.purse.settle(held, used)

    def _failed(self, error: AttemptFailed) -> None:
        if error.failure == Failure.NOT_ASKED:
            return
        self._in_a_row += 1
        if self._in_a_row < GIVE_UP or self.stopped:
            return
        if not self._answered:
            raise TeacherUnavailable(
                f"{self.endpoint.shown} gives no answers: {error.failure}: {error.detail}"
            )
        self.stopped = f"{GIVE_UP} questions in a row went unanswered: {error.failure}: {error.detail}"

    def _wait(self, state: "RetryCallState") -> float:
        from tenacity import wait_random_exponential

        wait = _error(state).wait
        if wait is None:
            return float(wait_random_exponential(multiplier=self.endpoint.backoff, max=60)(state))
        self._not_before = max(self._not_before, time.monotonic() + wait)
        return wait

    def _count(self, state: "RetryCallState") -> None:
        self.retried[_error(state).failure] += 1


def _error(state: "RetryCallState") -> AttemptFailed:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, AttemptFailed)
    return error
