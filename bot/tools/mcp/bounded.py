"""An HTTP client for servers: it reads an answer only up to a limit.

The SDK has a limit for events, and none for an answer in plain JSON.
"""

from collections.abc import AsyncIterator, Mapping

from httpx2 import AsyncByteStream, AsyncClient, Response, StreamError
from mcp.shared._httpx_utils import create_mcp_http_client

from bot.tools.mcp.watchdog import LONGEST_LINE


def bounded_client(headers: Mapping[str, str]) -> AsyncClient:
    """Return the SDK's client, which stops reading an answer at the limit of a process's answer.

    The SDK takes the error for an answer that it cannot read, so that it costs only its own call.
    """
    # A few compressed bytes may become any number.
    client = create_mcp_http_client(headers={**headers, "Accept-Encoding": "identity"})
    client.event_hooks["response"].append(_bound)
    return client


async def _bound(response: Response) -> None:
    is_plain = response.headers.get("Content-Encoding", "identity").lower() == "identity"
    is_stream_of_events = response.headers.get("Content-Type", "").lower().startswith("text/event-stream")
    if isinstance(response.stream, AsyncByteStream) and not (is_plain and is_stream_of_events):
        response.stream = _Bounded(response.stream, limit=LONGEST_LINE if is_plain else 0)


class _Bounded(AsyncByteStream):
    """A stream that ends in an error behind its limit."""

    def __init__(self, stream: AsyncByteStream, *, limit: int) -> None:
        self._stream = stream
        self._left = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self._left -= len(piece)
            if self._left < 0:
                raise StreamError("The answer is too long, or compressed.")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
