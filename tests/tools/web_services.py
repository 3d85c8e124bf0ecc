"""Local servers with the documented shape of SearXNG's and Tavily's API."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.support.serving import served

Behaviour = Literal[
    "answers", "hangs", "drips", "floods", "compresses", "refuses", "is busy", "breaks", "breaks off", "redirects",
    "babbles", "mumbles",
]  # fmt: skip
_MEGABYTE = b"x" * 1_000_000


def page(url: str, title: str, content: str) -> dict[str, Any]:
    """Return a result with the fields of both services."""
    return {"url": url, "title": title, "content": content, "engine": "any", "score": 0.9, "publishedDate": None}


@dataclass
class WebService:
    """A service that says what the test says, and notes what it was asked."""

    pages: list[dict[str, Any]]
    behaviour: Behaviour = "answers"
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""
    accepts: str | None = None
    """The encodings that the last question allowed."""

    @property
    def hangs(self) -> bool:
        """Whether it never comes to an end."""
        return self.behaviour in ("hangs", "drips")

    async def searxng(self, request: web.Request) -> web.StreamResponse:
        self.accepts = request.headers.get("Accept-Encoding")
        self.asked.append(dict(request.query))
        if request.query.get("format") != "json":
            return web.Response(status=403)
        return await self._answer(request, {"query": request.query["q"], "results": self.pages, "answers": []})

    async def tavily(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != "Bearer tvly-local":
            return web.json_response({"detail": {"error": "Unauthorized"}}, status=401)
        self.asked.append(await request.json())
        return await self._answer(request, {"query": self.asked[-1]["query"], "results": self.pages})

    async def _answer(self, request: web.Request, found: dict[str, Any]) -> web.StreamResponse:
        self.is_asked.set()
        if self.behaviour in _STREAMS:
            return await _STREAMS[self.behaviour](request)
        match self.behaviour:
            case "answers" | "babbles":
                return web.json_response(found if self.behaviour == "answers" else {"results": "none"})
            case "compresses":
                body = gzip.compress(json.dumps(found).encode())
                return web.Response(body=body, headers={"Content-Encoding": "gzip"})
            case "redirects":
                return web.HTTPFound("/elsewhere")
            case "mumbles":
                return web.Response(text="<html>Bad gateway</html>", content_type="text/html")
            case _:
                status = {"refuses": 403, "is busy": 429, "breaks": 500}[self.behaviour]
                return web.Response(status=status, headers={"Retry-After": "600"}, text="Traceback")


async def _hanging(_request: web.Request) -> web.StreamResponse:
    """Say nothing, for good."""
    await asyncio.Event().wait()
    raise AssertionError


async def _dripping(request: web.Request) -> web.StreamResponse:
    """Send a byte every now and then, for good."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.05)


async def _broken_off(request: web.Request) -> web.StreamResponse:
    """Send the beginning of a result, and hang up."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"results": [{"url": "https://gov.exa')
    assert request.transport
    request.transport.close()
    return response


async def _flooded(request: web.Request) -> web.StreamResponse:
    """Send 10 MB of a valid result."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"results": [{"url": "https://big.example", "title": "Big", "content": "')
    for _ in range(10):
        await response.write(_MEGABYTE)
    await response.write(b'"}]}')
    return response


_STREAMS: dict[Behaviour, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
    "hangs": _hanging,
    "drips": _dripping,
    "breaks off": _broken_off,
    "floods": _flooded,
}


@asynccontextmanager
async def serving(*pages: dict[str, Any], behaviour: Behaviour = "answers") -> AsyncGenerator[WebService]:
    """Serve both APIs on a port of this machine."""
    service = WebService(list(pages), behaviour)
    app = web.Application()
    app.router.add_get("/search", service.searxng)
    app.router.add_post("/search", service.tavily)
    async with served(app) as service.url:
        yield service
