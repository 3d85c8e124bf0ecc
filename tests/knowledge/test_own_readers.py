"""A source that says who may read it and what it holds is followed; the example of docs/connectors.md does both."""

import re
from pathlib import Path

import pytest

from bot.audience import known_names
from bot.cli.knowledge import sources
from bot.errors import KnowledgeError
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from tests.knowledge.test_connectors import known
from tests.knowledge.test_sources import Desk, at
from tests.knowledge.test_syncing import Gated

EXAMPLE = re.findall(r"```python\n(.*?)```", Path("docs/connectors.md").read_text("utf-8"), flags=re.DOTALL)[0]


class Api:
    """The wiki that the example reads."""

    def __init__(self) -> None:
        self.texts = {"leave": "28 days.", "salaries": "Ada earns more.", "plans": "A new office."}
        self.readers: dict[str, list[str]] = {"salaries": ["U0ADA1"], "plans": ["C0PEOPLE1", "ben@wiki.example"]}
        self.fails = False
        self.revision = 0

    async def edited_since(self, cursor: str) -> tuple[list[str], str]:
        self.revision += 1
        return ([] if cursor else [*self.texts]), str(self.revision)

    async def text(self, page: str) -> str:
        return f"# {page}\n\n{self.texts[page]}\n"

    async def pages(self) -> list[str]:
        return [*self.texts]

    async def restricted(self) -> dict[str, list[str]]:
        if self.fails:
            raise KnowledgeError("The wiki does not say who may read it.")
        return self.readers

    async def close(self) -> None:
        pass


@pytest.fixture
def api() -> Api:
    return Api()


def wiki(api: Api) -> Connector:
    """Run the document's code."""
    names: dict[str, object] = {"connect": lambda _host, _token: api}
    exec(EXAMPLE, names)
    maker = names["Wiki"]
    assert callable(maker)
    return maker("wiki:hr", SourceSettings(secrets={"WIKI_TOKEN": "secret"}))  # type: ignore[no-any-return]


async def read(database: Database, embedder: Embedder, api: Api) -> Ingested:
    return await sync(database, embedder, "one", [wiki(api)])


async def seen(database: Database, *names: str) -> set[str]:
    """Return the paths of the documents that these names may read."""
    async with database.transaction("one") as connection:
        await read_as(connection, frozenset(names))
        cursor = await connection.execute("SELECT path FROM documents")
        return {row["path"] for row in await cursor.fetchall()}


async def test_documents_are_for_whom_the_source_says(database: Database, embedder: Embedder, api: Api) -> None:
    outcome = await read(database, embedder, api)

    assert 3 == outcome.added
    assert {"leave.md"} == await seen(database, "everyone")
    assert {"leave.md", "salaries.md"} == await seen(database, "everyone", "person:U0ADA1")
    assert {"leave.md", "plans.md"} == await seen(database, "everyone", "channel:C0PEOPLE1")
    assert ["ben@wiki.example is no name in Slack, so it is nobody."] == [one.reason for one in outcome.warned]


async def test_a_new_restriction_holds_after_the_next_reading_and_embeds_nothing(
    database: Database, embedder: Embedder, api: Api, embedded: list[str]
) -> None:
    await read(database, embedder, api)
    embedded.clear()
    api.readers = {"leave": ["U0ADA1"], "plans": []}

    await read(database, embedder, api)

    assert {"salaries.md"} == await seen(database, "everyone", "channel:C0PEOPLE1")
    assert {"leave.md", "salaries.md"} == await seen(database, "everyone", "person:U0ADA1")
    assert [] == embedded


class Silent(Gated):
    """A source that speaks of nothing."""

    async def audiences(self) -> dict[str, list[str]]:
        return {}


async def test_what_the_source_does_not_speak_of_is_for_nobody(database: Database, embedder: Embedder) -> None:
    await sync(database, embedder, "one", [Silent("plans")])

    assert set() == await seen(database, "everyone", "guests", "person:U0ADA1")
    assert {"plans.md"} == (await known(database)).keys()


async def test_if_the_source_cannot_say_who_may_read_nothing_changes(
    database: Database, embedder: Embedder, api: Api
) -> None:
    await read(database, embedder, api)
    api.fails = True
    api.texts.pop("leave")

    outcome = await read(database, embedder, api)

    assert ["The wiki does not say who may read it."] == [one.reason for one in outcome.failed]
    assert {"leave.md"} == await seen(database, "everyone")


async def test_of_a_source_that_never_said_who_may_read_nothing_is_stored(
    database: Database, embedder: Embedder, api: Api
) -> None:
    api.fails = True

    await read(database, embedder, api)

    assert {} == await known(database)


async def test_what_the_source_does_not_list_any_more_is_deleted(
    database: Database, embedder: Embedder, api: Api
) -> None:
    await read(database, embedder, api)
    del api.texts["plans"]

    outcome = await read(database, embedder, api)

    assert 1 == outcome.removed
    assert {"leave.md", "salaries.md"} == (await known(database)).keys()


async def test_an_administrator_cannot_share_it_otherwise(database: Database, embedder: Embedder, api: Api) -> None:
    with pytest.raises(KnowledgeError, match="says itself who may read it"):
        sources.require_shareable(wiki(api))
    await read(database, embedder, api)
    with pytest.raises(KnowledgeError, match="no kind of source called wiki"):
        await sources.share_source(at(Desk(), database), "wiki:hr", ["everyone"], part="")

    assert {"leave.md"} == await seen(database, "everyone")


def test_a_word_that_is_no_name_is_nobody() -> None:
    assert (frozenset({"everyone", "person:U0ADA1"}), ["ada@example.com", "*"]) == known_names(
        ["everyone", "U0ADA1", "ada@example.com", "*"]
    )
    assert (frozenset(), []) == known_names(["nobody"])
