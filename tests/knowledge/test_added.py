"""What people added is read again, goes with who takes it out or is forgotten, and is for nobody by accident."""

from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.audience import ALL, default_names
from bot.contributions.add import Added, Addition, AddRefused, MessageChosen, Removed, SharedFile
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.errors import KnowledgeError
from bot.forget.forget import Forgetter
from bot.knowledge import source_store
from bot.knowledge.audience_store import audiences_of, read_as
from bot.knowledge.connectors.connector import Changes, MissingError
from bot.knowledge.connectors.kinds import connector_of
from bot.knowledge.connectors.slack.added import AddedMessages
from bot.knowledge.connectors.slack.adding import DatabaseAddingIntake
from bot.knowledge.connectors.slack.channel import SlackChannel
from bot.knowledge.connectors.slack.client import SlackClient
from bot.knowledge.connectors.slack.heard import HeardThreads
from bot.knowledge.connectors.slack.paths import SlackPart, added_in, path_of
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.sandbox.limits import Limits
from bot.postgres.pool import Database
from tests.knowledge.test_connectors import known

CHANNEL, DIRECT = "C0PEOPLE", "D0ADA"
ADA, BEN = PersonId("U0ADA"), PersonId("U0BEN")
ROOT, REPLY = Ts("1.000001"), Ts("1.000002")
PLAN = SharedFile(id="F1", name="plan.md", size=9, is_here=True)


class Conversation:
    """What people added, read through the port of a source; something may happen meanwhile."""

    kind = "slack"

    def __init__(self, channel: str = CHANNEL, meanwhile: Callable[[], Awaitable[object]] | None = None) -> None:
        self.location = added_in(channel)
        self.text = "The code is 1."
        self._meanwhile = meanwhile

    async def changes(self, cursor: str) -> Changes:
        return Changes(paths=[], gone=[], cursor=cursor, known_too=True)

    async def content(self, path: str, limits: Limits) -> bytes:
        if self._meanwhile:
            await self._meanwhile()
        writers = "" if SlackPart.of_path(path).file else f"---\nslack_writers: {ADA} {BEN}\n---\n"
        return f"{writers}\n{self.text}\n".encode()

    def url_of(self, path: str) -> str | None:
        return None

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def adding(database: Database) -> DatabaseAddingIntake:
    """What people add in workspace one."""
    return DatabaseAddingIntake(database=database, workspace="one", limits=Limits())


def chosen(*, channel: str = CHANNEL, ts: Ts = ROOT, person: PersonId = BEN) -> MessageChosen:
    return MessageChosen(channel=ChannelId(channel), thread_ts=ROOT, ts=ts, person=person)


def addition(*files: SharedFile, of: MessageChosen | None = None, writer: PersonId = ADA) -> Addition:
    of = of or chosen()
    return Addition(
        chosen=of, writer=writer, whole_thread=not of.channel.startswith("D"), has_text=not files, files=files
    )


async def read(database: Database, embedder: Embedder, conversation: Conversation) -> None:
    await sync(database, embedder, "one", [conversation], only="known")


async def test_what_was_taken_out_while_it_was_read_is_not_stored_after_it(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake
) -> None:
    await adding.add(addition())

    async def undo() -> None:
        assert Removed(documents=1) == await adding.undo(chosen())

    await read(database, embedder, Conversation(meanwhile=undo))

    assert {} == await known(database)


@pytest.mark.parametrize("fails", [False, True])
async def test_a_source_that_goes_while_it_is_read_ends_its_reading(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake, *, fails: bool
) -> None:
    await adding.add(addition())

    async def remove() -> None:
        async with database.transaction("one") as connection:
            source_id = await source_store.id_of(connection, added_in(CHANNEL))
            assert source_id
            await source_store.remove_source(connection, source_id)
        if fails:
            raise KnowledgeError("Slack is away.")

    await read(database, embedder, Conversation(meanwhile=remove))

    assert {} == await known(database)


async def test_all_that_was_added_is_read_again_when_its_time_comes(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake
) -> None:
    conversation = Conversation()
    await adding.add(addition())
    await read(database, embedder, conversation)
    conversation.text = "The code is 2."
    await read(database, embedder, conversation)

    assert {path_of(ROOT): "The code is 2."} == await known(database)
    async with database.transaction("one") as connection:
        assert [] == await source_store.due_sources(connection)


async def test_what_a_thread_holds_is_noted_whatever_part_of_it_was_added(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake
) -> None:
    await adding.add(addition())
    await adding.add(addition(PLAN, of=chosen(ts=REPLY)))
    await read(database, embedder, Conversation())
    heard = HeardThreads(database, "one")

    assert 2 == len(await known(database))
    assert not await heard.note(CHANNEL, "7.000001", is_outdated=True)
    assert await heard.note(CHANNEL, ROOT, is_outdated=True)
    assert {} == await known(database)


async def test_a_direct_message_is_for_its_person_and_by_default_for_nobody(
    database: Database, adding: DatabaseAddingIntake
) -> None:
    mine = chosen(channel=DIRECT, person=ADA)
    await adding.add(addition(of=mine))

    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        (source,) = await source_store.all_sources(connection)
        assert [[f"person:{ADA}"]] == [one.names for one in await audiences_of(connection, source.id)]
    assert ([], [f"channel:{CHANNEL}"]) == (
        default_names("slack", added_in(DIRECT)),
        default_names("slack", added_in(CHANNEL)),
    )


