"""How tests wait: the bot as long as a busy machine takes, and a test not at all for time that has to pass."""

import asyncio
from typing import Final

import pytest

PATIENCE: Final = 120.0
"""In seconds. Only a failing test waits so long."""
HASTE: Final = (
    "bot.models.embedding.Embedding.query_seconds",
    "bot.models.embedding.Embedding.passage_seconds",
    "bot.models.remote.embedding.RemoteEmbedding.query_request_seconds",
    "bot.postgres.standby.Standby.patience_seconds",
    "bot.slack.listeners.access_check.PATIENCE_SECONDS",
    "bot.slack.message_search.SECONDS",
    "bot.slack.people.memberships.PATIENCE_SECONDS",
    "bot.slack.people.people.PATIENCE_SECONDS",
    "bot.slack.people.profiles.PATIENCE_SECONDS",
    "bot.slack.people.reviewers.CHANNELS_SECONDS",
    "bot.slack.people.reviewers.PATIENCE_SECONDS",
    "bot.tools.mcp.connected.GRACE_SECONDS",
)
"""How long the bot waits for Slack, servers and models, while somebody waits for the bot."""


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot wait for what answers late on a busy machine: whether it is late is the subject of few tests."""
    for name in HASTE:
        monkeypatch.setattr(name, PATIENCE)
    monkeypatch.setattr("bot.slack.api.sessions.Sessions.__init__.__kwdefaults__", {"patience_seconds": PATIENCE})


async def pass_turns(count: int) -> None:
    """Let the event loop go on for some turns."""
    for _ in range(count):
        await asyncio.sleep(0)


def let_pass(seconds: float) -> None:
    """Let this much time pass at once in the running event loop: what is due until then happens next."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds
