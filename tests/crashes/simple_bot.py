"""The bot that is killed at every boundary: its models are trivial, and it has a process of its own."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot import parts
from bot.app import serving_slack
from bot.bot import Bot
from bot.clock import SystemClock
from bot.conversation.schedule import Cadence
from bot.knowledge.audience_store import Reader
from bot.logs import configure_logs
from bot.postgres.pool import Connection, Database
from bot.runtime import run
from bot.settings import Settings
from bot.slack.api.pace import Pace
from bot.tools.toolbox import Tool, Toolbox
from graph.context import Context
from tests.crashes.models import moody
from tests.simulation.models import TOOL, change_of

SELDOM = Cadence(deadlines_seconds=3600, pruning_seconds=3600)
"""How often it looks for what is due, unless the story needs it."""


@dataclass(frozen=True, kw_only=True)
class SimpleBot(Bot):
    """The real bot with trivial models and documents, and a tool that writes into a file."""

    calls: Path

    def tools(self, *, may_write: bool) -> Toolbox:
        return Toolbox({change_of("")["tool"]: Tool(TOOL, self._create, writes=True)}, may_write=may_write)

    async def _create(self, arguments: dict[str, str]) -> str:
        with self.calls.open("a", encoding="utf-8") as calls:
            calls.write(f"{arguments['title']}\n")
        return "Created."

    def context_of(
        self, workspace: str, reader: Reader, *, alone: Reader | None = None, has_reviewer: bool = False
    ) -> Context:
        below = self.settings.review_below if has_reviewer else 0.0
        return replace(moody(self.clock), has_reviewer=has_reviewer, review_below=below)


def live(given: dict[str, Any]) -> None:
    """Serve until killed."""
    run(_live(given))


async def _all_there(_connection: Connection, passages: Collection[int]) -> set[int]:
    """Return all passages: the trivial documents are not in the database."""
    return set(passages)


async def _live(given: dict[str, Any]) -> None:
    configure_logs("console", "error")
    parts.passages_there = _all_there
    url, calls = given.pop("database_url"), Path(given.pop("calls"))
    cadence = replace(SELDOM, **given.pop("cadence", {}))
    # Preferences are off, unless the story is about them, so that each process asks back again.
    settings = Settings(**{"remember_choices_days": 0, **given})
    nothing: Any = None
    async with Database.open(url, size=14, workspace=settings.workspace) as database:
        bot = SimpleBot(
            settings=settings, database=database, serving=nothing, clock=SystemClock(), models=nothing, calls=calls
        )
        async with serving_slack(bot, pace=Pace(speed=100.0), cadence=cadence):
            await asyncio.Event().wait()