async def test_of_two_files_of_one_name_the_readable_one_is_added(adding: DatabaseAddingIntake) -> None:
    gone = SharedFile(id="F0", name=PLAN.name, size=9, is_here=False)

    outcome = await adding.add(addition(gone, PLAN))

    assert isinstance(outcome, Added)
    assert ((PLAN.name,), [PLAN.name]) == (outcome.files, [one.name for one in outcome.left_out])


async def test_a_thread_of_a_channel_that_is_read_is_not_added_a_second_time(
    database: Database, adding: DatabaseAddingIntake
) -> None:
    async with database.transaction("one") as connection:
        await source_store.add_source(connection, "one", f"slack:{CHANNEL}", "slack")

    refused, added = await adding.add(addition()), await adding.add(addition(PLAN))

    assert AddRefused(reason="source") == refused
    assert isinstance(added, Added)
    assert ("plan.md",) == added.files


async def test_of_a_forgotten_person_nothing_stays_and_nothing_is_added_again(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake
) -> None:
    await adding.add(addition(PLAN))
    await adding.add(addition(of=chosen(channel=DIRECT, person=ADA)))
    await adding.add(addition(PLAN, of=chosen(ts=REPLY, person=ADA), writer=BEN))
    await read(database, embedder, Conversation())
    await read(database, embedder, Conversation(DIRECT))
    await Forgetter(database=database, workspace="one").person(ADA)

    assert [SlackPart(thread_ts=ROOT, ts=REPLY, file="F1", name="plan.md").path] == [*await known(database)]
    assert AddRefused(reason="forgotten") == await adding.add(addition(PLAN))
    async with database.transaction("one") as connection:
        cursor = await connection.execute("SELECT added_by FROM added_messages")
        assert [None] == [row["added_by"] for row in await cursor.fetchall()]
        await read_as(connection, ALL)
        assert [added_in(CHANNEL)] == [one.location for one in await source_store.all_sources(connection)]


async def test_of_a_forgotten_channel_nothing_stays(
    database: Database, embedder: Embedder, adding: DatabaseAddingIntake
) -> None:
    await adding.add(addition())
    await read(database, embedder, Conversation())
    await Forgetter(database=database, workspace="one").channel(CHANNEL)

    assert {} == await known(database)
    async with database.transaction("one") as connection:
        assert [] == await source_store.all_sources(connection)


@pytest.mark.parametrize(
    "said",
    [
        SlackPart(thread_ts=ROOT),
        SlackPart(thread_ts=ROOT, ts=ROOT),
        SlackPart(thread_ts=ROOT, ts=REPLY),
        SlackPart(thread_ts=ROOT, ts=REPLY, file="F1", name="plan.md"),
    ],
)
def test_a_path_tells_what_it_holds(said: SlackPart) -> None:
    assert said == SlackPart.of_path(said.path)


def test_a_files_name_makes_no_folders_and_keeps_its_suffix() -> None:
    path = SlackPart(thread_ts=ROOT, ts=REPLY, file="F1", name=f"../a\n/{'b' * 300}.pdf").path

    assert 5 == len(path.split("/"))
    assert path.endswith("b.pdf")


def test_only_what_people_added_may_be_of_a_direct_message() -> None:
    settings = SourceSettings(slack_token="xoxb-1")

    assert isinstance(connector_of("slack", added_in(DIRECT), settings), AddedMessages)
    assert type(connector_of("slack", f"slack:{CHANNEL}", settings)) is SlackChannel
    for location in (f"slack:{DIRECT}", "slack:C0PEOPLE/other", "slack:/added"):
        with pytest.raises(KnowledgeError, match="Give slack: and"):
            connector_of("slack", location, settings)


async def test_the_token_goes_to_slack_only_and_no_redirect_is_followed() -> None:
    asked: list[str] = []

    async def send(request: web.Request) -> web.Response:
        asked.append(request.path)
        status = int(request.match_info["status"])
        return web.Response(status=status, body=b"x" * 100, headers={"Location": "/files/200"} if status == 302 else {})

    app = web.Application()
    app.router.add_get("/files/{status}", send)
    async with TestServer(app) as server:
        client = SlackClient(str(server.make_url("/api/")), "xoxb-1")
        url = str(server.make_url("/files/"))

        assert 100 == len(await client.download(f"{url}200", largest=200))
        assert 50 < len(await client.download(f"{url}200", largest=50))
        with pytest.raises(KnowledgeError, match="lacks a scope"):
            await client.download(f"{url}302", largest=9)
        with pytest.raises(MissingError):
            await client.download(f"{url}404", largest=9)
        for foreign in (
            "https://evil.example/files/200",
            url.replace("http://", "http://files.slack.com@"),
            "file:///x",
        ):
            with pytest.raises(KnowledgeError, match="another server"):
                await client.download(foreign, largest=9)

    assert ["/files/200", "/files/200", "/files/302", "/files/404"] == asked
