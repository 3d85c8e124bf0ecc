"""The connection to Groq, or to another server that speaks OpenAI's protocol."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any

import httpx
from groq import AsyncGroq, DefaultAioHttpClient, GroqError
from langchain_groq import ChatGroq
from pydantic import SecretStr

from bot.models.groq.completions import PlainCompletions
from bot.models.groq.forms import Forms
from bot.models.groq.limits import Limits
from bot.models.groq.model import GroqModel
from bot.models.groq.plan import Plan
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.usage import Role, Usage, log_usage

GROQ_URL = "https://api.groq.com"
GROQ_PATH = "/openai/v1"
_CONNECT_SECONDS = 5.0
_NO_KEY = SecretStr("none")
_LIMITS = Limits()


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where models are asked: Groq, or a server of one's own that speaks OpenAI's protocol."""

    url: str
    """Without the path of the protocol."""
    path: str
    key: SecretStr
    is_groq: bool

    @classmethod
    def groq(cls, key: SecretStr, url: str | None = None) -> "Server":
        """Return Groq, or a server that stands in for it, whether or not its address names the path."""
        return cls(url=_root(url or GROQ_URL, GROQ_PATH), path=GROQ_PATH, key=key, is_groq=True)

    @classmethod
    def own(cls, url: str, key: SecretStr | None = None) -> "Server":
        """Return the server at an address such as `http://localhost:11434/v1`; many want no key."""
        parts = httpx.URL(url.rstrip("/"))
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        return cls(url=str(parts.copy_with(path="/")).rstrip("/"), path=path, key=key or _NO_KEY, is_groq=False)


@dataclass(frozen=True, kw_only=True)
class Models:
    """Two models by name."""

    small: str = "openai/gpt-oss-20b"
    large: str = "openai/gpt-oss-120b"


@dataclass(frozen=True, kw_only=True)
class Groq:
    """The two models that an open connection offers."""

    small: GroqModel
    large: GroqModel


@asynccontextmanager
async def open_groq(
    server: Server,
    models: Models = Models(),
    limits: Limits = _LIMITS,
    *,
    retries: RetryPolicy | None = None,
    count: Callable[[Usage], None] = log_usage,
) -> AsyncGenerator[Groq]:
    """Open the models of these names at the server."""
    timeout = httpx.Timeout(limits.timeout_seconds, connect=min(_CONNECT_SECONDS, limits.timeout_seconds))
    plan = Plan()
    noting = {"response": [plan.note]}
    async with DefaultAioHttpClient(timeout=timeout, event_hooks=noting, verify=_authorities()) as http:
        client = AsyncGroq(
            api_key=server.key.get_secret_value(),
            base_url=server.url,
            http_client=http,
            timeout=timeout,
            max_retries=0,  # The policy of `retries` knows longer pauses, and when not to wait.
        )
        completions = PlainCompletions(client, server.path, is_groq=server.is_groq)

        def model(role: Role, name: str) -> GroqModel:
            chat = _chat(name, completions, server)
            return GroqModel(
                role=role, chat=chat, limits=limits, retries=retries or RetryPolicy(), plan=plan,
                forms=Forms(may_do_without_schema=not server.is_groq), count=count,
            )  # fmt: skip

        yield Groq(small=model("small", models.small), large=model("large", models.large))


async def models_of(server: Server) -> set[str]:
    """Return the names of the models that a server offers; raise `groq.GroqError` if it does not say."""
    async with AsyncGroq(api_key=server.key.get_secret_value(), base_url=server.url, max_retries=0) as client:
        listed: Any = await client.get(f"{server.path}/models", cast_to=object)
    try:
        return {str(model["id"]) for model in listed["data"]}
    except (LookupError, TypeError) as error:
        raise GroqError("It does not list its models.") from error


@cache
def _authorities() -> SSLContext:
    # Reading all that may vouch for a server takes longer than many a call.
    return httpx.create_ssl_context()


def _root(url: str, path: str) -> str:
    # The path is added to each call; people copy it along.
    return url.rstrip("/").removesuffix(path)


def _chat(name: str, completions: PlainCompletions, server: Server) -> ChatGroq:
    # gpt-oss does not know `reasoning_format`; what it thinks is neither shown nor kept.
    thinks_little: dict[str, Any] = {"reasoning_effort": "low", "model_kwargs": {"include_reasoning": False}}
    own_fields = thinks_little if server.is_groq else {}
    # Nobody calls it synchronously; without a client for that it would open one, and read all certificates for it.
    clients: dict[str, Any] = {"client": completions, "async_client": completions}
    return ChatGroq(model=name, api_key=server.key, temperature=0, **clients, **own_fields)
