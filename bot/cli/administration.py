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
from graph.state import PresetName


@dataclass(frozen=True, kw_only=True)
class Administration:
    """One workspace, and a terminal before which somebody sits who may change it."""

    database: Database
    settings: Settings
    console: Console

    async def show_channels(self) -> None:
        """Print what holds in the channels that differ, and elsewhere."""
        async with self.database.transaction(self.settings.workspace) as connection:
            differing = await channel_store.all_channels(connection)
        elsewhere = (self.settings.may_answer, self.settings.preset)
        rows = [
            *((one.channel, one.may_answer or elsewhere[0], one.preset or elsewhere[1]) for one in differing),
            ("elsewhere", *elsewhere),
        ]
        print_table(self.console, ("CHANNEL", "WHO MAY ANSWER", "PRESET"), rows)

    async def rule_channel(
        self, channel: str, may_answer: MayAnswer | Literal["default"] | None,
        preset: PresetName | Literal["default"] | None,
    ) -> None:  # fmt: skip
        """Say what holds in a channel, each only if it is given; `default` is what the settings say."""
        workspace = self.settings.workspace
        async with self.database.transaction(workspace) as connection:
            if may_answer:
                somebody = None if may_answer == "default" else may_answer
                await channel_store.let_answer(connection, workspace, channel, somebody)
            if preset:
                wanted = None if preset == "default" else preset
                await channel_store.let_take(connection, workspace, channel, wanted)
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
