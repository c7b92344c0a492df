"""The HTTP client under both SDKs: what it may send, and how much it may read.

The SDKs add headers from the environment (organisation, project, custom ones) and about the machine. None
of that is for whatever server a writer is pointed at, so each request leaves with the headers named here
and no others. A redirect is not followed: it would carry the transcript to another place.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from elision.serving.llm.endpoint import Endpoint

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

ERROR_BYTES = 64 * 1024
"""As much of an error's body is read."""

_FRAMING = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_UNSENT = "unsent"


def http_client(endpoint: Endpoint, api: Mapping[str, str] = MappingProxyType({})) -> "AsyncClient":
    """A client for one endpoint.

    Args:
        endpoint: Where, and how much is read: one byte more than ``reply_bytes``, so that a reply that is too
            long is seen to be.
        api: Headers that its API asks for, beside the key.
    """
    from httpx2 import AsyncByteStream, AsyncClient, Timeout

    from elision.serving.llm.capped import Capped

    bearer = {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    headers = {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # a packed reply may be a thousand times as long as what was sent
        "user-agent": "elision",
        **bearer,
        **api,
        **endpoint.headers,
    }

    async def only_these(request: "Request") -> None:
        # The SDK looks for its own headers again when the response is there.
        request.extensions[_UNSENT] = {
            name: request.headers.pop(name) for name in {*request.headers} - _FRAMING
        }
        request.headers.update(headers)

    async def not_too_long(response: "Response") -> None:
        response.request.headers.update(response.request.extensions.pop(_UNSENT, {}))
        response.headers.pop("content-encoding", None)  # nobody asked for one, and none is unpacked
        assert isinstance(response.stream, AsyncByteStream)
        limit = endpoint.patience.reply_bytes + 1 if response.is_success else ERROR_BYTES
        response.stream = Capped(response.stream, limit)

    return AsyncClient(
        timeout=Timeout(None, connect=endpoint.patience.connect),
        follow_redirects=False,
        trust_env=not endpoint.is_local,
        event_hooks={"request": [only_these], "response": [not_too_long]},
    )
