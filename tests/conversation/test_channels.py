"""Each channel decides who may answer."""

import io
from dataclasses import replace

from rich.console import Console

from bot.cli.administration import Administration, rule_channel
from bot.conversation.address import ChannelId
from bot.conversation.asks.ask import AskRules
from bot.conversation.asks.channel_store import PresetsAt
from bot.conversation.inputs import ClickRefused
from bot.conversation.intake import Intake
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.conversation.test_intake import ADA, BEN, ask, click, message
from tests.support.fakes import TurnedClock


async def administered(database: Database, channel: str, may_answer: str) -> str:
    console = Console(file=io.StringIO(), width=80)
    settings = Settings(workspace="one")
    here = Administration(database=database, settings=settings, console=console)
    await rule_channel(here, channel, may_answer, None)  # pyright: ignore[reportArgumentType]
    return str(console.file.getvalue())  # pyright: ignore[reportAttributeAccessIssue]


async def test_in_a_channel_of_its_own_rules_only_the_asker_answers(database: Database) -> None:
    intake = Intake(database, TurnedClock(), workspace="one", surface="slack")
    await ask(database, intake, TurnedClock())
    await administered(database, "C0", "asker")

    outcome = await intake.choose(click(person=BEN))

    assert isinstance(outcome, ClickRefused)
    assert "not_yours" == outcome.reason
    assert await intake.choose(click(person=ADA, key="k2")) is None


async def test_a_channel_may_also_be_freer_than_the_settings(database: Database) -> None:
    intake = Intake(database, TurnedClock(), workspace="one", surface="slack", rules=AskRules(may_answer="asker"))
    await ask(database, intake, TurnedClock())
    await administered(database, "C0", "anyone")

    assert await intake.choose(click(person=BEN)) is None


async def test_the_list_says_what_holds_where(database: Database) -> None:
    assert "C0         asker           balanced\nelsewhere  anyone          balanced" in await administered(
        database, "C0", "asker"
    )
    assert "C0" not in await administered(database, "C0", "default")


async def test_another_workspace_has_rules_of_its_own(database: Database) -> None:
    intake = Intake(database, TurnedClock(), workspace="one", surface="slack")
    await ask(database, intake, TurnedClock())
    async with database.transaction("two") as connection:
        await connection.execute("INSERT INTO channels VALUES ('two', 'C0', 'asker')")

    assert await intake.choose(click(person=BEN)) is None


async def test_a_channel_has_a_preset_of_its_own_and_the_rest_holds_as_before(database: Database) -> None:
    await administered(database, "C0", "asker")
    console = Console(file=io.StringIO(), width=80)
    settings = Settings(workspace="one", preset="thorough")
    here = Administration(database=database, settings=settings, console=console)

    await rule_channel(here, "C0", None, "quick")
    await rule_channel(here, "C0", "default", None)

    assert "C0         anyone          quick\nelsewhere  anyone          thorough" in str(console.file.getvalue())  # pyright: ignore[reportAttributeAccessIssue]
    assert ("quick", "thorough") == (await usual(database, "C0"), await usual(database, "C1"))


async def usual(database: Database, channel: str) -> str:
    address = replace(message().address, channel=ChannelId(channel))
    return await PresetsAt(database=database, workspace="one", address=address, elsewhere="thorough").usual()
