"""Ollama, by LangChain's client.

Ollama's own protocol sets the context size with each request. In OpenAI's protocol a model has the context that Ollama
was started with, and Ollama silently cuts a longer prompt.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

import httpx
from langchain.chat_models import init_chat_model

from bot.certificates import authorities
from bot.models.llm.chat import Arguments, Chat
from bot.models.llm.limits import CallLimits
from bot.models.llm.servers import Server

CONTEXT_TOKENS: Final = 8192
"""Our longest prompt and the answer to it take about 6,000."""


@asynccontextmanager
async def connected(server: Server, limits: CallLimits) -> AsyncGenerator[Callable[[str], Chat]]:
    """Open a connection. Yield a function from a model's name to its chat model."""
    both = {"timeout": limits.timeout_seconds, "headers": server.bearer, "verify": authorities()}
    # LangChain never closes its own connections.
    async with httpx.AsyncHTTPTransport(verify=authorities()) as transport:

        def chat(name: str) -> Chat:
            # Turn reasoning off, because a person waits.
            model = init_chat_model(
                name,
                model_provider="ollama",
                base_url=server.url,
                reasoning=False,
                client_kwargs=both,
                async_client_kwargs={"transport": transport},
            )
            return Chat(name=name, model=model, as_object={"format": "json"}, options=_options)

        yield chat


def _options(tokens: int, temperature: float) -> Arguments:
    return {"options": {"num_predict": tokens, "num_ctx": CONTEXT_TOKENS, "temperature": temperature}}
