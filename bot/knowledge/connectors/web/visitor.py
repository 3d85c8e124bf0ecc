"""Fetches the pages of one site: one at a time, with a pause, with limits, and only from allowed addresses.

The address is checked when its socket is created, so an earlier or later DNS answer does not matter.
"""

import asyncio
import socket
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

import aiohttp
from aiohttp.abc import AbstractResolver

from bot.errors import KnowledgeError
from bot.knowledge.connectors.source_settings import WebRules
from bot.knowledge.connectors.web.addresses import is_same_site, joined, may_connect

NAME: Final = "Askback"
_HEADERS: Final = {
    "User-Agent": f"{NAME}/{version('askback')} (reads pages for the Slack bot of a team)",
    "Accept": "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, */*;q=0.5",
}
_SECONDS: Final = 60.0
_MOST_REDIRECTS: Final = 5
_REDIRECT_STATUSES: Final = (301, 302, 303, 307, 308)
_PERMANENT_STATUSES: Final = (301, 308)
_CHUNK: Final = 65_536
_LONGEST_VALIDATOR: Final = 300
_ROBOTS_MB: Final = 0.5
_LONGEST_CRAWL_DELAY: Final = 30.0
"""In seconds: more would keep the reading of a site from ending."""


class RefusedError(KnowledgeError):
    """A host's address is private."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A server's response."""

    url: str
    """The address after redirects."""
    is_temporary_redirect: bool = False
    """Whether a redirect says that the page will be back at its own address, as one to a login does."""
    status: int
    mime: str = ""
    body: bytes = b""
    etag: str = ""
    modified: str = ""


class Visitor:
    """Fetches pages of one site."""

    def __init__(self, location: str, rules: WebRules, resolver: AbstractResolver | None) -> None:
        self._location = location
        self._rules = rules
        self._host = urlsplit(location).hostname or ""
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None
        self._turn = asyncio.Lock()
        self._next = 0.0
        self._pause = rules.pause_seconds
        self._robots: RobotFileParser | None = None

    async def read_robots(self) -> None:
        """Read robots.txt. Raises `KnowledgeError` if it cannot be fetched; then nothing may be read."""
        parts = urlsplit(self._location)
        answer = await self.get(f"{parts.scheme}://{parts.netloc}/robots.txt", largest_mb=_ROBOTS_MB)
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise KnowledgeError(f"Its robots.txt answers with {answer.status}, so nothing may be read.")
        rules = answer.body.decode("utf-8", "replace") if answer.status == HTTPStatus.OK else ""
        robots = RobotFileParser()
        robots.parse(rules.splitlines())
        self._pause = pause_after(self._rules.pause_seconds, float(robots.crawl_delay(NAME) or 0))
        self._robots = robots

    def may_read(self, url: str) -> bool:
        """Tell whether robots.txt allows a page."""
        return self._robots is None or self._robots.can_fetch(NAME, url)

    async def get(self, url: str, *, etag: str = "", modified: str = "", largest_mb: float | None = None) -> Answer:
        """Return the response, which may be "not modified". Raises `KnowledgeError` that says what is wrong."""
        headers = {**({"If-None-Match": etag} if etag else {}), **({"If-Modified-Since": modified} if modified else {})}
        is_temporary_redirect = False
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                answer, target = await self._ask(url, headers, largest_mb or self._rules.largest_mb)
                if target is None:
                    return replace(answer, is_temporary_redirect=is_temporary_redirect)
                is_temporary_redirect |= answer.status not in _PERMANENT_STATUSES
                url, headers = self._allowed(url, target), {}
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise KnowledgeError(f"{url} cannot be read: {_reason(error)}.") from error
        raise KnowledgeError(f"{url} redirects too often.")

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def _allowed(self, url: str, target: str) -> str:
        there = joined(url, target)
        if there is None or not is_same_site(url, there):
            raise KnowledgeError(f"{url} redirects to {there or target}: add that address to read it.")
        if not self.may_read(there):
            raise KnowledgeError(f"{url} redirects to {there}, which the site's robots.txt forbids.")
        return there

    async def _ask(self, url: str, headers: dict[str, str], largest_mb: float) -> tuple[Answer, str | None]:
        async with self._turn:
            await asyncio.sleep(max(0.0, self._next - time.monotonic()))
            try:
                async with self._open().get(url, headers=headers, allow_redirects=False) as response:
                    if response.status in _REDIRECT_STATUSES and (target := response.headers.get("Location")):
                        return Answer(url=url, status=response.status), target
                    return await _answer(url, response, int(largest_mb * 1_000_000)), None
            finally:
                self._next = time.monotonic() + self._pause

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                socket_factory=self._socket, resolver=self._resolver, happy_eyeballs_delay=None, limit=1
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers=_HEADERS,
                timeout=aiohttp.ClientTimeout(total=_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _socket(self, address_info: tuple[Any, ...]) -> socket.socket:
        """Create the socket if the address is allowed. Every connection goes through here."""
        family, kind, protocol, _, (address, *_) = address_info
        if not may_connect(str(address), is_internal=self._host in self._rules.internal_hosts):
            raise RefusedError(
                f"{self._host} has a private address: name the host in ASKBACK_WEB_INTERNAL_HOSTS to read it."
            )
        return socket.socket(family=family, type=kind, proto=protocol)


def pause_after(pause_seconds: float, crawl_delay: float) -> float:
    """Return the seconds between two requests to a site whose robots.txt asks for as many as `crawl_delay`."""
    return max(pause_seconds, min(crawl_delay, _LONGEST_CRAWL_DELAY))


async def _answer(url: str, response: aiohttp.ClientResponse, largest: int) -> Answer:
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > largest:
            raise KnowledgeError(f"{url} is larger than {largest / 1_000_000:g} MB.")
    return Answer(
        url=url,
        status=response.status,
        mime=response.content_type,
        body=bytes(body),
        etag=_validator(response, "ETag"),
        modified=_validator(response, "Last-Modified"),
    )


def _validator(response: aiohttp.ClientResponse, name: str) -> str:
    """Return a header that is sent back; empty if it is too long, or no text that can be stored."""
    value = response.headers.get(name, "")
    return value if len(value) <= _LONGEST_VALIDATOR and value.isascii() else ""


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"it takes longer than {_SECONDS:g} seconds"
    return str(error) or type(error).__name__
