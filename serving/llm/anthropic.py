"""A writer behind Anthropic's messages, by the official SDK."""

from typing import TYPE_CHECKING, Any

from elision.compaction.summary.types import SummaryCall, SummaryReply
from elision.serving.llm.failing import Failed
from elision.serving.llm.http import http_client
from elision.serving.llm.replies import read_anthropic
from elision.serving.llm.writer import Writer

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

VERSION = "2023-06-01"
BASE_URL = "https://api.anthropic.com"


class AnthropicWriter(Writer):
    """Writes by messages."""

    def _connect(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(
            # The SDK adds the version itself; many write it all the same.
            base_url=self.endpoint.base_url.rstrip("/").removesuffix("/v1"),
            api_key=self.endpoint.key or "none",  # else the client takes the environment's, or a profile's
            max_retries=0,
            open_telemetry=False,
            http_client=http_client(self.endpoint, {"anthropic-version": VERSION}),
        )

    async def _send(self, client: "AsyncAnthropic", call: SummaryCall) -> Any:
        from anthropic import omit

        raw = await client.messages.with_raw_response.create(
            model=self.endpoint.model,
            max_tokens=call.max_tokens,
            system=call.system or omit,
            messages=[{"role": "user", "content": call.prompt}],
            timeout=self.endpoint.patience.timeout,  # else the SDK refuses a long max_tokens without streaming
        )
        return raw.http_response

    def _read(self, body: bytes) -> SummaryReply | Failed:
        return read_anthropic(body)
