"""Searches the web by a service that the operator chose: a SearXNG by its address, or Tavily by its key.

Only the service is asked, and no page is fetched: what it quotes of a page is the result.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias, cast

import httpx
import structlog
from pydantic import BaseModel

from bot.errors import SettingsError
from bot.links import host_of
from bot.settings import TAVILY, Settings
from graph.text.credentials import redacted
from graph.text.invisible import in_one_line, visible
from graph.tools import LONGEST_RESULT, ToolError, ToolResult

SECONDS: Final = 5.0
"""The time limit of a search."""
MOST: Final = 5
"""Pages of one search that an answer may rest on."""
LARGEST: Final = 1_000_000
"""Bytes of a response."""
_LONGEST_HEADING: Final = 150

Ask: TypeAlias = Callable[[str], Awaitable[object]]
"""Returns a service's JSON for a query, or raises."""
Vouched: TypeAlias = Callable[[str], str | None]
"""Returns an address if people may click it."""


class _Page(BaseModel):
    url: str
    title: str | None = None
    content: str | None = None


class _Pages(BaseModel):
    results: list[_Page]


class WebSearch:
    """Searches the web (`graph.context.WebSearcher`)."""

    def __init__(self, ask: Ask, vouched: Vouched, *, seconds: float = SECONDS) -> None:
        self._ask = ask
        self._vouched = vouched
        self._seconds = seconds

    async def search(self, query: str) -> list[ToolResult]:
        """Return up to five pages, best first. Raises `ToolError`, whatever the service does."""
        try:
            async with asyncio.timeout(self._seconds):
                found = _Pages.model_validate(await self._ask(query))
        except Exception as error:
            structlog.get_logger().warning("web_not_searched", reason=type(error).__name__)
            raise ToolError("The web was not searched.") from error
        results = [result for page in found.results if (result := self._result(page))]
        structlog.get_logger().info("web_searched", pages=len(found.results), usable=len(results))
        return results[:MOST]

    def _result(self, page: _Page) -> ToolResult | None:
        """Return a page as a result; `None` if it has no web address or no text."""
        host, text = host_of(page.url), visible(page.content or "").strip()
        if not (host and text):
            return None
        result = ToolResult(
            title=f"Web: {host}, read today",
            heading=in_one_line(page.title or "")[:_LONGEST_HEADING],
            text=redacted(text)[:LONGEST_RESULT],
        )
        if url := self._vouched(page.url):
            result["url"] = url
        return result


@asynccontextmanager
async def opened_web(settings: Settings, vouched: Vouched) -> AsyncGenerator[WebSearch | None]:
    """Open the search that is set, if one is. Raises `SettingsError` if its library is not installed."""
    if settings.web_search is None:
        yield None
        return
    # Redirects are not followed. With a transport of its own, the client uses no proxy of the environment.
    async with httpx.AsyncClient(
        transport=httpx.AsyncHTTPTransport(),
        timeout=SECONDS,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bound]},
    ) as http:
        if settings.web_search == TAVILY and settings.tavily_api_key:
            ask = tavily(settings.tavily_api_key.get_secret_value(), http)
        else:
            ask = searxng(settings.web_search, http)
        yield WebSearch(ask, vouched)


def searxng(address: str, http: httpx.AsyncClient) -> Ask:
    """Return what asks a SearXNG for JSON, which its `settings.yml` must allow."""

    async def ask(query: str) -> object:
        response = await http.get(f"{address.rstrip('/')}/search", params={"q": query, "format": "json"})
        return response.raise_for_status().json()

    return ask


def tavily(key: str, http: httpx.AsyncClient, *, address: str | None = None) -> Ask:
    """Return what asks Tavily by its own library. Raises `SettingsError` if it is not installed."""
    try:
        from tavily import AsyncTavilyClient  # noqa: PLC0415 - It takes a second, and few use it.
    except ImportError as error:
        raise SettingsError("ASKBACK_WEB_SEARCH=tavily needs a library: pip install 'askback[tavily]'.") from error
    client = cast("Any", AsyncTavilyClient)(key, api_base_url=address, client=http)

    async def ask(query: str) -> object:
        return await client.search(query, search_depth="basic", max_results=MOST)

    return ask


async def _bound(response: httpx.Response) -> None:
    # The size of a compressed response says nothing.
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise httpx.DecodingError("The response is compressed.", request=response.request)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = _Bounded(response.stream)


class _Bounded(httpx.AsyncByteStream):
    """A stream that ends in an error if it is too large."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > LARGEST:
                raise httpx.ReadError("The response is too large.")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
