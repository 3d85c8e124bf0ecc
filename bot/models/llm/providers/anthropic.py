"""Anthropic, by LangChain's client. It knows strict schemas, but no other kind of JSON."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
from langchain.chat_models import init_chat_model

from bot.certificates import authorities
from bot.models.llm.chat import Chat, composed
from bot.models.llm.limits import CallLimits, Plan
from bot.models.llm.servers import Server


@asynccontextmanager
async def connected(server: Server, limits: CallLimits) -> AsyncGenerator[Callable[[str], Chat]]:
    """Open a connection. Yield a function from a model's name to its chat model."""
    key, timeout = server.key.get_secret_value(), limits.timeout_seconds
    async with DefaultAsyncHttpxClient(timeout=timeout, verify=authorities()) as http:
        client = AsyncAnthropic(api_key=key, base_url=server.url, timeout=timeout, max_retries=0, http_client=http)

        def chat(name: str) -> Chat:
            model = init_chat_model(name, model_provider="anthropic", base_url=server.url, api_key=server.key)
            # LangChain's own client is shared by the whole process, and nothing closes it.
            vars(model)["_async_client"] = client
            options = composed(model, thinks_little={"output_config": {"effort": "low"}})
            return Chat(name=name, model=model, options=options, plan=Plan(counts_room=False), as_object={})

        yield chat
