"""`askback channel` and `askback choices`: what holds where, and what is remembered of whom, for an administrator."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from rich.console import Console

from bot.cli.console import print_table
from bot.conversation.asks import channel_store, preference_store
from bot.conversation.policy import MayAnswer
from bot.postgres.pool import Database
from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Administration:
    """One workspace, and a terminal before which somebody sits who may change it."""

    database: Database
    settings: Settings
    console: Console

    async def show_channels(self) -> None:
        """Print who may answer in the channels that differ, and elsewhere."""
        async with self.database.transaction(self.settings.workspace) as connection:
            differing = await channel_store.all_channels(connection)
        rows = [*differing.items(), ("elsewhere", self.settings.may_answer)]
        print_table(self.console, ("CHANNEL", "WHO MAY ANSWER"), rows)

    async def let_answer(self, channel: str, may_answer: MayAnswer | Literal["default"]) -> None:
        """Let somebody answer in a channel, or let the settings hold there again."""
        workspace = self.settings.workspace
        async with self.database.transaction(workspace) as connection:
            if may_answer == "default":
                await channel_store.let_settings_hold(connection, channel)
            else:
                await channel_store.let_answer(connection, workspace, channel, may_answer)
        await self.show_channels()

    async def show_choices(self) -> None:
        """Print what people chose and would not be asked again."""
        async with self.database.transaction(self.settings.workspace) as connection:
            habits = await preference_store.all_habits(connection)
        heads = ("PERSON", "CHOSE", "AMONG", "CHANNEL", "WHEN")
        rows = [
            (habit.person, habit.label, ", ".join(habit.labels), habit.channel, f"{habit.chosen_at:%Y-%m-%d}")
            for habit in habits
        ]
        print_table(self.console, heads, rows)

    async def clear_choices(self, person: str) -> None:
        """Forget all that a person chose."""
        async with self.database.transaction(self.settings.workspace) as connection:
            count = await preference_store.forget_person(connection, person)
        self.console.print(f"Forgotten: {count} of {person}.", markup=False)


@asynccontextmanager
async def administering(settings: Settings, url: str, console: Console) -> AsyncGenerator[Administration]:
    """Open the workspace that is set."""
    async with Database.open(url, size=2, workspace=settings.workspace) as database:
        yield Administration(database=database, settings=settings, console=console)
