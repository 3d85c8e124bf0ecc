"""A web source that breaks, in any way and at any request, keeps what was known of it, and says why."""

import gzip
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import pytest

from bot.knowledge.connectors.source_settings import WebRules
from bot.knowledge.connectors.web.web import Web
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from tests.knowledge.site import Page, Site, serving
from tests.knowledge.test_connectors import known, source
from tests.knowledge.test_web import sitemap

RULES = WebRules(pause_seconds=0, internal_hosts=frozenset({"127.0.0.1"}))
LEAVE, OFFICE = "/docs/leave", "/docs/office"
LOGIN = "/login"
BROKEN = {
    "500": Page("It broke.", status=500),
    "429": Page("Too often.", status=429),
    "403": Page("You may not.", status=403),
    "204": Page("", status=204),
    "empty": Page(" \n"),
    "a login": Page(leads_to=LOGIN),
    "a login by 307": Page(leads_to=LOGIN, status=307),
    "elsewhere": Page(leads_to="https://elsewhere.example/"),
    "in circles": Page(leads_to="/docs/"),
    "cut": Page("<h1>Do", is_cut=True),
    "nothing": Page(hangs=True),
}
FOUND = [f"docs/{name}.html" for name in ("leave", "office")]


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    """A site of two pages and a list of them, and the page of a login."""
    async with serving() as site:
        site.page("/docs/", "Docs", "All that we know.", "leave", "office")
        site.page(LEAVE, "Leave", "Everybody has 28 days of leave.")
        site.page(OFFICE, "Office", "The code opens the cellar.")
        site.page(LOGIN, "Login", "Who are you?")
        site.pages["/all.xml"] = Page(listing(site))
        yield site


def listing(site: Site) -> str:
    """Return a sitemap of the two pages."""
    return sitemap(f"{site.url}{LEAVE}", f"{site.url}{OFFICE}")


async def read(database: Database, embedder: Embedder, url: str, rules: WebRules = RULES) -> Ingested:
    return await sync(database, embedder, "one", [Web(url, rules)])


async def stays(
    database: Database, embedder: Embedder, url: str, breaks: Callable[[], None], *, is_whole: bool = True
) -> Ingested:
    """Read a source, break it, and read it again. Nothing may be lost, and what failed is said."""
    await read(database, embedder, url)
    before = await known(database)
    breaks()

    outcome = await read(database, embedder, url)

    assert before == await known(database)
    assert (0, 0, 0) == (outcome.added, outcome.changed, outcome.removed)
    assert is_whole == bool((await source(database)).error)
    return outcome


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("where", ["/docs/", LEAVE, "/all.xml"])
async def test_if_its_first_page_or_its_sitemap_breaks_everything_stays(
    database: Database, embedder: Embedder, site: Site, where: str, how: str
) -> None:
    def breaks() -> None:
        site.pages[where] = BROKEN[how] if how != "in circles" else Page(leads_to=where)

    outcome = await stays(database, embedder, f"{site.url}{where}", breaks)

    assert [f"{site.url}{where}"] == [one.path for one in outcome.failed]


@pytest.mark.parametrize("how", ["500", "elsewhere", "cut", "nothing"])
async def test_if_its_robots_txt_breaks_everything_stays(
    database: Database, embedder: Embedder, site: Site, how: str
) -> None:
    await stays(database, embedder, f"{site.url}/docs/", lambda: site.pages.update({"/robots.txt": BROKEN[how]}))


@pytest.mark.parametrize("how", ["403", "empty", "a login"])
async def test_a_robots_txt_that_forbids_nothing_is_as_good_as_none(
    database: Database, embedder: Embedder, site: Site, how: str
) -> None:
    def breaks() -> None:
        site.pages["/robots.txt"] = BROKEN[how]

    outcome = await stays(database, embedder, f"{site.url}/docs/", breaks, is_whole=False)

    assert [] == outcome.failed


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("source_at", ["/docs/", "/all.xml"])
async def test_if_a_page_breaks_it_stays_and_the_others_are_read(
    database: Database, embedder: Embedder, site: Site, source_at: str, how: str
) -> None:
    outcome = await stays(
        database, embedder, f"{site.url}{source_at}", lambda: site.pages.update({OFFICE: BROKEN[how]}), is_whole=False
    )

    assert ["office.html"] == [one.path.rpartition("/")[2] for one in outcome.failed]
    site.page(OFFICE, "Office", "The code opens the attic.")
    assert (1, []) == ((again := await read(database, embedder, f"{site.url}{source_at}")).changed, again.failed)


@pytest.mark.parametrize("part", ["cut", "packed and cut", "of nothing", "of another site"])
async def test_a_sitemap_that_is_not_whole_or_lists_nothing_deletes_nothing(
    database: Database, embedder: Embedder, site: Site, part: str
) -> None:
    whole = listing(site)
    parts = {
        "cut": whole[: whole.index("<url><loc>", whole.index("</url>"))].encode(),
        "packed and cut": gzip.compress(whole.encode() + b"\n" * 9_000)[:-8],
        "of nothing": sitemap().encode(),
        "of another site": sitemap("https://elsewhere.example/docs/leave").encode(),
    }

    await stays(
        database, embedder, f"{site.url}/all.xml", lambda: site.pages.update({"/all.xml": Page(body=parts[part])})
    )


