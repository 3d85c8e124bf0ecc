"""Pages of Notion are listed completely, read if they were edited, and written as Markdown."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import structlog.testing

from bot.cli.knowledge import sources
from bot.errors import KnowledgeError
from bot.knowledge.connectors.kinds import connector_of, guessed
from bot.knowledge.connectors.notion.notion import Notion
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.ingest import sync
from bot.knowledge.read import parse_document
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.tally import Ingested
from bot.models.embedding import MiniLm
from bot.postgres.pool import Database
from tests.knowledge.conftest import NotingEmbedder
from tests.knowledge.notion_site import TOKEN, NotionSite, block, page_id_of, path_of, rich, row, serving_notion
from tests.knowledge.test_connectors import known, source
from tests.knowledge.test_sources import Desk, at

NAME = "NOTION_TOKEN"


@pytest.fixture
async def notion() -> AsyncGenerator[NotionSite]:
    """A Notion with two pages with text and one without, edited in different minutes."""
    async with serving_notion() as site:
        site.page("Leave", "Everybody has 28 days of leave.", edited="2026-11-01T09:00:00.000Z")
        site.page("Office", "The code opens the cellar.", edited="2026-11-02T09:00:00.000Z")
        site.page("Start", block("child_page", title="Leave"), edited="2026-11-03T09:00:00.000Z")
        yield site


def settings_for(notion: NotionSite, token: str = TOKEN) -> SourceSettings:
    return SourceSettings(notion_url=notion.url, notion_pause_seconds=0, secrets={NAME: token})


async def read(database: Database, embedder: Embedder, notion: NotionSite, token: str = TOKEN) -> Ingested:
    return await sync(database, embedder, "one", [Notion(f"notion:{NAME}", settings_for(notion, token))])


def fetched(notion: NotionSite) -> set[str]:
    """Return the titles of the pages whose blocks were asked for."""
    titles = {f"GET /v1/blocks/{page_id_of(title)}/children": title for title in notion.pages}
    return {titles[asked] for asked in notion.asked if asked in titles}


async def text_of(notion: NotionSite, title: str) -> str:
    one = Notion(f"notion:{NAME}", settings_for(notion))
    try:
        await one.changes("")
        return (await one.content(path_of(title), Limits())).decode()
    finally:
        await one.aclose()


async def test_all_pages_are_read_part_after_part_and_what_has_no_text_is_skipped(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    notion.largest_part = 2

    outcome = await read(database, embedder, notion)

    assert (2, [], {"without text": 1}) == (outcome.added, outcome.failed, outcome.skipped)
    assert {path_of("Leave"), path_of("Office")} == (await known(database)).keys()
    assert 2 == notion.asked.count("POST /v1/search")


async def test_only_what_was_edited_is_fetched_and_embedded_again(
    database: Database, embedder: Embedder, notion: NotionSite, embedded: list[str]
) -> None:
    await read(database, embedder, notion)
    notion.begin()
    embedded.clear()
    notion.page("Leave", "Everybody has 30 days of leave.", edited="2026-11-04T09:00:00.000Z")
    notion.page("Travel", "Trains are booked by Ben.", edited="2026-11-05T09:00:00.000Z")

    outcome = await read(database, embedder, notion)

    assert (1, 1, 0, 2) == (outcome.added, outcome.changed, outcome.removed, len(embedded))
    assert {"Leave", "Travel", "Start"} == fetched(notion), "Start was edited in what was the newest minute."
    notion.begin()
    await read(database, embedder, notion)
    assert {"Travel"} == fetched(notion)


async def test_a_second_edit_within_the_same_minute_is_seen(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    notion.page("Leave", "Everybody has 29 days of leave.", edited="2026-11-09T09:00:00.000Z")
    await read(database, embedder, notion)
    notion.page("Leave", "Everybody has 31 days of leave.", edited="2026-11-09T09:00:00.000Z")
    notion.page("Office", "The code opens the roof.", edited="2026-11-09T09:10:00.000Z")

    outcome = await read(database, embedder, notion)

    assert 2 == outcome.changed
    assert "31 days" in (await known(database))[path_of("Leave")]


async def test_many_pages_of_the_newest_minute_are_read_each_time(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    for number in range(60):
        notion.page(f"Row {number}", f"Row {number} is kept.", edited="2026-12-07T09:00:00.000Z")
    first = await read(database, embedder, notion)
    notion.page("Row 59", "Row 59 is gone.", edited="2026-12-07T09:00:00.000Z")

    second = await read(database, embedder, notion)

    assert (62, [], 1, []) == (first.added, first.failed, second.changed, second.failed)


async def test_a_page_that_is_shared_later_is_read_however_old_it_is(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    old = notion.page("Rules", "Dogs stay outside.", edited="2020-01-01T00:00:00.000Z")
    old.is_shared = False
    await read(database, embedder, notion)
    old.is_shared = True

    assert 1 == (await read(database, embedder, notion)).added


@pytest.mark.parametrize("how", ["deleted", "in the trash", "no longer shared"])
async def test_what_is_gone_goes(database: Database, embedder: Embedder, notion: NotionSite, how: str) -> None:
    await read(database, embedder, notion)
    match how:
        case "deleted":
            del notion.pages["Leave"]
        case "in the trash":
            notion.pages["Leave"].in_trash = True
        case _:
            notion.pages["Leave"].is_shared = False

    assert 1 == (await read(database, embedder, notion)).removed
    assert [path_of("Office")] == [*await known(database)]


async def test_a_page_that_only_the_search_forgets_stays(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    await read(database, embedder, notion)
    notion.pages["Leave"].is_listed = False

    outcome = await read(database, embedder, notion)

    assert (0, 2) == (outcome.removed, len(await known(database)))


async def test_a_page_that_lost_its_text_goes(database: Database, embedder: Embedder, notion: NotionSite) -> None:
    await read(database, embedder, notion)
    notion.page("Leave", edited="2026-11-06T09:00:00.000Z")

    outcome = await read(database, embedder, notion)

    assert (1, []) == (outcome.removed, outcome.failed)
    assert [path_of("Office")] == [*await known(database)]


async def test_after_something_that_is_no_list_nothing_goes(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    await read(database, embedder, notion)
    del notion.pages["Leave"]
    notion.failures = [(200, {})]  # An object that is no list.

    outcome = await read(database, embedder, notion)

    assert (0, 1) == (outcome.removed, len(outcome.failed))
    assert 2 == len(await known(database))


async def test_if_the_second_part_of_the_list_fails_everything_stays(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    await read(database, embedder, notion)
    del notion.pages["Leave"]
    notion.page("Travel", "Trains are booked by Ben.", edited="2026-11-05T09:00:00.000Z")
    notion.largest_part = 1
    notion.most_lists = 1

    outcome = await read(database, embedder, notion)

    assert (0, 0, 1) == (outcome.removed, outcome.added, len(outcome.failed))


async def test_notion_is_asked_again_after_as_many_seconds_as_it_says(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    notion.failures = [(429, {"Retry-After": "1"}), (429, {"Retry-After": "1"})]

    outcome = await read(database, embedder, notion)

    assert (2, []) == (outcome.added, outcome.failed)
    assert notion.times[2] - notion.times[0] >= 2
    assert ["POST /v1/search"] * 3 == notion.asked[:3]


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        ((401, {}), "Notion does not accept the token in NOTION_TOKEN: copy it again."),
        ((403, {}), "Notion forbids it: let the connection of NOTION_TOKEN read content."),
        ((429, {"Retry-After": "3600"}), "Notion accepts no more requests for 3600 seconds: read it less often."),
        ((418, {}), "Notion answers with 418: try again later."),
        ((302, {"Location": "https://evil.example/"}), "Notion answers with 302: try again later."),
    ],
)
async def test_a_refusal_is_one_sentence_and_everything_stays(
    database: Database, embedder: Embedder, notion: NotionSite, failure: tuple[int, dict[str, str]], why: str
) -> None:
    await read(database, embedder, notion)
    notion.failures = [failure]

    outcome = await read(database, embedder, notion)

    assert [why] == [one.reason for one in outcome.failed]
    assert 2 == len(await known(database))
    desk = Desk()
    await sources.show_source(at(desk, database), f"notion:{NAME}")
    assert f"Nothing could be read: {why}" in desk.shown.getvalue()


async def test_a_page_that_fails_keeps_its_text_and_is_tried_again(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    await read(database, embedder, notion)
    notion.page("Leave", "Everybody has 30 days of leave.", edited="2026-11-06T09:00:00.000Z")
    notion.page("Office", "The code opens the roof.", edited="2026-11-07T09:00:00.000Z")
    broken = f"/v1/blocks/{page_id_of('Leave')}/children"
    notion.broken = {broken: 404}

    outcome = await read(database, embedder, notion)

    assert (1, [path_of("Leave")]) == (outcome.changed, [one.path for one in outcome.failed])
    assert ["The page is gone, or no longer shared with the connection of NOTION_TOKEN."] == [
        one.reason for one in outcome.failed
    ]
    assert "28 days" in (await known(database))[path_of("Leave")]
    notion.broken = {}
    assert 1 == (await read(database, embedder, notion)).changed
    assert ("30 days" in (await known(database))[path_of("Leave")], 0) == (True, (await source(database)).failures)


async def test_an_interrupted_reading_goes_on_after_the_last_complete_part(
    database: Database, minilm: MiniLm, notion: NotionSite
) -> None:
    notion.pages.clear()
    for number in range(120):
        edited = f"2026-11-20T{number // 60:02}:{number % 60:02}:00.000Z"
        notion.page(f"Rule {number}", f"The rule {number} is kept.", edited=edited)

    class Ended(NotingEmbedder):
        def embed_passages(self, texts: list[str]) -> Matrix:
            if any("rule 60 " in text for text in texts):
                raise asyncio.CancelledError
            return super().embed_passages(texts)

    with pytest.raises(asyncio.CancelledError):
        await read(database, Ended(minilm, [], []), notion)
    assert 50 <= len(await known(database)) < 120
    assert (await source(database)).synced_at is None, "It is still due."
    notion.begin()

    outcome = await read(database, NotingEmbedder(minilm, [], []), notion)

    assert 120 == len(await known(database))
    assert (70, 0) == (len(fetched(notion)), outcome.removed)


async def test_a_reading_is_cancelled_while_notion_says_nothing(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    notion.hangs_at = "/children"
    reading = asyncio.create_task(read(database, embedder, notion))
    async with asyncio.timeout(30):
        while not any("/children" in asked for asked in notion.asked):  # noqa: ASYNC110 - There is no event to wait for.
            await asyncio.sleep(0.01)

    began = time.monotonic()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert time.monotonic() - began < 30, "A moment on a machine that does nothing else; a request may take a minute."


async def test_the_token_is_in_no_row_no_log_and_no_message(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    with structlog.testing.capture_logs() as lines:
        await read(database, embedder, notion)
        notion.token = "another"  # pragma: allowlist secret
        outcome = await read(database, embedder, notion)
        notion.url = "http://127.0.0.1:9"
        outcome.failed += (await read(database, embedder, notion)).failed
    async with database.transaction("one") as connection:
        cursor = await connection.execute("SELECT sources::text AS said FROM sources")
        rows = [row["said"] for row in await cursor.fetchall()]

    assert 2 == len(outcome.failed)
    assert TOKEN not in f"{lines} {outcome} {rows} {settings_for(notion)!r}"


@pytest.mark.parametrize(
    ("location", "secrets", "why"),
    [
        ("notion:OTHER", {NAME: TOKEN}, "The secret OTHER is missing: name it in ASKBACK_SOURCE_SECRETS"),
        ("notion:", {NAME: TOKEN}, "Give notion: and the name of the variable"),
        (f"notion:{NAME}", {NAME: "two words"}, "The secret NOTION_TOKEN is not one word of ASCII signs"),
        (f"notion:{NAME}", {NAME: "ntn_\r\nHost: evil"}, "The secret NOTION_TOKEN is not one word of ASCII signs"),
    ],
)
def test_what_cannot_be_a_source_is_said(location: str, secrets: dict[str, str], why: str) -> None:
    with pytest.raises(KnowledgeError, match=why) as caught:
        connector_of("notion", location, SourceSettings(secrets=secrets))
    assert not any(value in str(caught.value) for value in secrets.values())


async def test_a_connection_that_may_read_nothing_says_so(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    notion.pages.clear()

    (failure,) = (await read(database, embedder, notion)).failed

    assert "may read no page" in failure.reason


async def test_a_source_whose_secret_is_missing_stops_no_other_one(
    database: Database, embedder: Embedder, notion: NotionSite
) -> None:
    await read(database, embedder, notion)
    here = at(Desk(), database)

    connectors = await sources.chosen(here, None, only_due=False)
    assert connectors is not None
    outcome = await sync(database, embedder, "one", connectors)

    assert ["NOTION_TOKEN is missing" in one.reason for one in outcome.failed] == [True]
    assert 2 == len(await known(database))


def test_the_kind_is_seen_in_the_location() -> None:
    assert ("notion", "notion:NOTION_TOKEN") == guessed("notion:NOTION_TOKEN")


async def test_headings_lists_tables_code_and_links_become_markdown(notion: NotionSite) -> None:
    notion.page(
        "Travel",
        block("heading_1", "Trains"),
        block("paragraph", [rich("Book at "), rich("the shop", href="https://shop.example/a"), rich(" with "),
                            rich("book now", code=True), rich("; see "), rich("Leave", href="/0a1b")]),
        block("heading_2", "Steps", block("paragraph", "Inside a heading that opens."), is_toggleable=True),
        block("bulleted_list_item", "First", block("bulleted_list_item", "Deeper"),
              block("code", "ls", language="bash")),
        block("bulleted_list_item", "Second"),
        block("numbered_list_item", "One"),
        block("numbered_list_item", "Two", block("numbered_list_item", "Two and a half")),
        block("to_do", "Pay", checked=True),
        block("to_do", "Claim", checked=False),
        block("table", "", row("Meal", "EUR"), row("Lunch | warm", "12"), row("Dinner"), table_width=2),
        block("code", "print('``` # no heading')", language="python"),
        block("quote", "Line one\nline two"),
        block("callout", "Mind the gap.", block("paragraph", "Always.")),
        block("toggle", "What about planes?", block("paragraph", "Ask Ben.")),
        block("column_list", "", block("column", "", block("paragraph", "Left."))),
        block("paragraph", "# is a sign\n1. is a number"),
        block("divider"),
        block("bookmark", "", url="https://rail.example/", caption=[rich("Timetable")]),
        block("image", "", type="file", file={"url": "https://s3.example/signed?x=1"}, caption=[rich("A map")]),
        block("equation", "", expression="e = mc^2"),
        block("child_page", "", block("paragraph", "Of another page."), title="Leave"),
        block("unsupported"),
    )  # fmt: skip

    assert (
        await text_of(notion, "Travel")
        == """---
