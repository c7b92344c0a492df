"""A writer behind any server that speaks OpenAI's chat completions, by the official SDK."""

from typing import TYPE_CHECKING, Any

from elision.compaction.summary.types import Failure, SummaryCall, SummaryReply
from elision.serving.llm.endpoint import Endpoint, Pricing, free
from elision.serving.llm.failing import Failed
from elision.serving.llm.http import http_client
from elision.serving.llm.replies import read_openai
from elision.serving.llm.writer import Writer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

BASE_URL = "https://api.openai.com/v1"
_OLD, _NEW = "max_tokens", "max_completion_tokens"


class OpenAIWriter(Writer):
    """Writes by chat completions."""

    def __init__(self, endpoint: Endpoint, price: Pricing = free) -> None:
        super().__init__(endpoint, price)
        # Servers know the older name; OpenAI's newer models refuse it, and say which they want.
        self._room = _OLD

    def _connect(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key or "none",  # else the client takes the environment's
            max_retries=0,
            http_client=http_client(self.endpoint),
        )

    async def _send(self, client: "AsyncOpenAI", call: SummaryCall) -> Any:
        system = [{"role": "system", "content": call.system}] if call.system else []
        raw = await client.chat.completions.with_raw_response.create(
            model=self.endpoint.model,
            messages=[*system, {"role": "user", "content": call.prompt}],  # type: ignore[list-item]
            extra_body={self._room: call.max_tokens},
        )
        return raw.http_response

    def _adapt(self, refused: Failed) -> bool:
        if refused.failure is not Failure.UNAVAILABLE or _NEW not in refused.detail:
            return False
        self._room = _NEW
        return True

    def _read(self, body: bytes) -> SummaryReply | Failed:
        return read_openai(body)
