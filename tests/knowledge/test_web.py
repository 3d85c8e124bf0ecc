"""Web pages are read politely, only if they changed, and only from allowed addresses."""

import asyncio
import gzip
import json
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import date

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.cli.knowledge import sources
from bot.errors import KnowledgeError
from bot.knowledge.connectors.kinds import guessed
from bot.knowledge.connectors.source_settings import WebRules
from bot.knowledge.connectors.web.addresses import is_same_site, may_connect, normal, path_of
from bot.knowledge.connectors.web.links import links_of, places_in
from bot.knowledge.connectors.web.visitor import pause_after
from bot.knowledge.connectors.web.web import Web
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from tests.knowledge.site import Page, Site, serving
from tests.knowledge.test_connectors import dates, known, source
from tests.knowledge.test_sources import Desk, at

RULES = WebRules(pause_seconds=0, internal_hosts=frozenset({"127.0.0.1"}))


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    """A site with three pages that link to each other and elsewhere."""
    async with serving() as site:
        site.page(
            "/docs/", "Docs", "All that we know.", "leave", "/docs/office.html#top", "/blog/", "mailto:ada@x.example"
        )
        site.page("/docs/leave", "Leave", "Everybody has 28 days of leave.", "https://elsewhere.example/", "./")
        site.page("/docs/office.html", "Office", "The code opens the cellar.")
        site.page("/blog/", "Blog", "Nobody asked.")
        yield site


async def read(database: Database, embedder: Embedder, url: str, rules: WebRules = RULES) -> Ingested:
    return await sync(database, embedder, "one", [Web(url, rules)])


async def test_all_pages_below_an_address_are_read_and_nothing_beside_it(
    database: Database, embedder: Embedder, site: Site
) -> None:
    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (3, []) == (outcome.added, outcome.failed)
    assert {"index.html", "leave.html", "office.html"} == (await known(database)).keys()
    assert ["/robots.txt", "/docs/", "/docs/leave", "/docs/office.html"] == site.asked
    assert all(agent.startswith("Askback/") for agent in site.agents)


async def test_what_did_not_change_is_neither_fetched_nor_embedded_again(
    database: Database, embedder: Embedder, site: Site, embedded: list[str]
) -> None:
    await read(database, embedder, f"{site.url}/docs/")
    site.begin()
    embedded.clear()
    site.page("/docs/leave", "Leave", "Everybody has 30 days of leave.", "travel?lang=en")
    site.page("/docs/travel?lang=en", "Travel", "Trains are booked by Ben.")

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (1, 1, 0, 2) == (outcome.added, outcome.changed, outcome.removed, len(embedded))
    assert ["/docs/leave", "/docs/travel?lang=en"] == site.sent
    assert "30 days" in (await known(database))["leave.html"]


async def test_a_page_that_says_the_same_in_other_bytes_is_not_embedded_again(
    database: Database, embedder: Embedder, site: Site, embedded: list[str]
) -> None:
    await read(database, embedder, f"{site.url}/docs/leave")
    embedded.clear()
    for token in ("1", "2"):
        page = Page(site.pages["/docs/leave"].text.replace("<nav>", f"<script nonce={token}></script><nav>"))
        page.has_etag = False
        site.pages["/docs/leave"] = page
        outcome = await read(database, embedder, f"{site.url}/docs/leave")
        assert (1, 0, []) == (outcome.unchanged, outcome.changed, embedded)


