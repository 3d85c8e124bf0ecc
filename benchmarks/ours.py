"""Runs Askback without the limits that Slack sets, or at its pace: `python -m benchmarks.ours [paced]`.

Where the playground sets no limits, the plain bot keeps none. How often an answer is written on stays as in Slack.
"""

import asyncio
import sys

from bot.console import until_interrupted
from bot.embedded import database_url
from bot.logs import configure_logs
from bot.settings import Settings
from bot.slack.pace import Pace
from bot.wiring import open_bot, serving_slack

WITHOUT_LIMITS = 10_000.0


async def main(*, is_paced: bool) -> None:
    """Serve until killed."""
    settings = Settings.read()
    configure_logs(settings.log_format, "warning")
    in_slack = Pace()
    pace = in_slack if is_paced else Pace(speed=WITHOUT_LIMITS)
    pace.append_seconds, pace.rewrite_seconds = in_slack.append_seconds, in_slack.rewrite_seconds
    with database_url(settings) as url:
        async with open_bot(settings, url) as bot, serving_slack(bot, pace=pace):
            await until_interrupted()


if __name__ == "__main__":
    asyncio.run(main(is_paced=sys.argv[1:] == ["paced"]))
