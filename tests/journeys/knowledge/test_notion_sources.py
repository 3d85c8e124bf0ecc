"""Notion as a source, on the command line: added, listed, shown, read again, paused, removed; and read by the bot."""

import asyncio
import os
import shlex
import signal
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.postgres.pool import Database
from tests.journeys.harness import PATIENCE, Harness, text_of
from tests.journeys.knowledge.test_upkeep import OFTEN, keep, known
from tests.knowledge.notion_site import TOKEN, NotionSite, path_of, serving_notion
from tests.support.fork_server import COMMAND, ForkServer

NAME = "notion:NOTION_TOKEN"


@pytest.fixture
async def notion() -> AsyncGenerator[NotionSite]:
    """A Notion with two pages."""
    async with serving_notion() as site:
        site.page("Parking", "A parking space in Munich costs 80 EUR a month.")
        site.page("Leave", "Everybody has 28 days of leave.", edited="2026-11-21T09:00:00.000Z")
        yield site


class Desk:
    """A terminal of an administrator."""

    def __init__(self, notion: NotionSite, app_url: str, folder: Path, fork_server: ForkServer) -> None:
        self._folder, self._fork_server = folder, fork_server
        file = folder / "token"
        file.write_text(TOKEN)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
        self._environment = {
            **clean,
            "DATABASE_URL": app_url,
            "ASKBACK_NOTION_URL": notion.url,
            "ASKBACK_SOURCE_SECRETS": "NOTION_TOKEN",
            "NOTION_TOKEN_FILE": str(file),
            "COLUMNS": "200",
        }

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *COMMAND,
            "sources",
            *words,
            env=self._environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    async def run(self, *words: str, code: int = 0, **environment: str) -> str:
        """Run a command and return what it says."""
        given = {**self._environment, **environment}
        command = shlex.join(["sources", *words])
        ended, said = await asyncio.to_thread(self._fork_server.run, command, self._folder, **given)
        assert code == ended, said
        assert TOKEN not in said
        return said


@pytest.fixture
def desk(notion: NotionSite, database: Database, app_url: str, tmp_path: Path, fork_server: ForkServer) -> Desk:
    """The terminal."""
    return Desk(notion, app_url, tmp_path, fork_server)


def cells(said: str, name: str) -> list[str]:
    """Return the row of a table that begins with a name."""
    return next(line.split() for line in said.splitlines() if line.startswith(name))


async def test_an_administrator_keeps_a_wiki_up_to_date(desk: Desk, notion: NotionSite) -> None:
    said = await desk.run("add", NAME, "--for", "C0PEOPLE", "--every", "60")
    assert "2 added, 0 changed, 0 removed" in said
    assert "www.notion.so" in said, "It says which host to trust, so that sources become links."
    assert [NAME, "notion", "2", "2"] == cells(await desk.run("list"), NAME)[:4]

    notion.page("Leave", "Everybody has 30 days of leave.", edited="2026-11-22T09:00:00.000Z")
    notion.pages["Parking"].is_shared = False
    assert "0 added, 1 changed, 1 removed" in await desk.run("sync", NAME)

    notion.token = "another"  # pragma: allowlist secret
    assert "Notion does not accept the token in NOTION_TOKEN" in await desk.run("sync", NAME, code=1)
    said = await desk.run("show", NAME)
    assert "Nothing could be read: Notion does not accept the token" in said
    assert ["1"] == cells(said, NAME)[2:3]
    assert "C0PEOPLE" in said

    assert "paused" in await desk.run("pause", NAME)
    assert "Removed: notion:NOTION_TOKEN (documents: 1" in await desk.run("remove", NAME, "--yes")
    assert "There are no sources yet" in await desk.run("list")


async def test_a_part_of_a_wiki_is_shared_by_the_id_of_its_page(desk: Desk) -> None:
    await desk.run("add", NAME)

    said = await desk.run("share", NAME, "C0PEOPLE", "--part", path_of("Leave"))

    assert ["1", "C0PEOPLE"] == cells(said, path_of("Leave"))[1:]


@pytest.mark.parametrize(
    ("name", "why"),
    [("notion:OTHER", "The secret OTHER is missing"), ("notion:SLACK_BOT_TOKEN", "The secret SLACK_BOT_TOKEN is miss")],
)
async def test_a_wiki_without_a_token_is_refused_at_once(desk: Desk, notion: NotionSite, name: str, why: str) -> None:
    said = await desk.run("add", name, code=1, SLACK_BOT_TOKEN="xoxb-1")  # pragma: allowlist secret

    assert why in " ".join(said.split())
    assert [] == notion.asked


async def test_ctrl_c_ends_a_reading_while_notion_says_nothing(desk: Desk, notion: NotionSite) -> None:
    notion.hangs_at = "/children"
    process = await desk.start("add", NAME)
    async with asyncio.timeout(PATIENCE):
        while not any("/children" in asked for asked in notion.asked):  # noqa: ASYNC110 - There is no event to wait for.
            await asyncio.sleep(0.01)

    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.communicate(), PATIENCE)
    took = time.monotonic() - pressed

    print(f"Ended after {took:.1f} s.")  # noqa: T201 - `pytest -rP` shows it.
    assert 130 == process.returncode
    assert took < 50, "Two seconds on a machine that does nothing else; a request to Notion may take a minute."


async def test_a_page_that_changes_is_what_the_next_question_is_answered_with(
    harness: Harness, notion: NotionSite
) -> None:
    await keep(harness, NAME, kind="notion")
    secrets = {"NOTION_TOKEN": TOKEN}
    async with harness.bot(cadence=OFTEN, notion_url=notion.url, source_secrets=secrets, link_hosts="www.notion.so"):
        await known(harness, 80)
        notion.page("Parking", "A parking space in Munich costs 95 EUR a month.", edited="2026-11-22T09:00:00.000Z")
        await known(harness, 95)
        root = await harness.ask("How much does a parking space cost in Munich?")
        (answer,) = await harness.answers(root)

    assert "95 EUR" in text_of(answer)
    assert f"<https://www.notion.so/{path_of('Parking').removesuffix('.md')}|Parking>" in text_of(answer)