async def test_a_page_is_as_old_as_its_server_says_unless_it_says_so_itself(
    database: Database, embedder: Embedder, site: Site
) -> None:
    for modified in ("Sun, 03 May 2026 23:59:00 GMT", "Tue, 05 May 2026 08:00:00 GMT"):
        site.page("/docs/leave", "Leave", "30 days.")
        page = site.pages["/docs/leave"]
        page.text, page.modified = page.text.replace("<nav>", f"<script nonce='{modified}'></script><nav>"), modified
        await read(database, embedder, f"{site.url}/docs/leave")
        assert {"docs/leave.html": date(2026, 5, 3)} == await dates(database), "The text is no newer."

    for text, modified, dated in [
        ("31 days.", "Tue, 05 May 2026 08:00:00 GMT", date(2026, 5, 5)),
        ("32 days.", "yesterday", None),
        ("33 days. Last updated: 2024-01-31", "Tue, 05 May 2026 08:00:00 GMT", date(2024, 1, 31)),
    ]:
        site.page("/docs/leave", "Leave", text)
        site.pages["/docs/leave"].modified = modified
        await read(database, embedder, f"{site.url}/docs/leave")
        assert {"docs/leave.html": dated} == await dates(database)


async def test_a_date_that_is_none_breaks_no_site(database: Database, embedder: Embedder, site: Site) -> None:
    site.pages["/docs/leave"].modified = f"Mon, 05 Jan 2026 12:00:00 +{'9' * 30}"

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (3, []) == (outcome.added, outcome.failed)


@pytest.mark.parametrize("name", [b"ETag", b"Last-Modified"])
async def test_a_header_that_is_no_text_breaks_no_site(
    database: Database, embedder: Embedder, site: Site, name: bytes
) -> None:
    site.pages["/docs/leave"].begins = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + name + b': "caf\xe9"\r\n\r\n'

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (3, []) == (outcome.added, outcome.failed)


async def test_a_page_that_is_gone_goes_and_one_that_fails_stays(
    database: Database, embedder: Embedder, site: Site
) -> None:
    await read(database, embedder, f"{site.url}/docs/")
    del site.pages["/docs/office.html"]
    site.pages["/docs/leave"].status, site.pages["/docs/leave"].text = 500, "It broke."

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (1, ["leave.html"]) == (outcome.removed, [one.path for one in outcome.failed])
    assert {"index.html", "leave.html"} == (await known(database)).keys()
    site.page("/docs/leave", "Leave", "Everybody has 31 days of leave.")
    assert 1 == (await read(database, embedder, f"{site.url}/docs/")).changed
    assert 0 == (await source(database)).failures


@pytest.mark.parametrize("status", [404, 500])
async def test_a_site_whose_first_page_fails_keeps_everything(
    database: Database, embedder: Embedder, site: Site, status: int
) -> None:
    await read(database, embedder, f"{site.url}/docs/")
    site.pages["/docs/"] = Page("Gone.", status=status)

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert (0, 1) == (outcome.removed, len(outcome.failed))
    assert 3 == len(await known(database))


async def test_a_site_that_fails_again_and_again_is_left_alone(
    database: Database, embedder: Embedder, site: Site
) -> None:
    site.page("/many/", "Many", "Much.", *(f"{number}" for number in range(40)))
    site.pages |= {f"/many/{number}": Page("No.", status=503) for number in range(40)}

    await read(database, embedder, f"{site.url}/many/")

    assert 2 + 5 == len(site.asked)


def sitemap(*urls: str, name: str = "urlset") -> str:
    places = "".join(f"<url><loc>\n {url.replace('&', '&amp;')} </loc></url>" for url in urls)
    return f'<?xml version="1.0"?><{name} xmlns="x">{places}</{name}>'


async def test_what_a_sitemap_lists_no_more_goes_but_only_if_all_of_it_could_be_read(
    database: Database, embedder: Embedder, site: Site
) -> None:
    leave, office = f"{site.url}/docs/leave", f"{site.url}/docs/office.html"
    packed = gzip.compress(sitemap(leave, office, "https://elsewhere.example/x").encode())
    site.pages["/all.xml"] = Page(sitemap(f"{site.url}/one.xml.gz", name="sitemapindex"))
    site.pages["/one.xml.gz"] = Page(body=packed, mime="application/gzip")
    assert 2 == (await read(database, embedder, f"{site.url}/all.xml")).added
    assert {"docs/leave.html", "docs/office.html"} == (await known(database)).keys()

    site.pages["/one.xml.gz"].status = 503
    assert (0, 1) == ((first := await read(database, embedder, f"{site.url}/all.xml")).removed, len(first.failed))
    site.pages["/one.xml.gz"] = Page(sitemap(leave))
    assert 1 == (await read(database, embedder, f"{site.url}/all.xml")).removed
    assert ["docs/leave.html"] == [*await known(database)]


