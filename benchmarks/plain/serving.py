"""Serves with the product's settings."""

from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_sdk.web.async_client import AsyncWebClient

from benchmarks.plain.app import Durability, build_app
from benchmarks.plain.graph import build_graph
from bot.app import open_bot
from bot.knowledge.search import everything
from bot.logs import configure_logs
from bot.postgres.addresses import addresses
from bot.settings import Settings

MOST_CONNECTIONS = 20


async def serve(durability: Durability) -> None:
    """Serve until killed."""
    settings = Settings.read()
    configure_logs(settings.log_format, "warning")
    token, app_token = settings.require_slack()
    with addresses(settings) as found:
        async with open_bot(settings, found.serving) as bot, _pool(found.owner or found.serving) as pool:
            saver = AsyncPostgresSaver(pool)
            await saver.setup()
            client = AsyncWebClient(token, base_url=settings.slack_api_url)
            graph = build_graph().compile(checkpointer=saver)
            app = build_app(client, graph, bot.context_of(settings.workspace, everything), durability)
            await AsyncSocketModeHandler(app, app_token).start_async()


def _pool(url: str) -> AsyncConnectionPool[Any]:
    options = "-c askback.workspace=plain"  # Its checkpoints are in a database of ours.
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, "options": options}
    return AsyncConnectionPool(url, max_size=MOST_CONNECTIONS, open=False, kwargs=settings)
