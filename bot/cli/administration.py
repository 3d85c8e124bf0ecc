"""`askback channel` and `askback choices`: settings of channels, and the choices that Askback remembers."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from bot.cli.console import Terminal, print_table
from bot.cli.start import run_or_fail, start
from bot.conversation.asks import channel_store, preference_store
from bot.conversation.asks.ask import MayAnswer
from bot.postgres.pool import Database
from bot.settings import Settings
from graph.state import PresetName


@dataclass(frozen=True, kw_only=True)
class Administration:
    """One workspace, and the terminal of an administrator."""

    database: Database
    settings: Settings
    console: Console

    async def show_channels(self) -> None:
        """Print the settings of the channels that differ, and the default."""
        async with self.database.transaction(self.settings.workspace) as connection:
            differing = await channel_store.all_channels(connection)
        elsewhere = (self.settings.may_answer, self.settings.preset)
        rows = [
            *((one.channel, one.may_answer or elsewhere[0], one.preset or elsewhere[1]) for one in differing),
            ("elsewhere", *elsewhere),
        ]
        print_table(self.console, ("CHANNEL", "WHO MAY ANSWER", "PRESET"), rows)

    async def rule_channel(
        self,
        channel: str,
        may_answer: MayAnswer | Literal["default"] | None,
        preset: PresetName | Literal["default"] | None,
    ) -> None:
        """Change the given settings of a channel. `default` removes the channel's own value."""
        workspace = self.settings.workspace
        async with self.database.transaction(workspace) as connection:
            rules = await channel_store.in_channel(connection, channel)
            if may_answer:
                rules = replace(rules, may_answer=None if may_answer == "default" else may_answer)
            if preset:
                rules = replace(rules, preset=None if preset == "default" else preset)
            await channel_store.set_rules(connection, workspace, rules)
        await self.show_channels()

    async def show_choices(self) -> None:
        """Print the choices that Askback remembers."""
        async with self.database.transaction(self.settings.workspace) as connection:
            kept = await preference_store.all_preferences(connection)
        if not kept:
            self.console.print("No choice is remembered yet.")
            return
        heads = ("PERSON", "CHOSE", "AMONG", "CHANNEL", "WHEN")
        rows = [
            (one.person, one.label or "to be asked", ", ".join(one.labels), one.channel, f"{one.chosen_at:%Y-%m-%d}")
            for one in kept
        ]
        print_table(self.console, heads, rows)

    async def clear_choices(self, person: str) -> None:
        """Delete all remembered choices of a person."""
        async with self.database.transaction(self.settings.workspace) as connection:
            count = await preference_store.forget_person(connection, person)
        self.console.print(f"Forgotten: {count} of {person}.", markup=False)


@asynccontextmanager
async def administering(settings: Settings, url: str, console: Console) -> AsyncGenerator[Administration]:
    """Open the workspace of the settings."""
    async with Database.open(url, size=2, workspace=settings.workspace) as database:
        yield Administration(database=database, settings=settings, console=console)


def administer(do: Callable[[Administration], Coroutine[Any, Any, bool | None]]) -> None:
    """Run a command of an administrator on the migrated database. Exit with 1 if it returns `False`."""
    settings, console = start(quiet=True), Terminal(highlight=False)

    async def administer_it(url: str) -> bool | None:
        async with administering(settings, url, console) as administration:
            return await do(administration)

    run_or_fail(settings, administer_it)


def channel(
    name: Annotated[str | None, typer.Argument(help="A channel's id, such as C0123ABCD. Without it: list.")] = None,
    *,
    may_answer: Annotated[
        Literal["asker", "anyone", "default"] | None,
        typer.Option(help="Who may answer. `default`: as the settings say."),
    ] = None,
    preset: Annotated[
        Literal["quick", "balanced", "thorough", "default"] | None,
        typer.Option(help="How much work an answer gets. `default`: as the settings say."),
    ] = None,
) -> None:
    """Set who may answer questions back in a channel, and how much work answers get; or list the channels."""
    if name and (may_answer or preset):
        administer(lambda administration: administration.rule_channel(name, may_answer, preset))
    else:
        administer(lambda administration: administration.show_channels())


def choices(
    *,
    clear: Annotated[str | None, typer.Option(help="The id of a person, such as U0123ABCD, to ask again.")] = None,
) -> None:
    """List the choices that Askback remembers, or clear those of one person."""
    if clear:
        administer(lambda administration: administration.clear_choices(clear))
    else:
        administer(lambda administration: administration.show_choices())
