"""How a command starts: settings, logs, a migrated database, and an event loop."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
import typer

from bot import dotenv, runtime
from bot.cli.console import Terminal, inert, until_interrupted
from bot.logs import configure_logs
from bot.postgres.addresses import Addresses, addresses
from bot.settings import SLACK_API_URL, Settings
from bot.supervision import Serving


def start(*, quiet: bool = False) -> Settings:
    """Read the settings and configure the logs. A command that talks to a person is quiet: it logs warnings only."""
    settings = Settings.read()
    level = "warning" if quiet and settings.log_level == "info" else settings.log_level
    configure_logs(settings.log_format, level)
    _announce_sources(settings, quiet=quiet)
    return settings


def _announce_sources(settings: Settings, *, quiet: bool) -> None:
    """Print the file of the settings, and the address for the Slack tokens if it is not Slack's."""
    file = dotenv.trusted()
    elsewhere = settings.slack_api_url if settings.slack_api_url != SLACK_API_URL else None
    if not quiet and (file or elsewhere):
        structlog.get_logger().info("settings_read", file=file and str(file), slack=elsewhere)
    elif file:
        slack = f"; Slack is at {elsewhere}" if elsewhere else ""
        said = f"Settings are read from {file}{slack}."
        Terminal(stderr=True).print(inert(said), style="dim", soft_wrap=True)


def run_migrated(settings: Settings, main_task: Callable[[str], Coroutine[Any, Any, Any]]) -> Any:
    """Bring the tables up to date, then run the task with the database's address."""
    with addresses(settings) as found:
        make_ready(settings, found)
        return run(main_task(found.serving))


def make_ready(settings: Settings, found: Addresses) -> None:
    """Bring the tables up to date, with the index of the embedding model that the settings name."""
    from bot.postgres import migrations

    migrations.make_ready(found)
    if found.owner:
        index_model(settings, found.owner)


def index_model(settings: Settings, owner_url: str) -> None:
    """As the owner, create the index of a provider's embedding model, if the settings name one."""
    from bot.models.remote.model import RemoteModel
    from bot.postgres import migrations, vector_index

    if remote := RemoteModel.of(settings.of_embedding):
        with migrations.answering():
            vector_index.ensure(owner_url, remote.id, remote.dimensions)


def run(main_task: Coroutine[Any, Any, Any]) -> Any:
    """Run the task to its end. Ctrl-C exits with 130."""
    try:
        return runtime.run(main_task)
    except KeyboardInterrupt:
        sys.exit(130)


def run_or_fail(settings: Settings, main_task: Callable[[str], Coroutine[Any, Any, bool | None]]) -> None:
    """Run the task as `run_migrated` does. Exit with 1 if it returns `False`."""
    if run_migrated(settings, main_task) is False:
        raise typer.Exit(1)


async def serve(serving: Serving) -> None:
    """Tell the supervisor that this process serves, and wait until it is interrupted."""
    async with runtime.heartbeat():
        serving.begun()
        await until_interrupted()