async def test_one_page_is_one_page(database: Database, embedder: Embedder, site: Site) -> None:
    await read(database, embedder, f"{site.url}/docs/leave")

    assert {"docs/leave.html": "Everybody has 28 days of leave."} == await known(database)


async def test_robots_txt_is_respected(database: Database, embedder: Embedder, site: Site) -> None:
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /docs/office\nDisallow: /secret", mime="text/plain")
    site.pages["/docs/leave"] = Page(leads_to="/secret")

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert {"index.html"} == (await known(database)).keys()
    assert not {"/docs/office.html", "/secret"} & {*site.asked}
    assert {"robots.txt": 1} == outcome.skipped
    site.pages["/robots.txt"] = Page("User-agent: Askback\nDisallow: /", mime="text/plain")
    site.begin()
    assert 1 == len((await read(database, embedder, f"{site.url}/docs/")).failed)
    site.pages["/robots.txt"] = Page("", status=503)
    assert 1 == len((await read(database, embedder, f"{site.url}/docs/")).failed)
    assert ["/robots.txt"] * 2 == site.asked
    assert 1 == len(await known(database))


async def test_it_asks_for_one_page_at_a_time_with_a_pause_and_for_no_more_than_is_set(
    database: Database, embedder: Embedder, site: Site
) -> None:
    rules = WebRules(pause_seconds=0.2, internal_hosts=RULES.internal_hosts, pages=2)
    began = time.monotonic()

    assert 2 == (await read(database, embedder, f"{site.url}/docs/", rules)).added

    assert time.monotonic() - began >= 0.4
    assert 3 == len(site.asked)


@pytest.mark.parametrize("address", ["docs/", "all.xml"])
async def test_a_reading_goes_on_where_the_last_one_reached_its_limit(
    database: Database, embedder: Embedder, site: Site, address: str
) -> None:
    site.pages["/all.xml"] = Page(sitemap(*(f"{site.url}{path}" for path in site.pages if path.startswith("/docs/"))))
    url, rules = f"{site.url}/{address}", replace(RULES, pages=2)
    await read(database, embedder, url, rules)
    assert 2 == len(await known(database))

    await read(database, embedder, url, rules)
    assert 3 == len(await known(database))

    site.page("/docs/leave", "Leave", "Everybody has 30 days of leave.")
    site.page("/docs/office.html", "Office", "The office is closed on Fridays.")
    await read(database, embedder, url, rules)
    await read(database, embedder, url, rules)
    texts = " ".join((await known(database)).values())
    assert "30 days" in texts
    assert "Fridays" in texts


async def test_a_site_without_an_end_does_not_fill_the_database(site: Site) -> None:
    site.page("/docs/", "Calendar", "All days.", *(f"day-{day}" for day in range(12_000)))
    async with aclosing(Web(f"{site.url}/docs/", replace(RULES, pages=1))) as web:
        changes = await web.changes("")

    assert 10_000 == len(json.loads(changes.cursor)["left"])


@pytest.mark.parametrize(("ours", "theirs", "pause"), [(1, 0, 1), (1, 5, 5), (5, 1, 5), (1, 600, 30), (90, 5, 90)])
def test_it_pauses_as_long_as_is_set_and_longer_if_the_site_asks_so(ours: float, theirs: float, pause: float) -> None:
    assert pause == pause_after(ours, theirs)


