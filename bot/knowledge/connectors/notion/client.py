"""Asks Notion's API: one request at a time, as slowly as Notion wants, and with one sentence for each failure."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from http import HTTPStatus
from typing import Any, Final

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.certificates import authorities
from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import MissingError

VERSION: Final = "2026-03-11"
"""The version of the API whose shapes are read here."""
_SECONDS: Final = 60.0
_TRIES: Final = 5
_LONGEST_WAIT: Final = 120.0
_FIRST_WAIT: Final = 0.5
"""Before the second try if Notion does not say how long; it doubles."""
_LARGEST: Final = 50_000_000
_MOST_LISTS: Final = 2_000
"""Lists of 100 that are read in a row."""
_OBJECT: Final = TypeAdapter(dict[str, Any])
_TRIED_AGAIN: Final = (409, 429, 500, 502, 503, 504, 529)


class _List(BaseModel):
    """One page of a list."""

    results: list[dict[str, Any]]
    has_more: bool = False
    next_cursor: str | None = None


class NotionClient:
    """The API, seen by one connection."""

    def __init__(self, url: str, token: str, name: str, *, pause_seconds: float) -> None:
        self._name = name
        """Of the variable with the token."""
        self._pause_seconds = pause_seconds
        self._turn = asyncio.Lock()
        self._next = 0.0
        # Redirects are not followed, so that the token goes nowhere else.
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}", "Notion-Version": VERSION},
            timeout=_SECONDS,
            follow_redirects=False,
            verify=authorities(),
        )

    async def pages(self) -> AsyncGenerator[dict[str, Any]]:
        """Yield all pages that the connection may read, the one that was edited last at the end."""
        query = {
            "filter": {"property": "object", "value": "page"},
            # A page that somebody edits meanwhile moves to the end, where it is seen again.
            "sort": {"timestamp": "last_edited_time", "direction": "ascending"},
            "page_size": 100,
        }
        async for page in self._all("POST", "/v1/search", query):
            yield page

    async def page(self, page_id: str) -> dict[str, Any]:
        """Return a page, without its blocks. Raises `MissingError` if it is gone or not shared."""
        return await self._ask("GET", f"/v1/pages/{page_id}", {})

    async def children(self, block_id: str) -> AsyncGenerator[dict[str, Any]]:
        """Yield the blocks in a page or block."""
        async for block in self._all("GET", f"/v1/blocks/{block_id}/children", {"page_size": 100}):
            yield block

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def _all(self, method: str, path: str, query: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """Yield everything of a list. Raises `KnowledgeError` if it cannot be read to its end."""
        cursor: str | None = None
        for _ in range(_MOST_LISTS):
            answer = await self._ask(method, path, {**query, **({"start_cursor": cursor} if cursor else {})})
            try:
                part = _List.model_validate(answer)
            except ValidationError as error:
                raise KnowledgeError("Notion's answer is no list: try again later.") from error
            for one in part.results:
                yield one
            if not part.has_more:
                return
            if part.next_cursor in (None, cursor):
                raise KnowledgeError("Notion's list does not go on after its first part: try again later.")
            cursor = part.next_cursor
        raise KnowledgeError(f"Notion lists more than {_MOST_LISTS * 100} entries: share fewer with the connection.")

    async def _ask(self, method: str, path: str, query: Mapping[str, Any]) -> dict[str, Any]:
        how: dict[str, Any] = {"json": query} if method == "POST" else {"params": query}
        wait = 0.0
        for tried in range(1, _TRIES + 1):
            status, body, wait = await self._in_turn(method, path, how)
            if status == HTTPStatus.OK:
                return _object(body)
            if status not in _TRIED_AGAIN or wait > _LONGEST_WAIT or tried == _TRIES:
                raise self._error(status, wait)
            await asyncio.sleep(wait or _FIRST_WAIT * 2**tried)
        raise AssertionError

    async def _in_turn(self, method: str, path: str, how: dict[str, Any]) -> tuple[int, bytes, float]:
        """Return the status, the body, and the seconds that Notion asks to wait."""
        async with self._turn:
            await asyncio.sleep(max(0.0, self._next - time.monotonic()))
            try:
                async with self._http.stream(method, path, **how) as response:
                    return response.status_code, await _body(response), _seconds(response)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                # Its text may hold the address, and never the token: that stands in a header.
                raise KnowledgeError(f"Notion cannot be reached ({type(error).__name__}): try again later.") from error
            finally:
                self._next = time.monotonic() + self._pause_seconds

    def _error(self, status: int, wait: float) -> KnowledgeError:
        reasons: dict[int, str] = {
            HTTPStatus.UNAUTHORIZED: f"Notion does not accept the token in {self._name}: copy it again.",
            HTTPStatus.FORBIDDEN: f"Notion forbids it: let the connection of {self._name} read content.",
            HTTPStatus.TOO_MANY_REQUESTS: f"Notion accepts no more requests for {wait:g} seconds: read it less often.",
        }
        if status == HTTPStatus.NOT_FOUND:
            return MissingError(f"The page is gone, or no longer shared with the connection of {self._name}.")
        return KnowledgeError(reasons.get(status, f"Notion answers with {status}: try again later."))


async def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LARGEST:
            raise KnowledgeError(f"Notion's answer is larger than {_LARGEST // 1_000_000} MB.")
    return bytes(body)


def _seconds(response: httpx.Response) -> float:
    seconds = response.headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else 0.0


def _object(body: bytes) -> dict[str, Any]:
    try:
        return _OBJECT.validate_json(body)
    except ValidationError as error:
        raise KnowledgeError("Notion's answer is no JSON object: try again later.") from error
