"""A source of Notion: every page that one connection may read.

`notion:NAME` names the variable with the connection's token. Notion does not tell who may read a page, so each
audience gets a connection, and a source, of its own.
"""

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes, NoTextError
from bot.knowledge.connectors.notion.client import MissingError, NotionClient
from bot.knowledge.connectors.notion.page_text import SITE, Block, document_of_page, holds_blocks
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.read import fitting
from bot.knowledge.sandbox.limits import Limits

SCHEME: Final = "notion:"
_AT_ONCE: Final = 50
"""Pages of one part: how much is read again after an interruption."""
_DEEPEST: Final = 20
_MOST_BLOCKS: Final = 5_000
_ENDING: Final = ".md"
_NOT_SURE: Final = ""


class _Cursor(BaseModel):
    """The pages that were read, each with the minute of its last edit."""

    pages: dict[str, str] = {}


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
        self._edited: dict[str, str] = {}
        """The minute of each page's last edit, or that it is not sure; of all pages, once they are listed."""
        self._left: list[str] | None = None
        """Pages that are not yet examined; `None` before the pages are listed."""

    async def changes(self, cursor: str) -> Changes:
        """List all pages, then return those that were edited, a part at a time."""
        known = _pages_in(cursor)
        is_first = self._left is None
        if self._left is None:
            await self._list(known)
            self._left = [page for page, edited in self._edited.items() if not edited or known.get(page) != edited]
        now, self._left = self._left[:_AT_ONCE], self._left[_AT_ONCE:]
        there = {page: edited for page, edited in known.items() if page in self._edited}
        return Changes(
            paths=[_path(page) for page in now],
            gone=None if is_first else [],
            others=[_path(page) for page in self._edited.keys() - {*now}] if is_first else (),
            cursor=_Cursor(pages={**there, **{page: self._edited[page] for page in now}}).model_dump_json(),
            has_more=bool(self._left),
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a page as Markdown."""
        page = self._pages.get(path.removesuffix(_ENDING))
        if page is None:
            raise KnowledgeError(f"The page is gone, or no longer shared with the connection of {self._name}.")
        text = document_of_page(page, await self._blocks(page["id"], iter(range(_MOST_BLOCKS))))
        if not text:
            raise NoTextError
        return fitting(text.encode("utf-8", "replace"), path, limits)

    def url_of(self, path: str) -> str | None:
        """Return the page's address, which leads on to the one with its title."""
        return f"{SITE}{path.removesuffix(_ENDING)}"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _list(self, known: dict[str, str]) -> None:
        """Read the whole list. Raises `KnowledgeError` before anything is taken for gone if that fails."""
        async for page in self._client.pages():
            self._note(page)
        if not self._pages and not known:
            raise KnowledgeError(f"The connection of {self._name} may read no page: share some with it, in Notion.")
        # Notion's search may lag behind, so a page that it does not list is asked for.
        for page_id in known.keys() - self._pages.keys():
            try:
                self._note(await self._client.page(page_id))
            except MissingError:
                continue
        # Notion rounds down to minutes: a page of the newest minute may be edited again within it.
        newest = max((str(page["last_edited_time"]) for page in self._pages.values()), default="")
        times = {page_id: str(page["last_edited_time"]) for page_id, page in self._pages.items()}
        self._edited = {page_id: _NOT_SURE if edited == newest else edited for page_id, edited in times.items()}

    def _note(self, page: dict[str, Any]) -> None:
        if page.get("in_trash") or page.get("archived"):
            return
        page_id = str(page.get("id")).replace("-", "")
        if not isinstance(page.get("last_edited_time"), str) or not page_id.isalnum():
            raise KnowledgeError(f"Notion does not show its pages: let the connection of {self._name} read content.")
        self._pages[page_id] = page

    async def _blocks(self, block_id: str, room: Iterator[int], depth: int = 0) -> list[Block]:
        """Return the blocks in a page or block. Raises `KnowledgeError` if there are too many."""
        if depth > _DEEPEST:
            raise KnowledgeError("The page is nested too deeply to be read: simplify it.")
        blocks: list[Block] = []
        async for content in self._client.children(block_id):
            if next(room, None) is None:
                raise KnowledgeError(f"The page has more than {_MOST_BLOCKS} blocks: split it.")
            blocks.append(Block(content=content, blocks=await self._inside(content, room, depth + 1)))
        return blocks

    async def _inside(self, content: dict[str, Any], room: Iterator[int], depth: int) -> list[Block]:
        if not holds_blocks(content):
            return []
        try:
            return await self._blocks(str(content.get("id")), room, depth)
        except MissingError:
            # A block that is shown here too, of a page that is not shared with the connection.
            return []


def _path(page_id: str) -> str:
    return f"{page_id}{_ENDING}"


def _pages_in(cursor: str) -> dict[str, str]:
    try:
        return _Cursor.model_validate_json(cursor).pages if cursor else {}
    except ValidationError:
        return {}