async def test_what_is_no_text_is_counted_and_what_is_a_text_is_read_by_its_kind(
    database: Database, embedder: Embedder, site: Site
) -> None:
    site.page("/docs/", "Docs", "All.", "logo.png", "plain", "read.me.md", "big")
    site.pages["/docs/logo.png"] = Page(body=b"\x89PNG", mime="image/png")
    site.pages["/docs/plain"] = Page("Parking is free.", mime="text/plain")
    site.pages["/docs/read.me.md"] = Page("# Read me\n\nTwice.", mime="text/plain")
    site.pages["/docs/big"] = Page("x" * 11_000_000)

    outcome = await read(database, embedder, f"{site.url}/docs/")

    assert {".png": 1} == outcome.skipped
    assert {"index.html", "plain.txt", "read.me.md"} == (await known(database)).keys()
    assert ["big.html"] == [one.path for one in outcome.failed]


async def test_a_page_links_to_where_it_was_read_and_not_to_what_it_says_of_itself(
    database: Database, embedder: Embedder, site: Site
) -> None:
    outcome = await read(database, embedder, f"{site.url}/docs/")
    assert {} == outcome.hosts

    (best, *_) = await Search(Library(database, "one", reader=everything), embedder).search("days of leave", limit=3)

    assert f"{site.url}/docs/leave" == best.get("url")


# Addresses that must not be reached.


@pytest.fixture
async def listener() -> AsyncGenerator[tuple[int, list[int]]]:
    """A local port, with a record of its connections."""
    connected: list[int] = []

    async def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(1)
        writer.close()

    servers = [await asyncio.start_server(note, "127.0.0.1", 0)]
    port = servers[0].sockets[0].getsockname()[1]
    with suppress(OSError):  # Not every machine has it.
        servers.append(await asyncio.start_server(note, "::1", port))
    yield port, connected
    for server in servers:
        server.close()
        await server.wait_closed()