title: Travel
saved: '2026-11-20'
---

# Trains

Book at [the shop](https://shop.example/a) with `book now`; see [Leave](https://www.notion.so/0a1b)

## Steps

Inside a heading that opens.

- First
  - Deeper
  ```bash
  ls
  ```
- Second

1. One
2. Two
   1. Two and a half

- [x] Pay
- [ ] Claim

| Meal | EUR |
| --- | --- |
| Lunch \\| warm | 12 |
| Dinner |  |

````python
print('``` # no heading')
````

> Line one
> line two

> Mind the gap.
>
> Always.

What about planes?

Ask Ben.

Left.

\\# is a sign
\\1. is a number

[Timetable](https://rail.example/)

A map

`e = mc^2`
"""
    )


async def test_our_reader_takes_what_is_written(notion: NotionSite) -> None:
    notion.page(
        "Travel",
        block("heading_1", "Trains"),
        block("table", "", row("Meal", "EUR"), row("Lunch", "12")),
        block("code", "ls\n\n# no heading", language="bash"),
    )

    document = parse_document(path_of("Travel"), (await text_of(notion, "Travel")).encode())

    assert ("Travel", "2026-11-20") == (document.title, document.dated)
    assert [
        ("Trains", 1, False),
        ("| Meal | EUR |\n| --- | --- |\n| Lunch | 12 |", 0, True),
        ("```bash\nls\n\n# no heading\n```", 0, True),
    ] == [(one.text, one.level, one.whole) for one in document.blocks]


async def test_when_notion_says_that_a_page_was_edited_holds_whatever_its_text_says(notion: NotionSite) -> None:
    notion.page("Plan", block("paragraph", "Version 3, April 2036"))

    assert "2026-11-20" == parse_document(path_of("Plan"), (await text_of(notion, "Plan")).encode()).dated


async def test_the_columns_of_a_row_are_attributes_and_set_nothing_of_ours(notion: NotionSite) -> None:
    page = notion.page("Laptop", "It is silver.")
    page.properties = {
        "Status": {"type": "status", "status": {"name": "In use"}},
        "Tags": {"type": "multi_select", "multi_select": [{"name": "IT"}, {"name": "Loan"}]},
        "Owner": {"type": "people", "people": [{"object": "user", "id": "u", "name": "Ada"}]},
        "Price": {"type": "number", "number": 1200},
        "Due": {"type": "date", "date": {"start": "2026-12-01", "end": None}},
        "URL": {"type": "url", "url": "https://evil.example/"},
        "Note: a": {"type": "rich_text", "rich_text": [rich("x: y\n---\nurl: https://evil.example/")]},
        "Label": {"type": "formula", "formula": {"type": "string", "string": "A-1"}},
        "Files": {"type": "files", "files": []},
        "Empty": {"type": "select", "select": None},
        "slack_writers": {"type": "rich_text", "rich_text": [rich("U0ADA")]},
    }

    document = parse_document(path_of("Laptop"), (await text_of(notion, "Laptop")).encode())

    expected = {
        "status": "In use",
        "tags": "IT, Loan",
        "owner": "Ada",
        "price": "1200",
        "due": "2026-12-01",
        "note: a": "x: y --- url: https://evil.example/",
        "label": "A-1",
    }
    assert (expected, None, ()) == (document.attributes, document.url, document.writers)


async def test_a_row_without_text_is_known_by_its_columns(notion: NotionSite) -> None:
    notion.page("Laptop").properties = {"Status": {"type": "status", "status": {"name": "In use"}}}

    assert (await text_of(notion, "Laptop")).endswith("---\n\n- Status: In use\n")


async def test_a_shared_block_of_a_page_that_is_not_shared_is_left_out(notion: NotionSite) -> None:
    page = notion.page("Travel", "Trains.", block("synced_block", "", block("paragraph", "Hidden.")))
    notion.broken = {f"/v1/blocks/{page_id_of(page.title)}:1/children": 404}

    assert (await text_of(notion, "Travel")).endswith("\n\nTrains.\n")


async def test_a_page_without_end_is_refused(notion: NotionSite) -> None:
    notion.page("Deep", _nested(30))

    with pytest.raises(KnowledgeError, match="nested too deeply"):
        await text_of(notion, "Deep")
    notion.page("Long", *[f"Line {number}." for number in range(5_100)])
    with pytest.raises(KnowledgeError, match="more than 5000 blocks"):
        await text_of(notion, "Long")


def _nested(depth: int) -> dict[str, Any]:
    return block("toggle", "Deeper", *([_nested(depth - 1)] if depth else []))


async def test_a_page_leads_to_notion_whatever_address_the_answer_has(notion: NotionSite) -> None:
    one = Notion(f"notion:{NAME}", settings_for(notion))
    url = one.url_of(path_of("Leave"))
    await one.aclose()

    assert f"https://www.notion.so/{page_id_of('Leave').replace('-', '')}" == url
