"""One attempt to ask an LLM behind an OpenAI-compatible URL: an answer, or an error named for what it means.

The official client sends it, without retries of its own: who asks decides what another attempt is
worth. Servers differ in what they take, so a parameter that one names as wrong is left out or spelled
the newer way from then on.
"""

import asyncio
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from elision.training.errors import TeacherUnavailable
from elision.training.labels.answers import Answer, Question

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

LONGEST_WAIT = 300.0  # seconds, whatever a server asks for
_OPTIONAL = ("temperature", "response_format")


class Failure(StrEnum):
    """Why an attempt brought no answer."""

    RATE_LIMITED = "rate limited"
    SERVER = "server error"
    CONNECTION = "connection failed"
    TIMEOUT = "no answer in time"
    REFUSED = "request refused"
    MALFORMED = "not an answer of this API"
    NOT_ASKED = "not asked"


class AttemptFailed(Exception):
    """An attempt brought no answer.

    Attributes:
        failure: Why.
        detail: What the server or the network said.
        wait: Seconds the server asks to wait, if it does.
    """

    def __init__(self, failure: Failure, detail: str, wait: float | None = None) -> None:
        super().__init__(failure, detail)
        self.failure, self.detail, self.wait = failure, detail, wait


class Transient(AttemptFailed):
    """Another attempt may succeed."""


class Final(AttemptFailed):
    """Asking this again would not help."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how to ask.

    Attributes:
        url: Base URL, such as ``http://127.0.0.1:8080/v1``.
        model: Name of the model there.
        key: API key; empty for none.
        timeout: Seconds that one attempt may take.
        retries: Attempts after the first.
        backoff: Seconds before the second attempt, at most; twice as long before each further one.
        concurrency: Requests under way at once.
        temperature: Of the sampling; LLMLingua-2 takes 0.3.
        answer_tokens: Most tokens of one answer.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 1.0
    concurrency: int = 4
    temperature: float = 0.3
    answer_tokens: int = 4096

    @property
    def shown(self) -> str:
        """The URL without a name, password or query, for messages and reports."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class Exchange:
    """A connection to one teacher.

    Attributes:
        sent: Requests sent.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.sent = 0
        self._left_out: set[str] = set()
        self._client = _client(endpoint)

    async def close(self) -> None:
        await self._client.close()

    async def send(self, question: Question) -> Answer:
        """Ask once.

        Raises:
            Transient: If the next attempt may succeed.
            Final: If it will not, for this question.
            TeacherUnavailable: If it will not for any.
        """
        from openai import APIError

        while True:
            self.sent += 1
            params = self._params(question)
            try:
                async with asyncio.timeout(self.endpoint.timeout):
                    completion = await self._client.chat.completions.create(**params)
            except TimeoutError as error:
                raise Transient(Failure.TIMEOUT, f"none in {self.endpoint.timeout:g} s") from error
            except ValueError as error:  # status 200, and no JSON
                raise Final(Failure.MALFORMED, str(error)[:120]) from error
            except APIError as error:
                if not self._adapted(error, params):
                    raise self._named(error) from error
            else:
                return _answer(completion, self.endpoint.answer_tokens)

    def _params(self, question: Question) -> dict[str, Any]:
        room = "max_completion_tokens" if "max_tokens" in self._left_out else "max_tokens"
        params: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [
                {"role": "system", "content": question.instruction},
                {"role": "user", "content": question.chunk},
            ],
            "temperature": self.endpoint.temperature,
            room: self.endpoint.answer_tokens,
        }
        if question.schema is not None:
            schema = {"name": "labels", "strict": False, "schema": question.schema}
            params["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {name: value for name, value in params.items() if name not in self._left_out}

    def _adapted(self, error: "APIError", params: dict[str, Any]) -> bool:
        """Whether the server named a parameter it does not take, so that it is worth asking without."""
        message = str(error) if getattr(error, "status_code", 0) in (400, 422) else ""
        wrong = [name for name in _OPTIONAL if name in params and name in message]
        if "max_tokens" in params and "max_completion_tokens" in message:
            wrong.append("max_tokens")
        self._left_out.update(wrong)
        return bool(wrong)

    def _named(self, error: "APIError") -> Exception:
        """What an error of the client means here; the key never stands in its text."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        detail = " ".join(str(error).split())[:300]
        detail = detail.replace(self.endpoint.key, "***") if self.endpoint.key else detail
        if isinstance(error, APITimeoutError):
            return Transient(Failure.TIMEOUT, f"none in {self.endpoint.timeout:g} s")
        if isinstance(error, APIConnectionError):
            return Transient(Failure.CONNECTION, f"{detail} ({type(error.__cause__).__name__})")
        if not isinstance(error, APIStatusError):
            return Final(Failure.MALFORMED, detail)
        code, wait = error.status_code, _asked_wait(error.response.headers)
        if code in (401, 403, 404) or error.code == "insufficient_quota":
            return TeacherUnavailable(
                f"{self.endpoint.shown} answers {code} for {self.endpoint.model}: {detail}"
            )
        if code == 429:
            return Transient(Failure.RATE_LIMITED, detail, wait)
        if code in (408, 409) or code >= 500:
            return Transient(Failure.SERVER, detail, wait)
        return Final(Failure.REFUSED, detail)


def _client(endpoint: Endpoint) -> "AsyncOpenAI":
    """The official client, which tells the server nothing of the environment: that is for OpenAI, not for any server."""
    from openai import AsyncOpenAI

    class Client(AsyncOpenAI):
        @property
        def default_headers(self) -> dict[str, Any]:
            """Without organization, project and OPENAI_CUSTOM_HEADERS, which the client would add."""
            json_type = "application/json"
            return {"Accept": json_type, "Content-Type": json_type, "User-Agent": self.user_agent}

    return Client(
        base_url=endpoint.url,
        api_key=endpoint.key or "none",  # else the client would take the environment's
        timeout=endpoint.timeout,
        max_retries=0,
    )


def _answer(completion: Any, room: int) -> Answer:
    """The first choice; a server or a proxy may send anything under status 200."""
    choices = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if choice is None or message is None:
        raise Final(Failure.MALFORMED, " ".join(str(completion).split())[:120])
    usage = getattr(completion, "usage", None)
    return Answer(
        text=message.content if isinstance(message.content, str) else "",
        finish=str(choice.finish_reason or ""),
        refusal=str(getattr(message, "refusal", None) or ""),
        asked=int(getattr(usage, "prompt_tokens", None) or 0),
        answered=int(getattr(usage, "completion_tokens", None) or 0),
        room=room,
    )


def _asked_wait(headers: Any) -> float | None:
    """Seconds that a server asks to wait: a number, or a date."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = float(headers["retry-after"])
    except KeyError:
        return None
    except ValueError:
        try:
            seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
        except (KeyError, ValueError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None
