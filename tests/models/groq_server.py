"""A local server that speaks Groq's protocol over a real socket and says what a script tells it to.

It is as strict as the original where a mistake of ours would show only in production: it refuses `reasoning_format`,
reasoning in messages, a missing key, and a strict schema that does not close its objects or require its properties;
and it writes no more tokens, of four characters each, than a request has room for.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, TypeAlias

from aiohttp import web

PATH = "/openai/v1"
KEY = "gsk_local"


@dataclass(frozen=True)
class Says:
    """An answer; streamed, if streaming was asked for, in pieces of a few characters."""

    text: str
    size: int = 8
    cut_after: int | None = None
    """Pieces after which the connection breaks."""
    ends: bool = True
    """False: the stream closes in good order, but without its end."""
    finish_reason: str = "stop"
    pause_seconds: float = 0.0
    """Before every piece."""
    held_until: asyncio.Event | None = None
    """What must have happened before it begins."""
    usage: bool = True
    """False: it does not say how many tokens it took."""


@dataclass(frozen=True)
class Fails:
    """An error of HTTP."""

    status: int
    message: str = "It failed."
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Talks:
    """A body that is no completion at all."""

    body: str
    content_type: str = "text/html"


@dataclass(frozen=True)
class KeepsAlive:
    """A stream that says something, or nothing, and then for ever only that it is still there."""

    text: str = ""
    every_seconds: float = 0.02


Reply: TypeAlias = Says | Fails | Talks | KeepsAlive
Script: TypeAlias = Sequence[Reply] | Callable[[dict[str, Any]], Reply]


def answers(**values: Any) -> Says:
    """Make the answer to a request for structured output."""
    return Says(json.dumps(values))


@dataclass
class GroqServer:
    """A running server: where it is, what it was asked, and whom it lost."""

    script: Script
    url: str = ""
    grants: str = ""
    """The tokens a minute that its plan is said to have; empty where it does not say."""
    path: str = PATH
    """Of the protocol; Groq's own, or that of somebody's server, which knows none of Groq's own fields."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies, in order."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a client went away in the middle of an answer."""
    _numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    @asynccontextmanager
    async def serve(cls, script: Script, *, grants: str = "", path: str = PATH) -> AsyncGenerator["GroqServer"]:
        """Run a server on a free port of this machine."""
        server = cls(script, grants=grants, path=path)
        app = web.Application()
        app.on_response_prepare.append(server._grant)
        app.router.add_post(f"{path}/chat/completions", server._complete)
        app.router.add_get(f"{path}/models", server._list)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield server
        finally:
            await runner.cleanup()

    async def _grant(self, _request: web.Request, response: web.StreamResponse) -> None:
        if self.grants:
            response.headers["x-ratelimit-limit-tokens"] = self.grants

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "little", "object": "model"}]})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return _failure(Fails(401, "Invalid API Key"))
        if fault := fault_of(body) or (self.path != PATH and foreign_fault_of(body)):
            return _failure(Fails(400, fault))
        return await self._reply(_within_room(self._next(body), body), body, request)

    def _next(self, body: dict[str, Any]) -> Reply:
        if callable(self.script):
            return self.script(body)
        number = next(self._numbers)
        return self.script[number] if number < len(self.script) else Fails(500, "The script is over.")

    async def _reply(self, reply: Reply, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        if isinstance(reply, Says) and reply.held_until:
            await reply.held_until.wait()
        match reply:
            case Fails():
                return _failure(reply)
            case Talks():
                return web.Response(text=reply.body, content_type=reply.content_type)
            case KeepsAlive():
                return await self._keep_alive(reply, body, request)
            case Says() if body.get("stream"):
                return await self._stream(reply, body, request)
            case Says():
                await asyncio.sleep(reply.pause_seconds)
                return web.json_response(_completion(reply, body))

    async def _keep_alive(self, reply: KeepsAlive, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in _events(Says(reply.text, ends=False), body):
            await response.write(event)
        while True:
            await response.write(b": keep-alive\n\n")
            await asyncio.sleep(reply.every_seconds)

    async def _stream(self, reply: Says, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for number, event in enumerate(_events(reply, body)):
                if number == reply.cut_after:
                    return _break(response, request)
                await asyncio.sleep(reply.pause_seconds)
                await response.write(event)
        except (ConnectionError, asyncio.CancelledError):
            self.gone.set()
            raise
        return response


def _within_room(reply: Reply, body: dict[str, Any]) -> Reply:
    room = 4 * body["max_tokens"]
    if isinstance(reply, Says) and len(reply.text) > room:
        return replace(reply, text=reply.text[:room], finish_reason="length")
    return reply


def fault_of(body: dict[str, Any]) -> str:
    """Say what Groq would refuse in a request; empty if nothing."""
    if body.get("reasoning_format") is not None:
        return "reasoning_format is not supported with this model"
    if any({"reasoning", "reasoning_content"} & message.keys() for message in body["messages"]):
        return "property 'reasoning' is unsupported in messages"
    wanted = (body.get("response_format") or {}).get("json_schema", {})
    if wanted.get("strict"):
        return _schema_fault(wanted["schema"])
    return ""


def foreign_fault_of(body: dict[str, Any]) -> str:
    """Say what a server that is not Groq would refuse in a request; empty if nothing."""
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


def _failure(fails: Fails) -> web.Response:
    error = {"error": {"message": fails.message, "type": "invalid_request_error", "code": fails.code}}
    return web.json_response(error, status=fails.status, headers=dict(fails.headers))


def _break(response: web.StreamResponse, request: web.Request) -> web.StreamResponse:
    assert request.transport
    request.transport.abort()
    return response


def _completion(reply: Says, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    return {**_head(body, "chat.completion"), "choices": [choice], **_usage(reply, body)}


def _events(reply: Says, body: dict[str, Any]) -> Iterator[bytes]:
    pieces = [reply.text[start : start + reply.size] for start in range(0, len(reply.text), reply.size)]
    for delta in ({"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)):
        yield _event(_chunk(body, delta, None))
    if reply.ends:
        yield _event(_chunk(body, {}, reply.finish_reason) | {"x_groq": {"id": "req_1", **_usage(reply, body)}})
        yield b"data: [DONE]\n\n"


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
    asked, said = len(json.dumps(body["messages"])) // 4, len(reply.text) // 4
    tokens = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return {"usage": {**tokens, "prompt_tokens_details": {"cached_tokens": 4}}}
