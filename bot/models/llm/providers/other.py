"""Any other provider that LangChain can name, by that provider's own client, variables and defaults."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from langchain.chat_models import init_chat_model

from bot.errors import SettingsError
from bot.models.llm.chat import Chat
from bot.models.llm.limits import CallLimits, Plan
from bot.models.llm.servers import Server


@asynccontextmanager
async def connected(server: Server, limits: CallLimits) -> AsyncGenerator[Callable[[str], Chat]]:
    """Yield a function from a model's name to its chat model. It raises `SettingsError` if there is no such model.

    No option is sent that some client does not know: temperature and reasoning are the provider's.
    """

    def chat(name: str) -> Chat:
        try:
            model = init_chat_model(name, model_provider=server.url, timeout=limits.timeout_seconds, max_retries=0)
        except ImportError as error:
            raise SettingsError(f"To ask {server.name}, install its library: {error}") from error
        except Exception as error:
            # A client that lacks its key says so in an error of its own kind.
            reason = str(error).splitlines()[0]
            raise SettingsError(f"{server.name} cannot be asked: {reason}") from error
        return Chat(name=name, model=model, plan=Plan(counts_room=False))

    yield chat
