"""Runs Askback without Slack's rate limits, or with them: `python -m benchmarks.arena.ours [paced|receive|work]`.

The plain bot keeps no limits either, unless the playground sets them. The interval between updates of an answer stays
as in Slack.
"""

import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot import runtime
from bot.app import open_bot, serving_slack, working
from bot.bot import Bot
from bot.cli.console import until_interrupted
from bot.logs import configure_logs
from bot.postgres.addresses import addresses
from bot.postgres.pool import Database
from bot.receiver import RECEIVER_CONNECTIONS, open_slack, receiving
from bot.settings import Settings
from bot.slack.api.pace import Pace

WITHOUT_LIMITS = 10_000.0


def main() -> None:
    """Serve until killed, as one process or as receiver or worker."""
    runtime.run(_serve(*sys.argv[1:] or ("",)))


async def _serve(how: str) -> None:
    settings = Settings.read()
    configure_logs(settings.log_format, "warning")
    in_slack = Pace()
    pace = in_slack if how == "paced" else Pace(speed=WITHOUT_LIMITS)
    pace.append_seconds, pace.rewrite_seconds = in_slack.append_seconds, in_slack.rewrite_seconds
    with addresses(settings) as found:
        async with AsyncExitStack() as stack:
            if how == "receive":
                database = await stack.enter_async_context(
                    Database.open(found.serving, size=RECEIVER_CONNECTIONS, workspace=settings.workspace)
                )
                slack = await stack.enter_async_context(open_slack(settings, pace=pace))
                await stack.enter_async_context(receiving(database, slack, settings))
            else:
                bot = await stack.enter_async_context(open_bot(settings, found.serving))
                await stack.enter_async_context(_working(bot, pace) if how == "work" else serving_slack(bot, pace=pace))
            await until_interrupted()


@asynccontextmanager
async def _working(bot: Bot, pace: Pace) -> AsyncGenerator[None]:
    async with open_slack(bot.settings, pace=pace) as slack, working(bot, slack):
        yield


if __name__ == "__main__":
    main()
