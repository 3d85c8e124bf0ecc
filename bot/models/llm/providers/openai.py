"""OpenAI, by LangChain's client."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from langchain.chat_models import init_chat_model
from openai import DefaultAsyncHttpxClient

from bot.certificates import authorities
from bot.models.llm.chat import Chat, composed
from bot.models.llm.limits import CallLimits, Plan
from bot.models.llm.servers import Server


@asynccontextmanager
async def connected(server: Server, limits: CallLimits) -> AsyncGenerator[Callable[[str], Chat]]:
    """Open a connection. Yield a function from a model's name to its chat model."""
    async with DefaultAsyncHttpxClient(timeout=limits.timeout_seconds, verify=authorities()) as http:

        def chat(name: str) -> Chat:
            model = init_chat_model(
                name,
                model_provider="openai",
                base_url=server.url,
                api_key=server.key,
                http_async_client=http,
                timeout=limits.timeout_seconds,
                max_retries=0,
                stream_usage=True,
                use_responses_api=False,
            )
            options = composed(model, thinks_little={"reasoning_effort": "low"})
            return Chat(name=name, model=model, options=options, plan=Plan(counts_room=False))

        yield chat
