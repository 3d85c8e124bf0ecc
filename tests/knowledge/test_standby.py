"""A standby searches while it has every change that the search depends on, and the primary does otherwise."""

import asyncio
import io
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg import OperationalError
from rich.console import Console
from structlog.testing import capture_logs

from bot.app import open_bot
from bot.audience import EVERYONE, Names, person_name
from bot.cli.doctor import examine
from bot.errors import StandbyError
from bot.knowledge import audience_store, source_store
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search
from bot.postgres.pool import Database
from bot.postgres.standby import Standby
from bot.settings import Settings
from tests.support.standbys import Servers, standing_by
from tests.support.waiting import let_pass

QUESTION = "How many days of paid leave does everybody have?"
ADA, BEN = (frozenset({EVERYONE, person_name(person)}) for person in ("UADA", "UBEN"))


class CountingStandby(Standby):
    """A standby that counts what it has read to the end."""

    reads = 0

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Database]:
        async with super().reading() as database:
            yield database
        self.reads += 1


@dataclass(kw_only=True)
class Office:
    """Documents on two servers, and people who ask about them."""

    database: Database
    standby: CountingStandby
    embedder: Embedder
    folder: Path

    async def ask(self, names: Names = ADA, question: str = QUESTION) -> list[str]:
        """Return the titles of what is found."""

        async def reader() -> Names:
            return names

        library = Library(self.database, "one", reader=reader, standby=self.standby)
        return [passage["title"] for passage in await Search(library, self.embedder).search(question, limit=5)]

    async def read(self, name: str, text: str) -> None:
        """Write a file, and read the folder again."""
        (self.folder / name).write_text(text)
        await ingest(self.database, self.embedder, "one", [self.folder])

    async def share(self, *names: str) -> None:
        """Let only these names read the folder."""
        async with self.database.transaction("one") as connection:
            source = await source_store.id_of(connection, str(self.folder))
            assert source
            await audience_store.share(connection, source, "", names)


@pytest.fixture(scope="module")
def servers(server_url: str) -> Generator[Servers]:
    with standing_by(server_url) as servers:
        yield servers


@pytest.fixture
async def office(
    servers: Servers, database: Database, database_url: str, embedder: Embedder, tmp_path: Path
) -> AsyncGenerator[Office]:
    await servers.catch_up()
    async with Database.open(servers.copy_of(database_url), size=2, workspace="one") as copy:
        office = Office(database=database, standby=CountingStandby(copy), embedder=embedder, folder=tmp_path)
        await office.read("leave.md", "# Holidays\n\nEverybody has 28 days of paid leave.\n")
        await servers.catch_up()
        yield office


async def test_a_standby_that_has_every_change_searches(office: Office) -> None:
    with capture_logs() as logs:
        found = await office.ask()

    assert ["Holidays"] == found
    assert 1 == office.standby.reads
    assert [] == [line["event"] for line in logs if line["event"].startswith("standby")]


async def test_a_revocation_holds_on_the_next_question_while_the_standby_is_behind(
    servers: Servers, office: Office
) -> None:
    with servers.apart(), capture_logs() as logs:
        await office.share(*ADA - {EVERYONE})
        assert [] == await office.ask(BEN)
        assert ["Holidays"] == await office.ask(ADA)
    await servers.catch_up()

    assert 0 == office.standby.reads
    assert ["standby_behind", "standby_behind"] == [one["event"] for one in logs if "standby" in one["event"]]
    assert [] == await office.ask(BEN)
    assert ["Holidays"] == await office.ask(ADA)
    assert 2 == office.standby.reads


async def test_what_was_read_or_removed_just_now_is_found_or_gone_at_once(servers: Servers, office: Office) -> None:
    with servers.apart():
        (office.folder / "leave.md").unlink()
        await office.read("cellar.md", "# Cellar\n\nThe code of the bicycle cellar is on the yellow card.\n")
        assert ["Cellar"] == await office.ask(question="What is the code of the bicycle cellar?")
        assert "Holidays" not in await office.ask()

    assert 0 == office.standby.reads


async def test_a_standby_that_hangs_is_left_alone_and_the_primary_searches(office: Office) -> None:
    office.standby.patience_seconds = 0.0  # pyright: ignore[reportAttributeAccessIssue] — an instance's own.
    with capture_logs() as logs:
        assert ["Holidays"] == await office.ask()
        assert ["Holidays"] == await office.ask()

    assert ["standby_failed"] == [one["event"] for one in logs if "standby" in one["event"]]
    assert 0 == office.standby.reads


async def test_a_standby_that_fails_is_tried_again_after_a_rest(office: Office) -> None:
    with pytest.raises(StandbyError):
        async with office.standby.reading():
            raise OperationalError
    with pytest.raises(StandbyError):
        async with office.standby.reading():
            pass
    assert 0 == office.standby.reads

    let_pass(Standby.rest_seconds)

    assert ["Holidays"] == await office.ask()
    assert 1 == office.standby.reads


async def test_without_an_answer_from_the_standby_the_bot_opens_without_it(app_url: str) -> None:
    nowhere = f"{app_url.rsplit('/', 1)[0]}/nowhere"

    with capture_logs() as logs:
        opening = asyncio.create_task(_opened(nowhere))
        await asyncio.sleep(0)
        let_pass(60)  # Its pool waits ten seconds.
        assert await opening is None

    assert "standby_failed" in {one["event"] for one in logs}


async def _opened(url: str) -> Standby | None:
    async with Standby.open(url, size=1, workspace="one") as standby:
        return standby


async def test_the_doctor_says_whether_the_standby_has_every_change(
    servers: Servers, office: Office, app_url: str
) -> None:
    settings = Settings.model_validate(
        {
            "database_url": app_url,
            "search_url": servers.copy_of(app_url),
            "workspace": "one",
        }
    )
    said = Console(file=io.StringIO(), width=400)

    await examine(settings, said)
    with servers.apart():
        await office.read("cellar.md", "# Cellar\n\nIt is open.\n")
        await examine(settings, said)

    assert isinstance(said.file, io.StringIO)
    answers, lacks = said.file.getvalue().split("The standby answers and has every change", 1)
    assert "lacks changes" not in answers
    assert "lacks changes" in lacks


async def test_the_bot_asks_the_standby_first(servers: Servers, office: Office, app_url: str) -> None:
    settings = Settings.model_validate({"search_url": servers.copy_of(app_url), "database_url": app_url})

    async def reader() -> Names:
        return ADA

    async with open_bot(settings, app_url) as bot:
        with servers.apart(), capture_logs() as logs:
            await office.read("cellar.md", "# Cellar\n\nIt is open.\n")
            found = await bot.context_of("one", reader).retriever.search("Is the cellar open?", limit=1)

    assert ["Cellar"] == [passage["title"] for passage in found]
    assert "standby_behind" in {one["event"] for one in logs}
