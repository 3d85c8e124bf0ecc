"""`askback demo`: a local Slack, the embedded database and sample documents, without configuration."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import SecretStr
from rich.console import Console

from bot.app import open_bot, serving_slack
from bot.cli.console import print_ingested, progress_bars, until_interrupted
from bot.conversation.schedule import Cadence
from bot.errors import DemoRunsError, SettingsError
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.places.importing import import_places
from bot.models.offline.understanding.example_vectors import read_vectors
from bot.postgres.embedded import default_folder
from bot.postgres.pool import Database
from bot.settings import Settings
from bot.slack.manifest import manifest
from playground import Playground, StateInUseError, StateUnreadableError, Workspace
from playground.documents import HANDBOOK

WORKSPACE = "demo"
"""Separate from a team's own documents in the same database."""
PLACES = HANDBOOK.with_name("places.csv")
VECTORS = HANDBOOK.with_name("vectors")
"""The vectors of the handbook's passages, in a file for each model that a wheel contains."""
HANDBOOK_HOST = "handbook.lumenpine.example"
ADMINISTRATOR: Final = "U0ADA"
"""Who may see in the demo how an answer came about."""


async def run_demo(settings: Settings, url: str, console: Console, *, port: int) -> None:
    """Serve the playground and the bot until interrupted."""
    folder = settings.data_folder or default_folder()
    folder.mkdir(parents=True, exist_ok=True)
    async with _playground(folder / "playground.json", console, port) as playground:
        settings = settings.model_copy(
            update={
                "slack_bot_token": SecretStr(playground.bot_token),
                "slack_app_token": SecretStr(playground.app_token),
                "slack_api_url": playground.api_url,
                "workspace": WORKSPACE,
                "link_hosts": settings.link_hosts | {HANDBOOK_HOST},
            }
        )
        async with open_bot(settings, url) as bot:
            remember_sample(bot.embedder)
            with progress_bars(console) as bar_of:
                ingested = await ingest(
                    bot.database,
                    bot.embedder,
                    settings.workspace,
                    [HANDBOOK],
                    IngestOptions(progress_of=bar_of, embedder_of=bot.serving.of),
                )
            ingested.named.clear()  # Nobody needs the handbook's list of files.
            print_ingested(console, ingested)
            await import_sample(bot.database, settings.workspace)
            # Nobody waits long to see what comes of a click.
            async with serving_slack(bot, cadence=Cadence(flag_news_seconds=10.0)):
                console.print(f"\n[bold]Askback is at {playground.page_url}[/bold]   (Ctrl-C stops it)\n")
                await until_interrupted()
                console.print("Stopping …")


def remember_sample(embedder: Embedder) -> None:
    """Cache the handbook's vectors. To embed it takes up to 50 seconds of a processor."""
    for text, vector in read_vectors(VECTORS / f"{embedder.model}.npz").items():
        embedder.remember(text, vector)


async def import_sample(database: Database, workspace: str) -> None:
    """Import the sample places: the offices, and childcare and pharmacies near them."""
    async with database.transaction(workspace) as connection:
        await import_places(connection, workspace, PLACES.name, PLACES.read_bytes(), kind="", names=None)


@asynccontextmanager
async def _playground(state_file: Path, console: Console, port: int) -> AsyncGenerator[Playground]:
    async with AsyncExitStack() as stack:
        opened = Playground.open(Workspace.sample_of_its_own(), port=port, state_file=state_file)
        try:
            playground = await stack.enter_async_context(opened)
        except StateInUseError as error:
            raise DemoRunsError(error.url, str(state_file.parent)) from None
        except StateUnreadableError as error:
            raise SettingsError(str(error)) from None
        if port not in (0, playground.port):
            console.print(f"Port {port} is taken, so the page gets another one.")
        playground.workspace.shortcuts = manifest()["features"]["shortcuts"]
        members = playground.workspace.members
        members[ADMINISTRATOR] = replace(members[ADMINISTRATOR], is_admin=True)
        yield playground