class Lying(AbstractResolver):
    """A DNS server that answers differently each time."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = list(addresses)

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_INET) -> list[ResolveResult]:
        address = self._addresses.pop(0) if len(self._addresses) > 1 else self._addresses[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        pass


HOSTS = [
    "127.0.0.1", "127.1", "0", "0.0.0.0", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "localhost",
    "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[::]", "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
async def test_no_spelling_of_a_private_address_is_connected_to(listener: tuple[int, list[int]], host: str) -> None:
    port, connected = listener
    with pytest.raises(KnowledgeError):
        await _changes(f"http://{host}:{port}/")

    assert [] == connected


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
async def test_no_name_that_is_resolved_to_a_private_address_is_connected_to(
    listener: tuple[int, list[int]], address: str
) -> None:
    port, connected = listener
    with pytest.raises(KnowledgeError, match="private address"):
        await _changes(f"http://docs.example:{port}/", Lying(address))

    assert [] == connected


async def test_a_name_that_becomes_another_machines_is_looked_at_again(site: Site) -> None:
    rules = WebRules(pause_seconds=0, internal_hosts=frozenset({"docs.example"}))
    url, resolver = site.url.replace("127.0.0.1", "docs.example"), Lying("127.0.0.1", "0.0.0.0")
    first, second = (Web(f"{url}/docs/", rules, resolver) for _ in range(2))
    assert 3 == len((await first.changes("")).paths)
    site.begin()

    with pytest.raises(KnowledgeError, match="private address"):
        await second.changes("")

    await first.aclose()
    await second.aclose()
    assert [] == site.asked


@pytest.mark.parametrize(
    "leads_to",
    [
        "http://localhost:{port}/",
        "http://127.0.0.1:{port}/",
        "//[::1]:{port}/",
        "http://169.254.169.254/latest/",
        "file:///etc/passwd",
    ],
)
async def test_no_redirect_leads_from_an_internal_site_to_another_machine_or_port(
    site: Site, listener: tuple[int, list[int]], leads_to: str
) -> None:
    port, connected = listener
    site.pages["/docs/"] = Page(leads_to=leads_to.format(port=port))

    with pytest.raises(KnowledgeError, match="redirects to"):
        await _changes(f"{site.url}/docs/")

    assert [] == connected


async def _changes(url: str, resolver: AbstractResolver | None = None) -> None:
    rules = RULES if resolver is None and url.startswith("http://127.0.0.1:") and "/docs/" in url else WebRules()
    one = Web(url, rules, resolver)
    try:
        await one.changes("")
    finally:
        await one.aclose()


@pytest.mark.parametrize(
    ("address", "public", "internal"),
    [
        ("93.184.215.14", True, True), ("2606:2800:21f::1", True, True), ("10.0.0.1", False, True),
        ("192.168.1.1", False, True), ("172.16.9.9", False, True), ("100.100.100.200", False, True),
        ("169.254.169.254", False, False), ("::ffff:169.254.169.254", False, False), ("fe80::1%eth0", False, False),
        ("fd00:ec2::254", False, True), ("0.0.0.0", False, False), ("224.0.0.1", False, False), ("::", False, False),
        ("2002:7f00:1::", False, True), ("2002:a9fe:a9fe::", False, False), ("64:ff9b::a00:1", False, True),
    ],
)  # fmt: skip
def test_which_machines_may_be_connected_to(address: str, public: bool, internal: bool) -> None:
    assert (public, internal) == (
        may_connect(address, is_internal=False),
        may_connect(address, is_internal=True),
    )


async def test_an_endless_page_and_an_endless_way_end(database: Database, embedder: Embedder, site: Site) -> None:
    site.page("/docs/", "Docs", "All.", "round", "bomb", "leave")
    site.pages["/docs/round"] = Page(leads_to="/docs/round")
    site.pages["/docs/bomb"] = Page("y" * 3_000_000)
    rules = WebRules(pause_seconds=0, internal_hosts=RULES.internal_hosts, largest_mb=1)

    outcome = await read(database, embedder, f"{site.url}/docs/", rules)

    assert ["round.html", "bomb.html"] == [one.path for one in outcome.failed]
    assert "leave.html" in await known(database)


@pytest.mark.parametrize("url", ["https://ada:secret@docs.example/", "https:///", "https://docs.example:x/"])
def test_what_is_no_address_is_said(url: str) -> None:
    with pytest.raises(KnowledgeError):
        guessed(url)


def test_addresses_are_compared_as_they_are_meant() -> None:
    assert "https://docs.example/a%20b?x=1" == normal("HTTPS://Docs.Example:443/a b?x=1#top")
    assert "web" == guessed("https://docs.example/")[0]
    assert "git" == guessed("https://git.example/docs.git")[0] == guessed("https://git.example/docs", "git")[0]
    assert is_same_site("http://docs.example/", "https://docs.example/")
    assert not is_same_site("https://docs.example/", "http://docs.example/")
    assert "a/b.pdf" == path_of("https://docs.example/x/a/b.pdf", "https://docs.example/x/", "application/octet-stream")
    assert path_of("https://docs.example/x/a.exe", "https://docs.example/x/", "application/octet-stream") is None


async def test_a_site_is_found_by_its_address_however_it_is_written(database: Database) -> None:
    here = at(Desk(), database)
    added = await sources.add_source(
        here, "HTTPS://Docs.example", ["everyone"], upkeep=sources.UpkeepChange(minutes=60, days=180)
    )

    assert ("web", "https://docs.example/", 180) == (added.kind, added.location, added.stale_after_days)
    assert await sources.set_source(here, "https://docs.example", upkeep=sources.UpkeepChange(minutes=0))
    changed = await source(database)
    assert (None, 180) == (changed.every, changed.stale_after_days)


def test_what_is_no_sitemap_and_what_never_ends_is_said() -> None:
    for content in (b"<html>", gzip.compress(b"<urlset>" + b" " * 60_000_000), b"\x1f\x8bno"):
        with pytest.raises(KnowledgeError):
            places_in(content, "https://docs.example/sitemap.xml")
    assert [] == links_of(b"<a " * 200_000, "https://docs.example/")
