"""A web source: one page, the pages of a sitemap, or the pages below an address."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from aiohttp.abc import AbstractResolver
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.connectors.source_settings import WebRules
from bot.knowledge.connectors.web.addresses import is_same_site, normal, path_of, shape_of
from bot.knowledge.connectors.web.links import links_of, places_in
from bot.knowledge.connectors.web.visitor import Answer, RefusedError, Visitor
from bot.knowledge.sandbox.limits import Limits

_SITEMAPS: Final = 50
_IN_A_ROW: Final = 5
"""Consecutive failures after which the reading stops."""
_MOST_SECONDS: Final = 3600.0
_MOST_BYTES: Final = 200_000_000
"""The most bytes of new pages in one reading. The next reading continues."""
_MOST_LEFT: Final = 10_000
"""Addresses that the next reading is told of: a calendar may link to new ones without end."""
_GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


class _Page(BaseModel):
    """A page that was read. Stored cursors have the aliases."""

    model_config = ConfigDict(validate_by_name=True)

    path: str
    etag: str = ""
    modified: str = ""
    redirected_from: str = Field(default="", validation_alias="led_from", serialization_alias="led_from")
    """The address that redirected to it, if the page is not asked for at its own."""
    is_temporary_redirect: bool = Field(
        default=False, validation_alias="is_led_for_now", serialization_alias="is_led_for_now"
    )
    """Whether that redirect was a temporary one."""
    is_unread: bool = False
    """Whether every request for it failed so far."""


class _Cursor(BaseModel):
    """The start of the next reading."""

    pages: dict[str, _Page] = {}
    left: list[str] = []
    """The addresses to which the last reading did not come. They come first."""


class Web:
    """Pages by address, with the server's validators for the next request."""

    kind = "web"

    def __init__(self, location: str, rules: WebRules, resolver: AbstractResolver | None = None) -> None:
        self.location = normal(location)
        self._rules = rules
        self._shape = shape_of(self.location)
        self._visitor = Visitor(self.location, rules, resolver)
        self._folder = TemporaryDirectory[str](prefix="askback-web-")
        self._known: dict[str, _Page] = {}
        self._left: list[str] = []
        self._pages: dict[str, _Page] = {}
        self._urls: dict[str, str] = {}
        self._read: dict[str, Path] = {}
        self._failed: dict[str, KnowledgeError] = {}
        self._gone: set[str] = set()
        self._skipped: dict[str, str] = {}
        self._redirecting_to: dict[str, set[str]] = {}
        """The addresses that redirect to a page temporarily, by its address without its query."""
        self._undecided: list[tuple[str, Answer]] = []
        """Those that redirected to another page before. They are decided once all addresses were requested."""
        self._visited = self._in_a_row = self._size = 0

    async def changes(self, cursor: str) -> Changes:
        """Ask for each page, and return the new and changed ones."""
        begins = _cursor_of(cursor)
        self._known = begins.pages
        await self._visitor.read_robots()
        if not self._visitor.may_read(self.location):
            raise KnowledgeError(f"The site's robots.txt forbids {self.location}.")
        if self._shape == "sitemap":
            left = {*begins.left}
            await self._crawl(sorted(await self._listed(), key=lambda url: url not in left))
        elif self._shape == "below":
            # A page that was read once is asked for again, even if no page links to it.
            await self._crawl([self.location, *begins.left, *self._known])
        else:
            await self._crawl([self.location])
        await self._decide_redirects()
        self._pages = {**{url: page for url, page in self._known.items() if page.path not in self._gone}, **self._pages}
        self._urls = {page.path: url for url, page in self._pages.items()}
        return Changes(
            paths=[*self._read, *self._failed],
            gone=[*self._gone - {page.path for page in self._pages.values()}],
            cursor=_Cursor(pages=self._pages, left=self._left).model_dump_json(exclude_defaults=True, by_alias=True),
            saved={page.path: _iso_date(page.modified) for page in self._pages.values() if page.path in self._read},
            skipped=self._skipped,
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return the fetched page. A page that failed last time is fetched like a new one."""
        if path in self._failed:
            raise self._failed[path]
        if path in self._read:
            content = await asyncio.to_thread(self._read[path].read_bytes)
        elif path in self._urls:
            content = await self._request_content(self._urls[path])
        else:
            raise KnowledgeError("The page no longer exists.")
        return limits.fitting(content, path)

    def url_of(self, path: str) -> str | None:
        """Return the page's address."""
        return self._urls.get(path)

    async def aclose(self) -> None:
        """Close the connections, and remove the fetched pages."""
        await self._visitor.aclose()
        await asyncio.to_thread(self._folder.cleanup)

    async def _listed(self) -> list[str]:
        """Return the sitemap's pages. If the whole sitemap was read, note the pages that it no longer lists."""
        waiting, read, listed = deque([self.location]), set[str](), dict[str, None]()
        while waiting and len(read) < _SITEMAPS:
            url = waiting.popleft()
            read.add(url)
            answer = await self._visitor.get(url)
            if answer.status != HTTPStatus.OK:
                raise KnowledgeError(f"{url} answers with {answer.status}.")
            places, are_sitemaps = await asyncio.to_thread(places_in, answer.body, url)
            ours = [place for place in places if is_same_site(self.location, place)]
            if are_sitemaps:
                waiting += [place for place in ours if place not in read]
            else:
                listed.update(dict.fromkeys(ours))
        if not listed:
            raise KnowledgeError(f"{self.location} lists no page of this site.")
        if not waiting:
            self._gone |= {
                page.path for url, page in self._known.items() if not {url, page.redirected_from} & listed.keys()
            }
        return [*listed]

    async def _crawl(self, urls: list[str]) -> None:
        """Ask for pages and the pages to which they link, within the limits."""
        until = time.monotonic() + _MOST_SECONDS
        waiting, met = deque(dict.fromkeys(urls)), set(urls)
        while waiting and self._visited < self._rules.pages and self._size < _MOST_BYTES and time.monotonic() < until:
            url = waiting.popleft()
            if not self._visitor.may_read(url):
                self._skipped[url] = "robots.txt"
                continue
            links = [link for link in await self._visit(url) if link not in met]
            met.update(links)
            waiting += links
        self._left = [*islice(waiting, _MOST_LEFT)]

    async def _visit(self, url: str) -> list[str]:
        self._visited += 1
        try:
            answer = await self._request(url)
        except KnowledgeError as error:
            self._in_a_row += 1
            if isinstance(error, RefusedError) or url == self.location or self._in_a_row >= _IN_A_ROW:
                raise
            self._fail(url, error)
            return []
        self._in_a_row = 0
        self._size += len(answer.body)
        return await self._handle(url, answer)

    async def _request(self, url: str) -> Answer:
        known = self._known.get(url, _Page(path=""))
        answer = await self._visitor.get(url, etag=known.etag, modified=known.modified)
        if answer.status == HTTPStatus.NOT_MODIFIED or (answer.status in _GONE and url != self.location):
            return answer
        _require_content(answer)
        return answer

    async def _request_content(self, url: str) -> bytes:
        """Request a page that this reading has not asked for. A page at another address may not replace it."""
        if not self._visitor.may_read(url):
            raise KnowledgeError(f"The site's robots.txt forbids {url}.")
        answer = await self._visitor.get(url)
        _require_content(answer)
        if answer.url != url:
            raise _redirect_error(url, answer)
        return answer.body

    def _fail(self, url: str, error: KnowledgeError) -> None:
        known = self._known.get(url)
        path = known.path if known else self._unique_path(path_of(url, self.location, "text/html") or url, url)
        # The next reading asks for the page without validators.
        self._pages[url] = _Page(path=path, is_unread=not known or known.is_unread)
        self._failed[path] = error

    async def _handle(self, url: str, answer: Answer) -> list[str]:
        """Store a response, and return its links below the source."""
        known = self._known.get(url)
        if answer.status == HTTPStatus.NOT_MODIFIED and known and answer.url == url:
            self._pages[url] = known
            return []
        before = self._known_at(url)
        if answer.is_temporary_redirect:
            self._redirecting_to.setdefault(_without_query(answer.url), set()).add(url)
        if self._is_behind_login(url, answer, before):
            if url == self.location:
                raise _redirect_error(url, answer)
            self._fail(url, _redirect_error(url, answer))
            return []
        if answer.status == HTTPStatus.OK and answer.is_temporary_redirect and before and answer.url not in before:
            self._undecided.append((url, answer))
            return []
        return await self._store(url, answer)

    async def _decide_redirects(self) -> None:
        """Store the pages to which these addresses redirect now. If several redirect to one page, it is a login."""
        for url, answer in self._undecided:
            if len(self._redirecting_to[_without_query(answer.url)]) == 1:
                await self._store(url, answer)
            else:
                self._fail(url, _redirect_error(url, answer))

    async def _store(self, url: str, answer: Answer) -> list[str]:
        """Store a page instead of those that its address redirected to before; return its links below the source."""
        before = self._known_at(url).items()
        self._gone |= {page.path for old, page in before if answer.status in _GONE or old != answer.url}
        if answer.status != HTTPStatus.OK or answer.url in self._pages or not self._is_below(answer.url):
            return []
        path = path_of(answer.url, self.location, answer.mime)
        if path is None:
            self._skipped[answer.url] = PurePosixPath(answer.url).suffix or answer.mime
            return []
        await self._write(path, answer, url)
        has_links = self._shape == "below" and answer.mime.endswith(("html", "xhtml+xml"))
        links = await asyncio.to_thread(links_of, answer.body, answer.url) if has_links else []
        return [link for link in links if link.startswith(self.location)]

    def _known_at(self, url: str) -> dict[str, _Page]:
        """Return the known pages at an address, and those to which it redirected."""
        return {old: page for old, page in self._known.items() if url in (old, page.redirected_from)}

    def _is_behind_login(self, url: str, answer: Answer, before: Mapping[str, _Page]) -> bool:
        """Tell whether a page is behind a login or the like: then the page before may still exist."""
        if answer.status != HTTPStatus.OK or answer.url in (url, *before):
            return False
        # A temporary redirect may end at another page each time, if no other ends there.
        are_to_stay = any(
            not page.is_unread and (old == url or not page.is_temporary_redirect) for old, page in before.items()
        )
        return (answer.is_temporary_redirect and are_to_stay) or (
            url == self.location and not self._is_below(answer.url)
        )

    def _is_below(self, url: str) -> bool:
        return self._shape != "below" or url.startswith(self.location)

    async def _write(self, path: str, answer: Answer, url: str) -> None:
        known = self._known.get(answer.url)
        keeps_path = known and known.path.endswith(PurePosixPath(path).suffix)
        path = known.path if known and keeps_path else self._unique_path(path, answer.url)
        self._pages[answer.url] = _Page(
            path=path,
            etag=answer.etag,
            modified=answer.modified,
            redirected_from=url if url != answer.url and self._shape != "below" else "",
            is_temporary_redirect=answer.is_temporary_redirect,
        )
        self._read[path] = Path(self._folder.name, str(len(self._read)))
        await asyncio.to_thread(self._read[path].write_bytes, answer.body)

    def _unique_path(self, path: str, url: str) -> str:
        """Return a path that is unique among the pages."""
        taken = {page.path for pages in (self._known, self._pages) for other, page in pages.items() if other != url}
        ending = PurePosixPath(path).suffix
        others = (f"{path.removesuffix(ending)}-{number}{ending}" for number in range(2, len(taken) + 3))
        return path if path not in taken else next(other for other in others if other not in taken)


def _require_content(answer: Answer) -> None:
    """Raise `KnowledgeError` if a response is no page. A server that breaks sends an empty one."""
    if answer.status != HTTPStatus.OK:
        raise KnowledgeError(f"{answer.url} answers with {answer.status}.")
    if not answer.body.strip():
        raise KnowledgeError(f"{answer.url} answers with an empty page.")


def _redirect_error(url: str, answer: Answer) -> KnowledgeError:
    return KnowledgeError(f"{url} redirects to {answer.url}: add that address to read it.")


def _without_query(url: str) -> str:
    """Return an address without its query, in which a login names the page that was asked for."""
    return url.partition("?")[0]


def _iso_date(modified: str) -> str:
    """Return the ISO date of a Last-Modified; empty if it is none."""
    try:
        return parsedate_to_datetime(modified).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def _cursor_of(text: str) -> _Cursor:
    try:
        return _Cursor.model_validate_json(text or "{}")
    except ValidationError:
        return _Cursor()
