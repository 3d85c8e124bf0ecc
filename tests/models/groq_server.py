"""A local server that speaks a provider's protocol over a real socket and says what a script tells it to.

Groq's protocol is OpenAI's; Anthropic and Ollama have a dialect of their own. A script sees each request as OpenAI
would see it. The server is as strict as the original if a mistake of ours would show only in production: it refuses
`reasoning_format`, reasoning in messages, a missing key, and a strict schema that does not close its objects or require
its properties; and it writes no more tokens, of four characters each, than a request has room for.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol, TypeAlias

from aiohttp import web

from tests.support.serving import served

PATH = "/openai/v1"
KEY = "gsk_local"


@dataclass(frozen=True)
class Says:
    """An answer. If streaming was requested, it is streamed in pieces of a few characters."""

    text: str
    size: int = 8
    cut_after: int | None = None
    """Pieces after which the connection breaks."""
    ends: bool = True
    """Whether the stream has a proper end. If not, it still closes without an error."""
    finish_reason: str = "stop"
    pause_seconds: float = 0.0
    """Delay before each piece."""
    held_until: asyncio.Event | None = None
    """An event to wait for before the answer begins, or in the middle."""
    held_at: int = 0
    """The piece of a stream before which to wait."""
    usage: bool = True
    """Whether the answer reports how many tokens it took."""
    overflows: bool = False
    """Whether it is longer than the request has room for."""
    calls: str = ""
    """A tool that it calls, in OpenAI's protocol, though none was offered."""


@dataclass(frozen=True)
class Fails:
    """An HTTP error."""

    status: int
    message: str = "It failed."
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    after_seconds: float = 0.0


@dataclass(frozen=True)
class Talks:
    """A body that is not a completion."""

    body: str
    content_type: str = "text/html"


@dataclass(frozen=True)
class KeepsAlive:
    """A stream that ends in an endless series of keep-alives."""

    text: str = ""
    every_seconds: float = 0.02


Reply: TypeAlias = Says | Fails | Talks | KeepsAlive
Script: TypeAlias = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


def answers(**values: Any) -> Says:
    """Make the answer to a request for structured output."""
    return Says(json.dumps(values))


