"""Groq, and any other server with OpenAI's protocol, at any path: without LangChain's own client.

Groq's library makes an object of each answer and each chunk, and `ChatGroq` takes the object apart again. For a short
text this took longer than everything else. So `ChatGroq` gets the JSON itself, while the library still handles
connection, errors and limits. The library's own stream holds a reference to itself: if nobody reads the stream to the
end, the connection stays open, and the model goes on writing, until the garbage collector runs.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import httpx
from groq import AsyncGroq, AsyncStream, DefaultAioHttpClient
from langchain_groq import ChatGroq

from bot.certificates import authorities
from bot.models.llm.chat import Chat
from bot.models.llm.limits import CallLimits, Plan
from bot.models.llm.servers import Server

Json: TypeAlias = dict[str, Any]

_ONLY_GROQ: Final = frozenset({"service_tier"})
"""Fields that `ChatGroq` always sends and only Groq knows."""
_CONNECT_SECONDS: Final = 5.0
_HEADER: Final = "x-ratelimit-limit-tokens"


@asynccontextmanager
async def connected(server: Server, limits: CallLimits) -> AsyncGenerator[Callable[[str], Chat]]:
    """Open a connection. Yield a function from a model's name to its chat model."""
    timeout = httpx.Timeout(limits.timeout_seconds, connect=min(_CONNECT_SECONDS, limits.timeout_seconds))
    plan = Plan()

    async def note(response: httpx.Response) -> None:
        limit = response.headers.get(_HEADER, "")
        if limit.isdigit():
            plan.grant(_model_of(response.request), int(limit))

    async with DefaultAioHttpClient(timeout=timeout, event_hooks={"response": [note]}, verify=authorities()) as http:
        client = AsyncGroq(
            api_key=server.key.get_secret_value(),
            base_url=server.url,
            http_client=http,
            timeout=timeout,
            max_retries=0,  # Our own retry policy has longer pauses, and knows when not to wait.
        )
        is_groq = server.provider == "groq"
        completions = PlainCompletions(client, leaves_out=frozenset() if is_groq else _ONLY_GROQ)

        def chat(name: str) -> Chat:
            model = _chat(name, completions, server, is_groq=is_groq)
            return Chat(name=name, model=model, plan=plan, may_do_without_schema=not is_groq)

        yield chat


class PlainCompletions:
    """Replaces the library's completions below `ChatGroq`."""

    def __init__(self, client: AsyncGroq, *, leaves_out: frozenset[str]) -> None:
        self._client = client
        self._leaves_out = leaves_out

    async def create(self, **request: Any) -> Json | AsyncIterator[Json]:
        """Return a completion, or its chunks. Raises the library's errors."""
        is_stream = bool(request.get("stream"))
        # Some servers refuse a field with the value null.
        body = {name: value for name, value in request.items() if value is not None and name not in self._leaves_out}
        answer: Any = await self._client.post(
            "/chat/completions", body=body, cast_to=object, stream=is_stream, stream_cls=AsyncStream[object]
        )
        return _closing(answer) if is_stream else answer


async def _closing(stream: AsyncStream[Json]) -> AsyncIterator[Json]:
    async with stream:
        async for chunk in stream:
            yield chunk


def _chat(name: str, completions: PlainCompletions, server: Server, *, is_groq: bool) -> ChatGroq:
    # gpt-oss does not know `reasoning_format`. Its reasoning is neither shown nor kept.
    thinks_little: dict[str, Any] = {"reasoning_effort": "low", "model_kwargs": {"include_reasoning": False}}
    own_fields = thinks_little if is_groq else {}
    # Nothing calls the synchronous client. Without this one, `ChatGroq` would create its own and read all certificates.
    clients: dict[str, Any] = {"client": completions, "async_client": completions}
    return ChatGroq(model=name, api_key=server.key, **clients, **own_fields)


def _model_of(request: httpx.Request) -> str:
    try:
        return str(json.loads(request.content)["model"])
    except (ValueError, LookupError, TypeError, httpx.StreamError):
        return ""
