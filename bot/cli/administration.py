"""`askback channel` and `askback choices`, and what all commands of an administrator share."""

import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Annotated, Any, Final, Literal, TypeVar

import typer
from rich.console import Console

from bot.audience import ALL, is_any_person, is_channel
from bot.cli.console import Terminal, print_table
from bot.cli.start import run_or_fail, start
from bot.clock import SystemClock
from bot.conversation.address import PersonId
from bot.conversation.asks import channel_store, preference_store
from bot.conversation.asks.ask import MayAnswer
from bot.knowledge.audience_store import transaction_as
from bot.postgres.pool import Connection, Database
from bot.settings import Settings
from graph.context import Clock
from graph.state import PresetName
from graph.text.invisible import visible

PERSON: Final = PersonId("you")
"""The person of all questions that are asked in the terminal."""
MOST_LISTED: Final = 1_000_000
Do = TypeVar("Do", bound=Callable[..., Coroutine[Any, Any, bool | None]])
"""What a command does with a workspace."""


@dataclass(frozen=True, kw_only=True)
class Administration:
    """One workspace, and the terminal of an administrator."""

    database: Database
    settings: Settings
    console: Console
    clock: Clock = field(default_factory=SystemClock)

    def transaction(self) -> AbstractAsyncContextManager[Connection]:
        """Open a transaction in the workspace."""
        return self.database.transaction(self.settings.workspace)

    def reading_all(self) -> AbstractAsyncContextManager[Connection]:
        """Open a transaction that reads all documents, as if every audience asked."""
        return transaction_as(self.database, self.settings.workspace, ALL)

    def say(self, text: str, *, style: str | None = None) -> None:
        """Print a text as it is."""
        self.console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def show(self, heads: Sequence[str], rows: Sequence[Sequence[str]], *, or_else: str) -> None:
        """Print a table, or a sentence if it has no rows."""
        if rows:
            print_table(self.console, heads, rows)
        else:
            self.say(or_else)


async def show_channels(here: Administration) -> None:
    """Print the settings of the channels that differ, and the default."""
    async with here.transaction() as connection:
        differing = await channel_store.all_channels(connection)
    elsewhere = (here.settings.may_answer, here.settings.preset)
    rows = [
        *((one.channel, one.may_answer or elsewhere[0], one.preset or elsewhere[1]) for one in differing),
        ("elsewhere", *elsewhere),
    ]
    print_table(here.console, ("CHANNEL", "WHO MAY ANSWER", "PRESET"), rows)


async def rule_channel(
    here: Administration,
    channel: str,
    may_answer: MayAnswer | Literal["default"] | None,
    preset: PresetName | Literal["default"] | None,
) -> None:
    """Change the given settings of a channel. `default` removes the channel's own value."""
    async with here.transaction() as connection:
        rules = await channel_store.in_channel(connection, channel)
        if may_answer:
            rules = replace(rules, may_answer=None if may_answer == "default" else may_answer)
        if preset:
            rules = replace(rules, preset=None if preset == "default" else preset)
        await channel_store.set_rules(connection, here.settings.workspace, rules)
    await show_channels(here)


async def show_choices(here: Administration) -> None:
    """Print the choices that Askback remembers."""
    async with here.transaction() as connection:
        kept = await preference_store.all_preferences(connection)
    rows = [
        (one.person, one.label or "to be asked", ", ".join(one.labels), one.channel, f"{one.chosen_at:%Y-%m-%d}")
        for one in kept
    ]
    here.show(("PERSON", "CHOSE", "AMONG", "CHANNEL", "WHEN"), rows, or_else="No choice is remembered yet.")


async def clear_choices(here: Administration, person: str) -> None:
    """Delete all remembered choices of a person."""
    async with here.transaction() as connection:
        count = await preference_store.forget_person(connection, person)
    here.say(f"Forgotten: {count} of {person}.")


@asynccontextmanager
async def administering(settings: Settings, url: str, console: Console) -> AsyncGenerator[Administration]:
    """Open the workspace of the settings."""
    async with Database.open(url, size=2, workspace=settings.workspace) as database:
        yield Administration(database=database, settings=settings, console=console)


def administer(do: Callable[[Administration], Coroutine[Any, Any, bool | None]]) -> None:
    """Run a command of an administrator on the migrated database. Exit with 1 if it returns `False`."""
    settings, console = start(quiet=True), Terminal()

    async def administer_it(url: str) -> bool | None:
        async with administering(settings, url, console) as here:
            return await do(here)

    run_or_fail(settings, administer_it)


def administered(commands: typer.Typer, name: str) -> Callable[[Do], Do]:
    """Add a function as a command of an administrator: it gets the workspace, then what was typed."""

    def add(do: Do) -> Do:
        @wraps(do)
        def command(**typed: Any) -> None:
            administer(lambda here: do(here, **typed))

        asked = inspect.signature(do)
        vars(command)["__signature__"] = asked.replace(parameters=[*asked.parameters.values()][1:])
        commands.command(name)(command)
        return do

    return add


def person_of(word: str) -> str:
    """Return a person's id; in the terminal everybody is “you”. Raises `BadParameter` for other words."""
    if not is_any_person(word) and word != PERSON:
        raise typer.BadParameter(f"“{visible(word)}” is no person's id: give it as Slack shows it, such as U0123ABCD.")
    return word


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
    if name is not None and not is_channel(name):
        told = f"“{visible(name)}” is no channel's id: give it as Slack shows it, such as C0123ABCD."
        raise typer.BadParameter(told, param_hint="'name'")
    if not (may_answer or preset):
        administer(show_channels)
    elif name is None:
        raise typer.BadParameter("it is missing: say for which channel.", param_hint="'name'")
    else:
        administer(lambda here: rule_channel(here, name, may_answer, preset))


def choices(
    *,
    clear: Annotated[str | None, typer.Option(help="The id of a person, such as U0123ABCD, to ask again.")] = None,
) -> None:
    """List the choices that Askback remembers, or clear those of one person."""
    if clear is None:
        administer(show_choices)
    else:
        person = person_of(clear)
        administer(lambda here: clear_choices(here, person))
