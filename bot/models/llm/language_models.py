"""Opens the models. Only the libraries of the configured providers are imported."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from bot.errors import SettingsError
from bot.models.llm.chat import Chat
from bot.models.llm.forms import Forms
from bot.models.llm.limits import CallLimits
from bot.models.llm.model import LanguageModel
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.servers import ModelAt, Server
from bot.models.llm.usage import Role, Usage, log_usage

ChatOf: TypeAlias = Callable[[str], Chat]
"""Returns the chat model of a name."""
Connecting: TypeAlias = Callable[[Server, CallLimits], AbstractAsyncContextManager[ChatOf]]
"""The type of `connected` in each provider's module."""

_LIMITS: Final = CallLimits()


@dataclass(frozen=True, kw_only=True)
class LanguageModels:
    """The small and the large model, open."""

    small: LanguageModel
    large: LanguageModel


@asynccontextmanager
async def open_models(
    small: ModelAt,
    large: ModelAt,
    limits: CallLimits = _LIMITS,
    *,
    retries: RetryPolicy | None = None,
    count: Callable[[Usage], None] = log_usage,
) -> AsyncGenerator[LanguageModels]:
    """Open both models. Raises `SettingsError` if their provider's library is not installed."""
    async with AsyncExitStack() as stack:
        servers = dict.fromkeys((small.server, large.server))
        opened = {server: await stack.enter_async_context(_connecting(server)(server, limits)) for server in servers}

        def model(role: Role, at: ModelAt) -> LanguageModel:
            chat = opened[at.server](at.name)
            return LanguageModel(
                role=role,
                chat=chat,
                limits=limits,
                retries=retries or RetryPolicy(),
                forms=Forms(
                    may_do_without_schema=chat.may_do_without_schema, binds_objects=at.server.provider == "own"
                ),
                count=count,
            )

        yield LanguageModels(small=model("small", small), large=model("large", large))


def _connecting(server: Server) -> Connecting:
    try:
        match server.provider:
            case "groq" | "own":
                from bot.models.llm.providers.groq import connected
            case "openai":
                from bot.models.llm.providers.openai import connected
            case "anthropic":
                from bot.models.llm.providers.anthropic import connected
            case "ollama":
                from bot.models.llm.providers.ollama import connected
            case "other":
                from bot.models.llm.providers.other import connected
    except ImportError as error:
        extra = "langchain" if server.provider == "other" else f"askback[{server.provider}]"
        raise SettingsError(f"To ask {server.name}, install its library: pip install '{extra}'") from error
    return connected
