"""A source of Notion: every page that one connection may read.

`notion:NAME` names the variable with the connection's token. Notion does not tell who may read a page, so each
audience gets a connection, and a source, of its own.
"""

from collections.abc import Iterator
from typing import Any, Final

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes, MissingError, NoTextError
from bot.knowledge.connectors.listed import Listed, states_in
from bot.knowledge.connectors.notion.client import NotionClient
from bot.knowledge.connectors.notion.page_text import SITE, PageBlock, document_of_page, holds_blocks
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.sandbox.limits import Limits

SCHEME: Final = "notion:"
_DEEPEST: Final = 20
_MOST_BLOCKS: Final = 5_000
_ENDING: Final = ".md"
_NOT_SURE: Final = ""


class Notion:
    """The pages of one connection, by their ids."""

    kind = "notion"

    def __init__(self, location: str, settings: SourceSettings) -> None:
        name = location.removeprefix(SCHEME)
        if not location.startswith(SCHEME) or not name:
            raise KnowledgeError("Give notion: and the name of the variable with the token, as in notion:NOTION_TOKEN.")
        self.location = location
        self._name = name
        self._client = NotionClient(
            settings.notion_url, settings.secret(name), name, pause_seconds=settings.notion_pause_seconds
        )
        self._pages: dict[str, dict[str, Any]] = {}
        self._listed: Listed | None = None

    async def changes(self, cursor: str) -> Changes:
        """List all pages, then return those that were edited, a part at a time."""
        if self._listed is None:
            self._listed = Listed(await self._edited({_id(path) for path in states_in(cursor)}))
        return self._listed.changes(cursor)

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a page as Markdown."""
        page = self._pages.get(_id(path))
        if page is None:
            raise KnowledgeError(f"The page is gone, or no longer shared with the connection of {self._name}.")
        text = document_of_page(page, await self._blocks(page["id"], iter(range(_MOST_BLOCKS))))
        if not text:
            raise NoTextError
        return limits.fitting(text.encode("utf-8", "replace"), path)

    def url_of(self, path: str) -> str | None:
        """Return the page's address, which leads on to the one with its title."""
        return f"{SITE}{_id(path)}"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _edited(self, known: set[str]) -> dict[str, str]:
        """Return the minute of each page's last edit, by path; empty if that is not sure.

        Raises `KnowledgeError` before anything is taken for gone if the list cannot be read to its end.
        """
        async for page in self._client.pages():
            self._note(page)
        if not self._pages and not known:
            raise KnowledgeError(f"The connection of {self._name} may read no page: share some with it, in Notion.")
        # Notion's search may lag behind, so a page that it does not list is asked for.
        for page_id in known - self._pages.keys():
            try:
                self._note(await self._client.page(page_id))
            except MissingError:
                continue
        # Notion rounds down to minutes: a page of the newest minute may be edited again within it.
        times = {page_id: str(page["last_edited_time"]) for page_id, page in self._pages.items()}
        newest = max(times.values(), default="")
        return {f"{page_id}{_ENDING}": _NOT_SURE if edited == newest else edited for page_id, edited in times.items()}

    def _note(self, page: dict[str, Any]) -> None:
        if page.get("in_trash") or page.get("archived"):
            return
        page_id = str(page.get("id")).replace("-", "")
        if not isinstance(page.get("last_edited_time"), str) or not page_id.isalnum():
            raise KnowledgeError(f"Notion does not show its pages: let the connection of {self._name} read content.")
        self._pages[page_id] = page

    async def _blocks(self, block_id: str, room: Iterator[int], depth: int = 0) -> list[PageBlock]:
        """Return the blocks in a page or block. Raises `KnowledgeError` if there are too many."""
        if depth > _DEEPEST:
            raise KnowledgeError("The page is nested too deeply to be read: simplify it.")
        blocks: list[PageBlock] = []
        async for content in self._client.children(block_id):
            if next(room, None) is None:
                raise KnowledgeError(f"The page has more than {_MOST_BLOCKS} blocks: split it.")
            blocks.append(PageBlock(content=content, blocks=await self._inside(content, room, depth + 1)))
        return blocks

    async def _inside(self, content: dict[str, Any], room: Iterator[int], depth: int) -> list[PageBlock]:
        if not holds_blocks(content):
            return []
        try:
            return await self._blocks(str(content.get("id")), room, depth)
        except MissingError:
            # A block that is shown here too, of a page that is not shared with the connection.
            return []


def _id(path: str) -> str:
    return path.removesuffix(_ENDING)
