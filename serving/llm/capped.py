"""The beginning of a stream: a server may send without end."""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream


class Capped(AsyncByteStream):
    """The first `limit` bytes of a stream."""

    def __init__(self, stream: AsyncByteStream, limit: int) -> None:
        self._stream, self._limit = stream, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for chunk in self._stream:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                return

    async def aclose(self) -> None:
        """Close the whole stream."""
        await self._stream.aclose()
