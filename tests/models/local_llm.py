"""The real clients, connected to a local server with a script, in the protocol of each provider."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from pydantic import SecretStr

from bot.models.llm.language_models import LanguageModels, open_models
from bot.models.llm.limits import CallLimits
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.servers import ModelAt, Provider, Server
from bot.models.llm.usage import Usage
from tests.models.anthropic_dialect import Anthropic
from tests.models.groq_server import KEY, PATH, Dialect, GroqServer, OpenAI, Reply, Script
from tests.models.ollama_dialect import Ollama

AT_ONCE = RetryPolicy(pauses=(0.0, 0.0, 0.0), patience_seconds=2.0)
DIALECTS: dict[Provider, Dialect] = {
    "groq": OpenAI(PATH),
    "own": OpenAI("/api/v2"),
    "openai": OpenAI("/v1"),
    "anthropic": Anthropic(),
    "ollama": Ollama(),
}
SMALL, LARGE = "openai/gpt-oss-20b", "openai/gpt-oss-120b"


def opened(server: Server, **more: Any) -> AbstractAsyncContextManager[LanguageModels]:
    """Open Groq's two default models at a server."""
    return open_models(ModelAt(server=server, name=SMALL), ModelAt(server=server, name=LARGE), **more)


def server_at(provider: Provider, url: str, key: str = KEY) -> Server:
    """Return the provider's server, replaced by a local one."""
    paths = {"groq": PATH, "own": "/api/v2", "openai": "/v1"}
    return Server(provider=provider, url=url + paths.get(provider, ""), key=SecretStr(key))


@asynccontextmanager
async def llm_that(
    *replies: Reply,
    provider: Provider = "groq",
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
) -> AsyncGenerator[tuple[LanguageModels, GroqServer]]:
    """Open models with these replies, in turn or by a function of the request; retries do not pause."""
    limits = CallLimits(
        timeout_seconds=timeout_seconds,
        form_seconds=form_seconds,
        first_word_seconds=first_word_seconds,
        silence_seconds=silence_seconds,
    )
    async with GroqServer.serve(script or replies, grants=grants, dialect=DIALECTS[provider]) as server:
        where = server_at(provider, base_url or server.url, key)
        async with opened(where, limits=limits, retries=retries, count=count) as models:
            yield models, server
