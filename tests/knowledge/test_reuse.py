"""An identical question of people who may read the same is searched once; what changed, or another audience, is not."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql
from structlog.testing import capture_logs

from bot.audience import EVERYONE, Names, channel_name, person_name
from bot.bot import Bot
from bot.clock import SystemClock
from bot.knowledge import audience_store, source_store
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.knowledge.reuse import Kept, KeptSearches, Key, ReusingSearch
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.search_store import SearchView, view_of
from bot.models.choice import ServingEmbedding
from bot.models.embedding import MiniLm
from bot.models.reranking import SignalReranker
from bot.postgres.pool import Connection, Database
from bot.settings import Settings
from graph.context import Reranker
from graph.passages import Passage
from graph.search import find
from tests.support.databases import as_app
from tests.support.fakes import context

QUESTION = "How many days of paid leave does everybody have?"
ADA, BEN = (frozenset({EVERYONE, person_name(person)}) for person in ("UADA", "UBEN"))
STRANGER = frozenset({EVERYONE})


@dataclass
class Counted:
    """The real reranker, which counts its calls."""

    reranker: Reranker
    calls: int = 0

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        self.calls += 1
        return await self.reranker.rerank(question, passages, keep=keep)


@dataclass(kw_only=True)
class Office:
    """Documents, people who ask about them, and the counted work."""

    database: Database
    embedder: Embedder
    folder: Path
    reranker: Counted
    searches: KeptSearches = field(default_factory=lambda: KeptSearches(size=9))
    reused: list[bool] = field(default_factory=list[bool])

    async def ask(self, names: Names = ADA, question: str = QUESTION) -> list[Passage]:
        """Find passages in a run of its own, as the graph does."""

        async def reader() -> Names:
            return names

        search = Search(Library(self.database, "one", reader=reader), self.embedder)
        port = ReusingSearch(search, self.reranker, self.searches, self.reused.append)
        return await find(context(retriever=port, reranker=port), [question])

    async def fresh(self, names: Names = ADA) -> list[Passage]:
        """Find passages with nothing kept."""
        return await replace(self, searches=KeptSearches(size=9), reused=[], reranker=self.reranker).ask(names)

    async def store(self) -> None:
        """Read the folder."""
        await ingest(self.database, self.embedder, "one", [self.folder])

    async def share(self, *names: str, part: str = "") -> None:
        """Share the folder, or a part of it."""
        async with self.database.transaction("one") as connection:
            await audience_store.share(connection, await self.source(connection), part, names)

    async def source(self, connection: Connection) -> int:
        """Return the id of the source."""
        cursor = await connection.execute("SELECT id FROM sources")
        return (await cursor.fetchall())[0]["id"]

    def texts(self, found: list[Passage]) -> str:
        """Return all found texts."""
        return " ".join(passage["text"] for passage in found)


@pytest.fixture
async def office(database: Database, embedder: Embedder, minilm: MiniLm, tmp_path: Path) -> Office:
    (tmp_path / "leave.md").write_text("# Paid leave\n\nEverybody has 28 days of paid leave.\n")
    (tmp_path / "old.md").write_text("---\ndate: 2020-01-01\n---\n# Leave in winter\n\nLeave in winter is rare.\n")
    (tmp_path / "hr").mkdir()
    (tmp_path / "hr/ada.md").write_text("# Extra leave\n\nAda has 99 days of paid leave, which is a secret.\n")
    office = Office(database=database, embedder=embedder, folder=tmp_path, reranker=Counted(SignalReranker(minilm)))
    await office.store()
    await office.share(person_name("UADA"), part="hr")
    return office


async def test_the_second_identical_question_is_neither_embedded_nor_searched_nor_ranked(
    server_url: str, database_url: str, office: Office
) -> None:
    first = await office.ask()
    ranked = office.reranker.calls
    log_statements(server_url, database_url)
    async with Database.open(as_app(database_url), size=1, workspace="one") as database:
        statements = await noted(database)
        office.database, office.embedder = database, Dumb(office.embedder)
        second = await office.ask()

    assert (first, ranked) == (second, office.reranker.calls)
    assert [] == [one for one in statements if "passages" in one or "documents" in one]
    assert len(statements) <= 6, "BEGIN, two settings, the view, COMMIT, and the pool's check"
    assert [False, True] == office.reused


async def test_what_is_reused_is_what_a_search_finds(office: Office) -> None:
    await office.ask()

    assert await office.ask() == await office.fresh()


async def test_the_vectors_of_reused_passages_are_remembered_again(office: Office, remembered: list[str]) -> None:
    await office.ask()
    before = sorted(remembered)
    remembered.clear()
    await office.ask()

    assert before == sorted(remembered) != []


async def changed_text(office: Office) -> None:
    (office.folder / "leave.md").write_text("# Paid leave\n\nEverybody has 31 days of paid leave.\n")
    await office.store()


async def new_document(office: Office) -> None:
    (office.folder / "more.md").write_text("# Days of leave\n\nEverybody has days of paid leave.\n")
    await office.store()


async def removed_document(office: Office) -> None:
    (office.folder / "old.md").unlink()
    await office.store()


async def removed_source(office: Office) -> None:
    async with office.database.transaction("one") as connection:
        await source_store.remove_source(connection, await office.source(connection))


async def shared(office: Office) -> None:
    await office.share(EVERYONE, part="hr")


async def shared_less(office: Office) -> None:
    await office.share(channel_name("C1"), part="leave.md")


async def shared_as_around(office: Office) -> None:
    async with office.database.transaction("one") as connection:
        await audience_store.share_as_around(connection, await office.source(connection), "hr")


async def aged(office: Office) -> None:
    async with office.database.transaction("one") as connection:
        await source_store.set_stale_after(connection, await office.source(connection), days=30)


CHANGES: list[Callable[[Office], Any]] = [
    changed_text,
    new_document,
    removed_document,
    removed_source,
    shared,
    shared_less,
    shared_as_around,
    aged,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("asker", [ADA, BEN], ids=["ada", "ben"])
async def test_after_a_change_the_question_is_searched_again(office: Office, change: Any, asker: Names) -> None:
    before = await office.ask(asker)
    await change(office)
    after = await office.ask(asker)

    assert [False, False] == office.reused
    assert await office.fresh(asker) == after
    assert before != after


@pytest.mark.parametrize("table", ["sources", "audiences", "documents", "passages"])
async def test_without_its_trigger_a_changed_table_is_not_noticed(
    office: Office, database_url: str, table: str
) -> None:
    # Without this, the test above could pass for another reason.
    change = "stale_after_days = 1" if table == "sources" else "names = names" if table == "audiences" else None
    statement = sql.SQL("UPDATE {} SET {}").format(
        sql.Identifier(table), sql.SQL(change or ("title = 'Other'" if table == "documents" else "text = 'Other'"))
    )
    with psycopg.connect(database_url, autocommit=True) as owner:
        await office.ask()
        owner.execute(statement)
        await office.ask()
        owner.execute(sql.SQL("DROP TRIGGER knowledge_changed ON {}").format(sql.Identifier(table)))
        owner.execute(statement)
        await office.ask()

    assert [False, False, True] == office.reused


async def test_a_reading_that_finds_nothing_new_changes_nothing(office: Office) -> None:
    await office.ask()
    await office.store()
    async with office.database.transaction("one") as connection:
        source = await office.source(connection)
        await source_store.conclude(connection, source, {"logo.png": ".png"})
        await source_store.set_schedule(connection, source, every=timedelta(hours=1))
        await source_store.pause(connection, source, is_paused=True)
    await office.ask()

    assert [False, True] == office.reused


async def test_people_who_may_read_the_same_share_and_others_never(office: Office) -> None:
    theirs = [await office.ask(names) for names in (ADA, BEN, ADA, STRANGER, BEN)]

    assert [False, False, True, True, True] == office.reused
    assert [True, False, True, False, False] == ["99" in office.texts(found) for found in theirs]


async def test_with_the_audiences_missing_from_the_key_it_would_tell_more(office: Office) -> None:
    # Without this, the test above could pass for another reason.
    office.searches = Careless(size=9)
    await office.ask(ADA)

    assert "99" in office.texts(await office.ask(BEN))


async def test_what_is_taken_back_or_left_is_not_found_from_the_next_question_on(office: Office) -> None:
    in_channel = frozenset({EVERYONE, channel_name("C1")})
    await office.share(channel_name("C1"), part="hr")
    assert "99" in office.texts(await office.ask(in_channel))

    # Who left the channel reads under other names.
    assert "99" not in office.texts(await office.ask(STRANGER))
    await office.share(part="hr")
    assert "99" not in office.texts(await office.ask(in_channel))
    assert [False, False, False] == office.reused


async def test_a_change_that_is_not_committed_is_not_seen_and_nothing_old_is_kept_for_after_it(office: Office) -> None:
    async with office.database.transaction("one") as connection:
        await audience_store.share(connection, await office.source(connection), "hr", [])
        assert "99" in office.texts(await office.ask())
        assert "99" in office.texts(await office.ask())
    assert "99" not in office.texts(await office.ask())

    assert [False, True, False] == office.reused


async def test_what_changes_between_the_look_and_the_search_is_kept_for_the_view_of_the_search(
    office: Office,
) -> None:
    class Slow(Dumb):
        """An embedder that takes so long that people get to read more in the meantime."""

        def embed_query(self, text: str) -> Any:
            with psycopg.connect(office.database.url) as connection:
                connection.execute("SELECT set_config('askback.workspace', 'one', true)")
                connection.execute("UPDATE audiences SET names = '{person:UADA,person:UBEN}' WHERE path = 'hr'")
            return self.inner.embed_query(text)

    await office.ask(ADA)
    async with office.database.transaction("one") as connection:
        await audience_store.read_as(connection, BEN)
        before = await view_of(connection)
    office.embedder = Slow(office.embedder)
    assert "99" in office.texts(await office.ask(BEN))

    assert 1 == len(office.searches)
    assert before not in views_in(office.searches)


async def test_what_a_run_does_to_its_passages_is_its_own(office: Office) -> None:
    first = await office.ask()
    whole = repr(first)
    for passage in first:
        passage["text"] = "changed"
        passage["heading_path"].append("changed")
        passage["attributes"]["status"] = "changed"

    assert whole == repr(await office.ask())


async def test_a_new_question_costs_one_statement_more_in_the_same_round_trip(
    server_url: str, database_url: str, office: Office
) -> None:
    log_statements(server_url, database_url)
    async with Database.open(as_app(database_url), size=1, workspace="one") as database:
        statements, office.database = await noted(database), database
        await office.ask()

    assert len(statements) <= 8, "BEGIN, three settings, the view, the search, COMMIT, and the pool's check"


async def test_a_run_reads_in_one_statement_what_there_is_at_all(
    server_url: str, database_url: str, office: Office, minilm: MiniLm
) -> None:
    log_statements(server_url, database_url)
    nothing: Any = None
    async with Database.open(as_app(database_url), size=1, workspace="one") as database:
        bot = Bot(
            settings=Settings(),
            database=database,
            serving=ServingEmbedding(minilm),
            clock=SystemClock(),
            models=(nothing, (), nothing),
        )
        run = bot.context_of("one", everything)
        statements = await noted(database)
        topics, languages, kinds, candidates = await asyncio.gather(
            run.retriever.topics(), run.retriever.languages(), run.places.kinds(), run.verified.candidates(QUESTION)
        )

    assert ["HR", "Leave in winter", "Paid leave"] == sorted(topics.names)
    assert (["en"], [], []) == (languages, kinds, candidates)
    assert len(statements) <= 6, "BEGIN, two settings, what there is, COMMIT, and the pool's check"


async def test_another_day_is_searched_again(server_url: str, database_url: str, office: Office) -> None:
    # These two places never have the same date.
    for zone in ("Etc/GMT+12", "Etc/GMT-14"):
        alter(server_url, database_url, f"timezone = '{zone}'")
        async with Database.open(as_app(database_url), size=1, workspace="one") as office.database:
            await office.ask()

    assert [False, False] == office.reused


async def test_the_searches_of_an_earlier_version_leave_the_memory_and_the_oldest_of_too_many(office: Office) -> None:
    office.searches = KeptSearches(size=2)
    for question in ("leave?", "winter?", "leave?", "secret?", "leave?", "winter?"):
        await office.ask(question=question)
    assert [False, False, True, False, True, False] == office.reused
    assert (2, 2, 4) == (len(office.searches), office.searches.hits, office.searches.misses)

    await removed_document(office)
    await office.ask()
    assert 1 == len(office.searches)


async def test_the_log_counts_and_holds_no_words(office: Office) -> None:
    with capture_logs() as logs:
        await office.ask()
        await office.ask()

    assert [(False, 0, 1), (True, 1, 1)] == [(one["reused"], one["hits"], one["misses"]) for one in logs]
    assert "leave" not in repr(logs)


async def test_other_candidates_are_ranked_afresh(office: Office) -> None:
    async def reader() -> Names:
        return ADA

    search = Search(Library(office.database, "one", reader=reader), office.embedder)
    await office.ask()
    ranked = office.reranker.calls
    port = ReusingSearch(search, office.reranker, office.searches, office.reused.append)
    found = await port.search(QUESTION, limit=40)
    again = await port.rerank(QUESTION, found[1:], keep=40)

    assert (ranked + 1, len(found) - 1) == (office.reranker.calls, len(again))


def test_the_serving_role_reads_the_version_of_its_workspace_and_writes_none(database_url: str, office: Office) -> None:
    with psycopg.connect(as_app(database_url), autocommit=True) as connection:
        for workspace, rows in (("one", 1), ("two", 0), ("", 0)):
            connection.execute("SELECT set_config('askback.workspace', %s, false)", (workspace,))
            assert rows == len(connection.execute("SELECT version FROM knowledge_versions").fetchall())
        for statement in (
            b"UPDATE knowledge_versions SET version = version",
            b"DELETE FROM knowledge_versions",
            b"INSERT INTO knowledge_versions (workspace) VALUES ('x')",
            b"ALTER TABLE passages DISABLE TRIGGER ALL",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


class Careless(KeptSearches):
    """Kept searches that forget to ask who may read them."""

    def get(self, key: Key) -> Kept | None:
        return super().get(replace(key, view=replace(key.view, audiences="")))

    def keep(self, key: Key, kept: Kept) -> None:
        super().keep(replace(key, view=replace(key.view, audiences="")), kept)


@dataclass
class Dumb:
    """An embedder that cannot embed a question."""

    inner: Embedder

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def at_once(self) -> int:
        return self.inner.at_once

    def embed_passages(self, texts: list[str]) -> Any:
        return self.inner.embed_passages(texts)

    def embed_query(self, text: str) -> Any:
        raise AssertionError("Nothing needs a vector here.")

    def remember(self, text: str, vector: Any) -> None:
        self.inner.remember(text, vector)

    def count_tokens(self, text: str) -> int:
        return self.inner.count_tokens(text)


def log_statements(server_url: str, database_url: str) -> None:
    """Let the server send each statement to the client, on new connections."""
    alter(server_url, database_url, "log_statement = 'all'", "client_min_messages = 'log'")


def alter(server_url: str, database_url: str, *settings: str) -> None:
    """Change settings of the database for new connections."""
    with psycopg.connect(server_url, autocommit=True) as superuser:
        for setting in settings:
            superuser.execute(f"ALTER DATABASE {database_url.rsplit('/', 1)[1]} SET {setting}".encode())


async def noted(database: Database) -> list[str]:
    """Return a list to which the database's one connection adds its statements from now on."""
    statements: list[str] = []
    async with database.connection() as connection:
        connection.add_notice_handler(lambda notice: statements.append(notice.message_primary or ""))
    return statements


def views_in(searches: KeptSearches) -> list[SearchView]:
    """Return the views of all kept searches."""
    return [key.view for key in searches._kept]
