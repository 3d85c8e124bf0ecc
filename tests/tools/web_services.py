"""Local servers with the documented shape of SearXNG's and Tavily's API."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Behaviour = Literal["answers", "hangs", "floods", "compresses", "refuses", "redirects", "babbles"]
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
    url: str = ""

    async def searxng(self, request: web.Request) -> web.StreamResponse:
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
        match self.behaviour:
            case "answers":
                return web.json_response(found)
            case "hangs":
                await asyncio.Event().wait()
                raise AssertionError
            case "floods":
                return await _flooded(request)
            case "compresses":
                body = gzip.compress(json.dumps(found).encode())
                return web.Response(body=body, headers={"Content-Encoding": "gzip"})
            case "refuses":
                return web.Response(status=403)
            case "redirects":
                return web.HTTPFound("/elsewhere")
            case "babbles":
                return web.json_response({"results": "none"})


async def _flooded(request: web.Request) -> web.StreamResponse:
    """Send 10 MB of a valid result."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"results": [{"url": "https://big.example", "title": "Big", "content": "')
    for _ in range(10):
        await response.write(_MEGABYTE)
    await response.write(b'"}]}')
    return response


@asynccontextmanager
async def serving(*pages: dict[str, Any], behaviour: Behaviour = "answers") -> AsyncGenerator[WebService]:
    """Serve both APIs on a port of this machine."""
    service = WebService(list(pages), behaviour)
    app = web.Application()
    app.router.add_get("/search", service.searxng)
    app.router.add_post("/search", service.tavily)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        service.url = f"http://{host}:{port}"
        yield service
    finally:
        await runner.cleanup()
