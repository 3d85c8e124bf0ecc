"""A local web site whose pages may change, and which records its requests."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.support.serving import answering
from tests.support.waiting import let_pass

HTML = "text/html"
MOVED = (301, 302, 303, 307, 308)


@dataclass
class Page:
    """The response at an address."""

    text: str = ""
    mime: str = HTML
    status: int = 200
    leads_to: str = ""
    has_etag: bool = True
    modified: str = ""
    body: bytes | None = None
    is_cut: bool = False
    """Whether the connection ends before the page does."""
    hangs: bool = False
    """Whether there is no answer, for as long as somebody waits for one."""
    begins: bytes = b""
    """The status and the headers, byte by byte, if the server is not one that keeps to a standard."""


@dataclass
class Site:
    """Pages by their paths."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    asked: list[str] = field(default_factory=list[str])
    """The requested paths, in order."""
    sent: list[str] = field(default_factory=list[str])
    """The paths that were answered with a body."""
    agents: set[str] = field(default_factory=set[str])
    url: str = ""

    def page(self, path: str, title: str, text: str, *links: str) -> None:
        """Put a page of HTML at a path."""
        anchors = "".join(f'<a class="x" href="{link}">there</a>' for link in links)
        self.pages[path] = Page(
            f"<html lang='en'><head><title>{title}</title><link rel=canonical href='https://evil.example/'></head>"
            f"<body><nav>{anchors}</nav><main><h1>{title}</h1><p>{text}</p></main></body></html>"
        )

    def begin(self) -> None:
        """Clear the records."""
        self.asked.clear()
        self.sent.clear()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer like a server with validators."""
        path = request.path_qs
        self.asked.append(path)
        self.agents.add(request.headers["User-Agent"])
        page = self.pages.get(path)
        if page is None:
            return web.Response(status=404)
        if page.hangs:
            # Longer than anybody waits.
            let_pass(62.0)
            await asyncio.Event().wait()
        if page.leads_to:
            return web.Response(
                status=page.status if page.status in MOVED else 302, headers={"Location": page.leads_to}
            )
        body = page.body if page.body is not None else page.text.encode()
        etag = f'"{hash(body)}"'
        if page.has_etag and request.headers.get("If-None-Match") == etag:
            return web.Response(status=304)
        self.sent.append(path)
        headers = {"Content-Type": page.mime, **({"ETag": etag} if page.has_etag else {})}
        headers |= {"Last-Modified": page.modified} if page.modified else {}
        if page.begins:
            assert request.transport is not None
            request.transport.write(page.begins + body)
            request.transport.close()
        if page.is_cut:
            return await _cut(request, body, headers)
        return web.Response(status=page.status, body=body, headers=headers)


async def _cut(request: web.Request, body: bytes, headers: dict[str, str]) -> web.StreamResponse:
    response = web.StreamResponse(headers={**headers, "Content-Length": str(len(body) + 1)})
    await response.prepare(request)
    await response.write(body)
    assert request.transport is not None
    request.transport.close()
    return response


@asynccontextmanager
async def serving() -> AsyncGenerator[Site]:
    """Serve a site on its own port."""
    site = Site()
    async with answering(site.answer) as site.url:
        yield site
