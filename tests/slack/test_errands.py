"""Nobody waits for an errand but the end."""

import asyncio

from bot.errors import SlackError
from bot.slack.errands import Errands


async def test_the_end_waits_for_what_is_under_way() -> None:
    done: list[str] = []

    async def errand() -> None:
        await asyncio.sleep(0)
        done.append("errand")

    async with Errands() as errands:
        errands.run(errand())
        assert [] == done

    assert ["errand"] == done


async def test_what_slack_refuses_breaks_nothing() -> None:
    async def errand() -> None:
        raise SlackError("chat.update: message_not_found")

    async with Errands() as errands:
        errands.run(errand())


async def test_what_takes_too_long_is_given_up() -> None:
    never = asyncio.Event()

    async def errand() -> None:
        await never.wait()

    errands = Errands()
    errands.run(errand())

    async with asyncio.timeout(30):
        await errands.finish(within_seconds=0.01)
