"""Due sources are read again while the bot runs, in a child process that ends with the bot."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bot.audience import ALL
from bot.conversation.schedule import Cadence
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.lock_store import source_lock
from bot.knowledge.source_store import ListedSource
from bot.knowledge.upkeep import LATER, START, Job, Upkeep
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.journeys.harness import PATIENCE, Harness, text_of, until
from tests.knowledge.site import serving

MODEL = "all-minilm-l6-v2-int8"
OFTEN = Cadence(sources_seconds=0.1, sources_niceness=0)


def write(page: Path, price: int) -> None:
    """Write the price of parking."""
    page.write_text(f"# Parking in Munich\n\nA parking space in Munich costs {price} EUR a month.\n")


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that reads loads everything by itself, as it does outside of tests."""
    monkeypatch.setattr("bot.knowledge.upkeep.START", START)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The one document of a folder."""
    write(tmp_path / "parking.md", 80)
    return tmp_path / "parking.md"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A folder that takes long to read."""
    for number in range(400):
        (tmp_path / f"{number}.md").write_text(f"# Rule {number}\n\n" + f"The rule {number} is kept by all. " * 200)
    return tmp_path


async def keep(harness: Harness, location: Path | str, *, seconds: float = 0.5, kind: str = "files") -> None:
    """Schedule a source that soon becomes due, again and again."""
    async with opened(harness) as database, database.transaction("default") as connection:
        source_id = await source_store.add_source(connection, "default", str(location), kind)
        await connection.execute(
            "UPDATE sources SET was_added = true, every = make_interval(secs => %(seconds)s) WHERE id = %(id)s",
            {"id": source_id, "seconds": seconds},
        )


@asynccontextmanager
async def opened(harness: Harness) -> AsyncGenerator[Database]:
    """Open the database as the bot does."""
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        yield database


async def source(harness: Harness, location: Path) -> ListedSource:
    """Return a source from the list of sources."""
    async with opened(harness) as database, database.transaction("default") as connection:
        await read_as(connection, ALL)
        return next(one for one in await source_store.all_sources(connection) if one.location == str(location))


async def known(harness: Harness, price: int) -> None:
    """Wait until a search finds a price."""
    async with harness.owning() as owner:

        async def holds() -> bool:
            cursor = await owner.execute("SELECT FROM passages WHERE text LIKE %s", (f"%costs {price} EUR%",))
            return await cursor.fetchone() is not None

        await until(holds)


def children() -> list[psutil.Process]:
    """Return the processes that read sources for this one."""
    found: list[psutil.Process] = []
    for one in psutil.Process().children():
        try:
            if "bot.cli.sync_child" in " ".join(one.cmdline()):
                found.append(one)
        except psutil.Error:
            continue
    return found


def tasks() -> set[str]:
    """Return the names of what runs in this process."""
    return {task.get_name() for task in asyncio.all_tasks()}


async def reading() -> psutil.Process:
    """Wait for a process that reads a source, and return it."""
    async with asyncio.timeout(PATIENCE):
        while not (found := children()):  # noqa: ASYNC110 - There is no event to wait for.
            await asyncio.sleep(0.01)
    return found[0]


async def test_what_changes_in_a_folder_is_what_the_next_question_is_answered_with(
    harness: Harness, page: Path
) -> None:
    await keep(harness, page.parent)
    async with harness.bot(cadence=OFTEN):
        await known(harness, 80)
        write(page, 95)
        await known(harness, 95)
        root = await harness.ask("How much does a parking space cost in Munich?")
        (answer,) = await harness.answers(root)

    assert "95 EUR" in text_of(answer)
    assert "80 EUR" not in text_of(answer)