class Dialect(Protocol):
    """A provider's protocol."""

    @property
    def content_type(self) -> str:
        """The content type of a stream."""
        ...

    @property
    def ask_path(self) -> str:
        """Where a question is posted."""
        ...

    @property
    def list_path(self) -> str:
        """Where the models' names are."""
        ...

    def key_of(self, headers: Mapping[str, str]) -> str:
        """Return a request's key."""
        ...

    def common(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a request as OpenAI would see it."""
        ...

    def fault_of(self, body: dict[str, Any]) -> str:
        """Return the provider's objection to a request; empty if there is none."""
        ...

    def listed(self, name: str) -> dict[str, Any]:
        """Return the list of the models' names."""
        ...

    def failure(self, fails: Fails) -> dict[str, Any]:
        """Return the body of an error."""
        ...

    def completion(self, reply: Says, request: dict[str, Any]) -> dict[str, Any]:
        """Return a whole answer to a request in the common shape."""
        ...

    def events(self, reply: Says, request: dict[str, Any]) -> Iterator[bytes]:
        """Return the parts of a streamed answer."""
        ...

    @property
    def keep_alive(self) -> bytes:
        """A keep-alive of a stream."""
        ...


@dataclass(frozen=True)
class OpenAI:
    """OpenAI's protocol below any path. Groq's own path knows a few more fields."""

    path: str = PATH
    content_type: str = "text/event-stream"
    keep_alive: bytes = b": keep-alive\n\n"

    @property
    def ask_path(self) -> str:
        return f"{self.path}/chat/completions"

    @property
    def list_path(self) -> str:
        return f"{self.path}/models"

    def key_of(self, headers: Mapping[str, str]) -> str:
        return headers.get("Authorization", "").removeprefix("Bearer ")

    def common(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"max_tokens": body.get("max_completion_tokens"), **body}

    def fault_of(self, body: dict[str, Any]) -> str:
        return fault_of(body) or ("" if self.path == PATH else foreign_fault_of(body))

    def listed(self, name: str) -> dict[str, Any]:
        return {"object": "list", "data": [{"id": name, "object": "model"}]}

    def failure(self, fails: Fails) -> dict[str, Any]:
        return {"error": {"message": fails.message, "type": "invalid_request_error", "code": fails.code}}

    def completion(self, reply: Says, request: dict[str, Any]) -> dict[str, Any]:
        return _completion(reply, request)

    def events(self, reply: Says, request: dict[str, Any]) -> Iterator[bytes]:
        return _events(reply, request)


@dataclass
class GroqServer:
    """A running server, with its address, its requests, and its lost clients."""

    script: Script
    url: str = ""
    grants: str = ""
    """The plan's tokens a minute in the responses; `None` to leave them out."""
    dialect: Dialect = field(default_factory=OpenAI)
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The requests in order, in OpenAI's form."""
    bodies: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The requests in the dialect."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client leaves in the middle of an answer."""
    _numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    @asynccontextmanager
    async def serve(
        cls, script: Script, *, grants: str = "", path: str = PATH, dialect: Dialect | None = None
    ) -> AsyncGenerator["GroqServer"]:
        """Run a server on a free port of this machine, with OpenAI's protocol below a path, or with a dialect."""
        server = cls(script, grants=grants, dialect=dialect or OpenAI(path))
        app = web.Application()
        app.on_response_prepare.append(server._grant)
        app.router.add_post(server.dialect.ask_path, server._complete)
        app.router.add_get(server.dialect.list_path, server._list)
        async with served(app) as server.url:
            yield server

    async def _grant(self, _request: web.Request, response: web.StreamResponse) -> None:
        if self.grants:
            response.headers["x-ratelimit-limit-tokens"] = self.grants

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response(self.dialect.listed("little"))

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        asked = self.dialect.common(body)
        self.bodies.append(body)
        self.requests.append(asked)
        if self.dialect.key_of(request.headers) != KEY:
            return self._failure(Fails(401, "Invalid API Key"))
        if fault := self.dialect.fault_of(body):
            return self._failure(Fails(400, fault))
        return await self._reply(_within_room(self._next(asked), asked), asked, request)

    def _failure(self, fails: Fails) -> web.Response:
        return web.json_response(self.dialect.failure(fails), status=fails.status, headers=dict(fails.headers))

    def _next(self, body: dict[str, Any]) -> Reply:
        if callable(self.script):
            return self.script(body)
        number = next(self._numbers)
        return self.script[number] if number < len(self.script) else Fails(500, "The script is over.")

    async def _reply(self, reply: Reply, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if isinstance(reply, Says) and reply.held_until and not reply.held_at:
            await reply.held_until.wait()
        match reply:
            case Fails():
                await asyncio.sleep(reply.after_seconds)
                return self._failure(reply)
            case Talks():
                return web.Response(text=reply.body, content_type=reply.content_type)
            case KeepsAlive():
                return await self._keep_alive(reply, body, request)
            case Says() if body.get("stream"):
                return await self._stream(reply, body, request)
            case Says():
                await asyncio.sleep(reply.pause_seconds)
                return web.json_response(self.dialect.completion(reply, body))

    async def _keep_alive(self, reply: KeepsAlive, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": self.dialect.content_type})
        await response.prepare(request)
        for event in self.dialect.events(Says(reply.text, ends=False), body):
            await response.write(event)
        while True:
            await response.write(self.dialect.keep_alive)
            await asyncio.sleep(reply.every_seconds)

    async def _stream(self, reply: Says, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": self.dialect.content_type})
        await response.prepare(request)
        try:
            for number, event in enumerate(self.dialect.events(reply, body)):
                if number == reply.cut_after:
                    return _break(response, request)
                if reply.held_until and number == reply.held_at:
                    await reply.held_until.wait()
                await asyncio.sleep(reply.pause_seconds)
                await response.write(event)
        except (ConnectionError, asyncio.CancelledError):
            self.gone.set()
            raise
        return response


def _within_room(reply: Reply, body: dict[str, Any]) -> Reply:
    room = 4 * body["max_tokens"]
    if isinstance(reply, Says) and len(reply.text) > room and not reply.overflows:
        return replace(reply, text=reply.text[:room], finish_reason="length")
    return reply


def fault_of(body: dict[str, Any]) -> str:
    """Return Groq's objection to a request; empty if there is none."""
    if body.get("reasoning_format") is not None:
        return "reasoning_format is not supported with this model"
    if any({"reasoning", "reasoning_content"} & message.keys() for message in body["messages"]):
        return "property 'reasoning' is unsupported in messages"
    wanted = (body.get("response_format") or {}).get("json_schema", {})
    if wanted.get("strict"):
        return _schema_fault(wanted["schema"])
    return ""


def foreign_fault_of(body: dict[str, Any]) -> str:
    """Return the objection of a server other than Groq to a request; empty if there is none."""
    foreign = {"include_reasoning", "reasoning_effort", "reasoning_format", "service_tier"} & body.keys()
    nulls = [name for name, value in body.items() if value is None]
    return f"unknown: {', '.join(sorted(foreign))}" if foreign else f"null: {', '.join(nulls)}" if nulls else ""


def _schema_fault(schema: Any) -> str:
    match schema:
        case {"type": "object", "properties": properties}:
            return _object_fault(schema) or _first_fault(properties.values())
        case {"enum": []}:
            return "invalid JSON schema: enum must not be empty"
        case dict():
            return _first_fault(schema.values())
        case list():
            return _first_fault(schema)
        case _:
            return ""


def _object_fault(schema: dict[str, Any]) -> str:
    if schema.get("additionalProperties") is not False:
        return "invalid JSON schema: additionalProperties must be false"
    if set(schema.get("required", ())) != set(schema["properties"]):
        return "invalid JSON schema: required must list all properties"
    return ""


def _first_fault(schemas: Any) -> str:
    return next((fault for schema in schemas if (fault := _schema_fault(schema))), "")


def _break(response: web.StreamResponse, request: web.Request) -> web.StreamResponse:
    assert request.transport
    request.transport.abort()
    return response


def _completion(reply: Says, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text, **_calls(reply)}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    return {**_head(body, "chat.completion"), "choices": [choice], **_usage(reply, body)}


def _events(reply: Says, body: dict[str, Any]) -> Iterator[bytes]:
    said = ({"content": piece} for piece in pieces_of(reply))
    for delta in ({"role": "assistant", "content": "", **_calls(reply)}, *said):
        yield _event(_chunk(body, delta, None))
    if reply.ends:
        yield _event(_chunk(body, {}, reply.finish_reason) | {"x_groq": {"id": "req_1", **_usage(reply, body)}})
        if body.get("stream_options"):
            yield _event(_chunk(body, {}, None) | {"choices": [], **_usage(reply, body)})
        yield b"data: [DONE]\n\n"


def _calls(reply: Says) -> dict[str, Any]:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": reply.calls, "arguments": "{}"}}
    return {"tool_calls": [call]} if reply.calls else {}


def pieces_of(reply: Says) -> list[str]:
    """Return the pieces in which a text is streamed."""
    return [reply.text[start : start + reply.size] for start in range(0, len(reply.text), reply.size)]


def tokens_of(reply: Says, request: dict[str, Any]) -> tuple[int, int]:
    """Return the tokens of a request and of its answer, of four characters each."""
    return len(json.dumps(request["messages"])) // 4, len(reply.text) // 4


def _event(chunk: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


def _chunk(body: dict[str, Any], delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {**_head(body, "chat.completion.chunk"), "choices": [choice]}


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": body["model"], "system_fingerprint": "fp_local"}


def _usage(reply: Says, body: dict[str, Any]) -> dict[str, Any]:
    if not reply.usage:
        return {}
    asked, said = tokens_of(reply, body)
    tokens = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return {"usage": {**tokens, "prompt_tokens_details": {"cached_tokens": 4}}}
