"""A local server with the documented shapes of Notion's API: search, pages, and the blocks in them."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from aiohttp import web

from bot.knowledge.connectors.notion.client import VERSION
from tests.support.serving import answering

TOKEN = "ntn_1234567890abcdefghijklmnopqrstuvwxyz"  # pragma: allowlist secret


def rich(text: str, *, href: str | None = None, code: bool = False) -> dict[str, Any]:
    """Return a part of a text, as the API has it."""
    return {
        "type": "text",
        "text": {"content": text, "link": {"url": href} if href else None},
        "annotations": {
            "bold": False,
            "italic": False,
            "strikethrough": False,
            "underline": False,
            "code": code,
            "color": "default",
        },
        "plain_text": text,
        "href": href,
    }


def block(kind: str, text: str | list[dict[str, Any]] = "", *inside: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a block. The blocks in it are under `inside`, which the API never sends."""
    parts = [rich(text)] if isinstance(text, str) else text
    about = {"rich_text": parts, **more} if text else more
    return {"object": "block", "type": kind, kind: about, "inside": list(inside)}


def row(*cells: str) -> dict[str, Any]:
    """Return a row of a table."""
    return block("table_row", cells=[[rich(cell)] for cell in cells])


@dataclass
class Page:
    """A page."""

    title: str
    blocks: list[dict[str, Any]]
    edited: str = "2026-11-20T09:00:00.000Z"
    in_trash: bool = False
    is_listed: bool = True
    is_shared: bool = True
    properties: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class NotionSite:
    """Pages by their titles, the requests, and how the next ones fail."""

    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    asked: list[str] = field(default_factory=list[str])
    """Method and path of each request, in order."""
    times: list[float] = field(default_factory=list[float])
    """When each request came."""
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list[tuple[int, dict[str, str]]])
    """The status and the headers of the next answers."""
    broken: dict[str, int] = field(default_factory=dict[str, int])
    """The status for every request of a path."""
    largest_part: int = 100
    most_lists: int = 1000
    """Later ones are forbidden."""
    hangs_at: str = ""
    """A path whose requests are not answered."""
    token: str = TOKEN
    url: str = ""

    def page(self, title: str, *blocks: dict[str, Any] | str, edited: str = "2026-11-20T09:00:00.000Z") -> Page:
        """Put a page."""
        made = [block("paragraph", one) if isinstance(one, str) else one for one in blocks]
        self.pages[title] = Page(title, made, edited=edited)
        return self.pages[title]

    def begin(self) -> None:
        """Clear the records."""
        self.asked.clear()

    async def answer(self, request: web.Request) -> web.Response:
        """Answer like Notion."""
        self.asked.append(f"{request.method} {request.path}")
        self.times.append(time.monotonic())
        if self.hangs_at and self.hangs_at in request.path:
            await asyncio.sleep(600)
        if self.failures:
            status, headers = self.failures.pop(0)
            return _error(status, headers)
        if request.path in self.broken:
            return _error(self.broken[request.path])
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return _error(401)
        if request.headers.get("Notion-Version") != VERSION:
            return _error(400)
        return await self._found(request)

    async def _found(self, request: web.Request) -> web.Response:
        match request.path.strip("/").split("/"):
            case ["v1", "search"] if request.method == "POST":
                self.most_lists -= 1
                if self.most_lists < 0:
                    return _error(403)
                asked = await request.json()
                assert {"property": "object", "value": "page"} == asked["filter"]
                assert {"timestamp": "last_edited_time", "direction": "ascending"} == asked["sort"]
                shown = [page for page in self.pages.values() if page.is_listed and page.is_shared]
                found = [_page(one) for one in sorted(shown, key=lambda page: page.edited)]
                return self._part(found, asked)
            case ["v1", "pages", page_id]:
                page = self._page(page_id)
                return _json(_page(page)) if page else _error(404)
            case ["v1", "blocks", block_id, "children"]:
                blocks = self._blocks(block_id)
                return _error(404) if blocks is None else self._part(blocks, {**request.query})
            case _:
                return _error(400)

    def _page(self, page_id: str) -> Page | None:
        wanted = page_id.replace("-", "")
        shared = (page for page in self.pages.values() if page.is_shared)
        found = (page for page in shared if wanted == page_id_of(page.title).replace("-", ""))
        return next(found, None)

    def _blocks(self, block_id: str) -> list[dict[str, Any]] | None:
        """Return the blocks in a page or a block, with ids that say where they are."""
        page_id, *places = block_id.split(":")
        page = self._page(page_id)
        if page is None:
            return None
        blocks = page.blocks
        for place in places:
            blocks = blocks[int(place)]["inside"]
        return [_block(one, f"{block_id}:{number}") for number, one in enumerate(blocks)]

    def _part(self, found: list[dict[str, Any]], asked: dict[str, Any]) -> web.Response:
        size = min(int(asked.get("page_size", 100)), self.largest_part)
        begins = int(str(asked.get("start_cursor", "cursor-0")).removeprefix("cursor-"))
        ends = begins + size
        has_more = ends < len(found)
        return _json(
            {
                "object": "list",
                "results": found[begins:ends],
                "has_more": has_more,
                "next_cursor": f"cursor-{ends}" if has_more else None,
                "type": "page_or_block",
            }
        )


def page_id_of(title: str) -> str:
    """Return the id of a page, as the API writes it."""
    return str(uuid5(NAMESPACE_URL, title))


def path_of(title: str) -> str:
    """Return the path under which a page is stored."""
    return f"{page_id_of(title).replace('-', '')}.md"


def _block(one: dict[str, Any], block_id: str) -> dict[str, Any]:
    about = {key: value for key, value in one.items() if key != "inside"}
    return {**about, "id": block_id, "has_children": bool(one["inside"]), "in_trash": False}


def _page(page: Page) -> dict[str, Any]:
    page_id = page_id_of(page.title)
    title = {"id": "title", "type": "title", "title": [rich(page.title)]}
    return {
        "object": "page",
        "id": page_id,
        "created_time": "2026-01-01T00:00:00.000Z",
        "last_edited_time": page.edited,
        "in_trash": page.in_trash,
        "parent": {"type": "workspace", "workspace": True},
        "properties": {"Name": title, **page.properties},
        "url": f"https://evil.example/{page_id.replace('-', '')}",
    }


def _json(said: dict[str, Any]) -> web.Response:
    return web.json_response(said)


def _error(status: int, headers: dict[str, str] | None = None) -> web.Response:
    codes = {
        400: "validation_error",
        401: "unauthorized",
        403: "restricted_resource",
        404: "object_not_found",
        429: "rate_limited",
    }
    code = codes.get(status, "internal_server_error")
    said = {"object": "error", "status": status, "code": code, "message": "Something is wrong."}
    return web.json_response(said, status=status, headers=headers)


@asynccontextmanager
async def serving_notion() -> AsyncGenerator[NotionSite]:
    """Serve a Notion on its own port."""
    site = NotionSite()
    async with answering(site.answer) as site.url:
        yield site