async def test_if_all_pages_want_a_login_everything_stays(database: Database, embedder: Embedder, site: Site) -> None:
    def breaks() -> None:
        site.pages |= {path: Page(leads_to=LOGIN) for path in (LEAVE, OFFICE)}

    outcome = await stays(database, embedder, f"{site.url}/all.xml", breaks, is_whole=False)

    assert FOUND == sorted(one.path for one in outcome.failed)
    assert all(f"redirects to {site.url}{LOGIN}" in one.reason for one in outcome.failed)


@pytest.mark.parametrize("asks_for", ["", "?next="])
async def test_a_login_takes_the_place_of_no_page_that_a_redirect_found(
    database: Database, embedder: Embedder, site: Site, asks_for: str
) -> None:
    url = f"{site.url}/all.xml"
    for path in (LEAVE, OFFICE):
        site.pages |= {f"{path}/": site.pages[path], path: Page(leads_to=f"{path}/")}

    def breaks() -> None:
        for path in (LEAVE, OFFICE):
            login = f"{LOGIN}{asks_for and asks_for + path}"
            site.pages |= {login: site.pages[LOGIN], path: Page(leads_to=login)}

    for _ in range(2):
        outcome = await stays(database, embedder, url, breaks, is_whole=False)
        assert [f"{site.url}{LOGIN}" in one.reason for one in outcome.failed] == [True, True]
        for path in (LEAVE, OFFICE):
            site.pages[path] = Page(leads_to=f"{path}/")
    assert [] == (await read(database, embedder, url)).failed


async def test_of_redirects_to_other_pages_each_takes_its_own(
    database: Database, embedder: Embedder, site: Site
) -> None:
    for language in ("de", "en"):
        for path in (LEAVE, OFFICE):
            site.page(f"/{language}{path}", "Title", f"The text of {path} in {language}.")
            site.pages[path] = Page(leads_to=f"/{language}{path}")
        assert [] == (await read(database, embedder, f"{site.url}/all.xml")).failed
        assert {f"{language}/{path}" for path in FOUND} == (await known(database)).keys()


@pytest.mark.parametrize("status", [301, 308])
async def test_a_page_that_moved_for_good_is_read_at_its_new_address_only(
    database: Database, embedder: Embedder, site: Site, status: int
) -> None:
    url = f"{site.url}/all.xml"
    await read(database, embedder, url)
    site.page("/docs/place", "Place", "The code opens the cellar.")
    site.pages[OFFICE] = Page(leads_to="/docs/place", status=status)

    outcome = await read(database, embedder, url)

    assert (1, 1, []) == (outcome.added, outcome.removed, outcome.failed)
    assert {"docs/leave.html", "docs/place.html"} == (await known(database)).keys()
    site.pages[OFFICE] = BROKEN["500"]
    assert 0 == (await read(database, embedder, url)).removed, "It may redirect again."
    site.page(OFFICE, "Office", "The code opens the cellar.")
    await read(database, embedder, url)
    assert {*FOUND} == (await known(database)).keys()


async def test_a_temporary_redirect_may_lead_to_another_page_each_time(
    database: Database, embedder: Embedder, site: Site
) -> None:
    url = f"{site.url}/newest"
    for path in (LEAVE, OFFICE):
        site.pages["/newest"] = Page(leads_to=path)
        assert [] == (await read(database, embedder, url)).failed
        assert {f"{path[1:]}.html"} == (await known(database)).keys()


async def test_a_redirect_out_of_the_source_is_said(database: Database, embedder: Embedder, site: Site) -> None:
    site.pages["/docs/"] = Page(leads_to=LOGIN, status=301)

    outcome = await read(database, embedder, f"{site.url}/docs/")

    (failed,) = outcome.failed
    assert f"{site.url}/docs/ redirects to {site.url}{LOGIN}: add that address to read it." == failed.reason


@pytest.mark.parametrize("how", BROKEN)
async def test_what_failed_and_is_not_asked_for_now_is_replaced_by_no_error(
    database: Database, embedder: Embedder, site: Site, how: str
) -> None:
    url = f"{site.url}/all.xml"
    await read(database, embedder, url)
    site.pages[OFFICE] = BROKEN["500"]
    await read(database, embedder, url)
    before = await known(database)
    site.pages[OFFICE] = BROKEN[how]

    outcome = await read(database, embedder, url, replace(RULES, pages=1))

    assert before == await known(database)
    assert ["docs/office.html"] == [one.path for one in outcome.failed]
    site.pages["/robots.txt"] = Page(f"User-agent: *\nDisallow: {OFFICE}", mime="text/plain")
    site.begin()
    await read(database, embedder, url, replace(RULES, pages=1))
    assert OFFICE not in site.asked
