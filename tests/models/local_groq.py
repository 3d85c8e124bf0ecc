"""The real client of a local Groq that follows a script."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from pydantic import SecretStr

from bot.models.groq.client import Groq, Server, open_groq
from bot.models.groq.limits import Limits
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.usage import Usage
from tests.models.groq_server import KEY, GroqServer, Reply, Script

AT_ONCE = RetryPolicy(pauses=(0.0, 0.0, 0.0), patience_seconds=2.0)


@asynccontextmanager
async def groq_that(
    *replies: Reply,
    script: Script | None = None,
    key: str = KEY,
    base_url: str | None = None,
    timeout_seconds: float = 10.0,
    form_seconds: float = 60.0,
    first_word_seconds: float = 60.0,
    silence_seconds: float = 60.0,
    retries: RetryPolicy = AT_ONCE,
    grants: str = "",
    count: Callable[[Usage], None] = lambda _: None,
) -> AsyncGenerator[tuple[Groq, GroqServer]]:
    """Open models that reply as told, in turn or by a function of the request; retries do not pause."""
    limits = Limits(
        timeout_seconds=timeout_seconds,
        form_seconds=form_seconds,
        first_word_seconds=first_word_seconds,
        silence_seconds=silence_seconds,
    )
    async with GroqServer.serve(script or replies, grants=grants) as server:
        where = Server.groq(SecretStr(key), base_url or server.url)
        async with open_groq(where, limits=limits, retries=retries, count=count) as groq:
            yield groq, server
