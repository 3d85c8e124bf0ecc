"""The connection to Groq, or to any server that speaks its protocol."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from groq import AsyncGroq, DefaultAioHttpClient
from langchain_groq import ChatGroq
from pydantic import SecretStr

from bot.models.groq.completions import PlainCompletions
from bot.models.groq.model import FIRST_WORD_SECONDS, FORM_SECONDS, SILENCE_SECONDS, GroqModel
from bot.models.groq.plan import Plan
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.usage import Role, Usage, log_usage

GROQ_URL = "https://api.groq.com"
_CONNECT_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Groq:
    """The two models that an open connection offers."""

    small: GroqModel
    large: GroqModel


@asynccontextmanager
async def open_groq(
    *,
    api_key: SecretStr,
    small: str = "openai/gpt-oss-20b",
    large: str = "openai/gpt-oss-120b",
    base_url: str | None = None,
    longest_answer_tokens: int = 10_000,
    longest_form_tokens: int = 800,
    form_seconds: float = FORM_SECONDS,
    first_word_seconds: float = FIRST_WORD_SECONDS,
    silence_seconds: float = SILENCE_SECONDS,
    timeout_seconds: float = 12.0,
    retries: RetryPolicy | None = None,
    count: Callable[[Usage], None] = log_usage,
) -> AsyncGenerator[Groq]:
    """Open the models of these names, at Groq or at `base_url`; `timeout_seconds` bounds each silence."""
    timeout = httpx.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds))
    plan = Plan()
    async with DefaultAioHttpClient(timeout=timeout, event_hooks={"response": [plan.note]}) as http:
        client = AsyncGroq(
            api_key=api_key.get_secret_value(),
            base_url=_root(base_url or GROQ_URL),
            http_client=http,
            timeout=timeout,
            max_retries=0,  # The policy of `retries` knows longer pauses, and when not to wait.
        )

        def model(role: Role, name: str) -> GroqModel:
            chat = _chat(name, client, api_key)
            return GroqModel(
                role=role, chat=chat, longest_answer_tokens=longest_answer_tokens,
                longest_form_tokens=longest_form_tokens, retries=retries or RetryPolicy(), plan=plan,
                form_seconds=form_seconds, first_word_seconds=first_word_seconds,
                silence_seconds=silence_seconds, count=count,
            )  # fmt: skip

        yield Groq(small=model("small", small), large=model("large", large))


def _root(base_url: str) -> str:
    # The library adds the path; people copy it along.
    return base_url.rstrip("/").removesuffix("/openai/v1")


def _chat(name: str, client: AsyncGroq, api_key: SecretStr) -> ChatGroq:
    return ChatGroq(
        model=name,
        api_key=api_key,
        async_client=PlainCompletions(client),
        temperature=0,
        reasoning_effort="low",
        # gpt-oss does not know `reasoning_format`; what it thinks is neither shown nor kept.
        model_kwargs={"include_reasoning": False},
    )