@pytest.mark.usefixtures("loads")
async def test_it_makes_room_for_who_answers_and_sees_no_secret_but_the_databases(
    harness: Harness, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-of-the-environment")
    await keep(harness, rules)
    async with harness.bot(cadence=replace(OFTEN, sources_niceness=10)):
        child = await reading()
        async with asyncio.timeout(PATIENCE):
            while child.nice() != os.nice(0) + 10:  # noqa: ASYNC110 - There is no event to wait for.
                await asyncio.sleep(0.01)
        assert "SLACK_BOT_TOKEN" not in child.environ()


@pytest.mark.usefixtures("loads")
async def test_a_process_that_reads_is_ended_with_the_bot_within_two_seconds(harness: Harness, rules: Path) -> None:
    await keep(harness, rules)
    async with opened(harness) as database:
        settings = Settings.model_validate(harness.settings)
        async with Upkeep(database, settings, model=MODEL, look_seconds=0.1, niceness=0).running():
            child = await reading()
            await until(lambda: _has_documents(harness, rules))
            assert psutil.pid_exists(child.pid)
            began = time.monotonic()
        took = time.monotonic() - began

    assert not psutil.pid_exists(child.pid)
    # The child gets 1.5 s; the rest is for a busy machine.
    assert took < 10
    assert (None, "") == ((now := await source(harness, rules)).synced_at, now.error)


async def _has_documents(harness: Harness, location: Path) -> bool:
    return (await source(harness, location)).documents > 0


async def test_a_process_whose_bot_is_gone_ends_by_itself(harness: Harness, rules: Path) -> None:
    await keep(harness, rules)
    job = Job.of(Settings.model_validate(harness.settings), harness.app_url, (await source(harness, rules)).id)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", START.format(niceness=0), stdin=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert child.stdin is not None
    child.stdin.write(f"{job.model_dump_json()}\n".encode())
    await until(lambda: _has_documents(harness, rules))

    child.stdin.close()

    assert await asyncio.wait_for(child.wait(), PATIENCE) in (130, -signal.SIGKILL)


@pytest.mark.usefixtures("loads")
async def test_a_process_that_dies_is_noted_at_its_source_and_the_next_one_is_read(
    harness: Harness, page: Path
) -> None:
    await keep(harness, page.parent, seconds=3600)
    async with harness.bot(cadence=OFTEN):
        (await reading()).kill()
        await until(lambda: _has_error(harness, page.parent))

    assert "ended with -9" in (await source(harness, page.parent)).error


async def _has_error(harness: Harness, location: Path) -> bool:
    return bool((await source(harness, location)).error)


async def test_a_folder_of_another_machine_is_said_to_be_missing_and_stays_due(harness: Harness, page: Path) -> None:
    elsewhere = page.parent / "elsewhere"
    await keep(harness, elsewhere)
    await keep(harness, page.parent)
    async with harness.bot(cadence=OFTEN):
        await known(harness, 80)
        await until(lambda: _has_error(harness, elsewhere))

    missing = await source(harness, elsewhere)
    assert "is not on" in missing.error
    assert missing.is_due


async def test_a_place_at_which_nobody_may_look_holds_up_no_other(harness: Harness, page: Path) -> None:
    # A closed folder raises as well, but not for root.
    too_long = page.parent / ("x" * 300)
    await keep(harness, too_long)
    await keep(harness, page.parent)
    async with harness.bot(cadence=OFTEN):
        await known(harness, 80)

    assert "is not on" in (await source(harness, too_long)).error


async def test_a_source_that_cannot_be_read_now_holds_up_no_other(
    harness: Harness, page: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = tmp_path_factory.mktemp("tried")
    program = f"import json, sys; open('{tried}/' + str(json.loads(input())['source_id']), 'w'); sys.exit({LATER})"
    monkeypatch.setattr("bot.knowledge.upkeep.START", program)
    places = [page.parent, tried]
    for place in places:
        await keep(harness, place)
    ids = {str((await source(harness, place)).id) for place in places}
    settings = Settings.model_validate({**harness.settings, "sources_at_once": 1})

    async def are_tried() -> bool:
        return ids == {file.name for file in await asyncio.to_thread(lambda: [*tried.iterdir()])}

    async with (
        opened(harness) as database,
        Upkeep(database, settings, model=MODEL, look_seconds=0.1, niceness=0).running(),
    ):
        await until(are_tried)


async def test_what_somebody_else_reads_is_not_read_twice(harness: Harness, page: Path) -> None:
    other = page.parent / "other"
    other.mkdir()
    write(other / "parking.md", 95)
    await keep(harness, page.parent)
    await keep(harness, other, seconds=3600)
    seen = set[int]()

    async def other_is_read() -> bool:
        seen.update(child.pid for child in children())
        return (await source(harness, other)).synced_at is not None

    async with (
        opened(harness) as database,
        database.session() as connection,
        source_lock(connection, "default", str(page.parent)),
    ):
        settings = Settings.model_validate(harness.settings)
        async with Upkeep(database, settings, model=MODEL, look_seconds=0.05, niceness=0).running():
            # The first source has been due for longer: a child for it would have begun before the child for the other.
            await until(other_is_read)
    assert len(seen) <= 1


async def test_a_slow_source_does_not_hold_up_another_one(harness: Harness, page: Path) -> None:
    async with serving() as site:
        site.page("/docs/", "Docs", "All that we know of offices.", "rent")
        site.page("/docs/rent", "Rent in Munich", "An office in Munich costs 30 EUR a square metre.")
        await keep(harness, f"{site.url}/docs/", seconds=3600, kind="web")
        async with harness.bot(cadence=OFTEN, web_internal_hosts="127.0.0.1", web_pause_seconds=10 * PATIENCE):
            slow = await reading()
            await keep(harness, page.parent)
            # The other source pauses ten times as long as this waits.
            await known(harness, 80)
            write(page, 95)
            await known(harness, 95)
            assert slow.is_running()


async def test_the_reading_of_a_source_ends_when_it_is_paused_and_what_was_read_stays(
    harness: Harness, rules: Path
) -> None:
    await keep(harness, rules, seconds=3600)
    async with harness.bot(cadence=OFTEN), opened(harness) as database:
        child = await reading()
        await until(lambda: _has_documents(harness, rules))
        async with database.transaction("default") as connection:
            await source_store.pause(connection, (await source(harness, rules)).id, is_paused=True)
        async with asyncio.timeout(PATIENCE):
            while child.is_running():  # noqa: ASYNC110 - There is no event to wait for.
                await asyncio.sleep(0.05)

    now = await source(harness, rules)
    assert 0 < now.documents < 400
    assert (None, "") == (now.synced_at, now.error)


async def test_it_can_be_turned_off(harness: Harness, page: Path) -> None:
    await keep(harness, page.parent)
    async with harness.bot(cadence=OFTEN):
        assert "upkeep" in tasks()
    async with harness.bot(cadence=OFTEN, sync_sources=False):
        assert "upkeep" not in tasks()
