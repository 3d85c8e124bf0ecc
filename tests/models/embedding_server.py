"""A local server that speaks OpenAI's and Ollama's protocols for embeddings over a real socket.

Its vectors carry meaning: they are those of the built-in model, turned into more dimensions and pressed into a narrow
range of cosines, as those of many models are. A script may let it fail. It is as strict as other servers than OpenAI's:
it takes texts and no tokens, and wants its key.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from aiohttp import web

from bot.models.choice import load_embedding
from bot.models.embedding import DIMENSIONS, Matrix
from tests.models.groq_server import Fails
from tests.support.serving import served

KEY = "sk-local-embedding-key"
PATH = "/v1"
WIDE = 1024
COMMON = 0.6
"""The share that all vectors have in common: cosines lie between .6 and 1."""
LARGEST_BATCH = 32
"""Texts of a request, as text-embeddings-inference limits them by default."""

Vectors: TypeAlias = list[list[float]]
Reply: TypeAlias = Fails | Callable[[Vectors], Vectors] | asyncio.Event
"""A failure, what changes the vectors, or an event to wait for."""


@cache
def _turn(dimensions: int) -> Matrix:
    # The columns of a random orthogonal matrix keep all cosines.
    square = np.random.default_rng(7).standard_normal((dimensions - 1, DIMENSIONS))
    return np.linalg.qr(square)[0].astype(np.float32)


def wide(texts: list[str], dimensions: int = WIDE) -> Matrix:
    """Return the server's vectors of some texts, without their prefixes."""
    meant = load_embedding("english").embed_passages(texts) @ _turn(dimensions).T
    common = np.full((len(texts), 1), np.sqrt(COMMON), dtype=np.float32)
    return np.hstack([common, np.sqrt(np.float32(1 - COMMON)) * meant])


@dataclass
class EmbeddingServer:
    """The server, and what it was asked."""

    dimensions: int = WIDE
    replies: list[Reply] = field(default_factory=list[Reply])
    """What it does next; after them, and before, it answers."""
    always: Reply | None = None
    """What it does with every request."""
    refuses: str = "\0"
    """It refuses a request whose texts hold this, such as a word that a provider forbids."""
    prefixes: Sequence[str] = ()
    """Prefixes that mean nothing to it but what is asked."""
    url: str = ""
    asked: list[list[str]] = field(default_factory=list[list[str]])
    """The texts of each request."""
    keys: list[str] = field(default_factory=list[str])
    failed: int = 0
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a request waits for an event."""

    @classmethod
    @asynccontextmanager
    async def serve(cls, **given: Any) -> AsyncGenerator["EmbeddingServer"]:
        """Run a server on a free port of this machine."""
        server = cls(**given)
        app = web.Application(client_max_size=2**24)
        app.router.add_post(f"{PATH}/embeddings", server._embed)
        app.router.add_post("/api/embed", server._embed)
        async with served(app) as address:
            server.url = f"{address}{PATH}"
            yield server

    @property
    def texts(self) -> list[str]:
        """All texts that it was asked for, in order."""
        return [text for texts in self.asked for text in texts]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that name it."""
        return {
            "embedding": "openai:bge-m3",
            "embedding_dimensions": self.dimensions,
            "embedding_url": self.url,
            "embedding_key": KEY,
        }

    async def _embed(self, request: web.Request) -> web.Response:
        body: dict[str, Any] = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        self.keys.append(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if self.keys[-1] != KEY:
            return _failure(Fails(401, f"Invalid API Key {self.keys[-1]}"))
        if len(texts) > LARGEST_BATCH or not all(isinstance(text, str) for text in texts):
            return _failure(Fails(422, "Give up to 32 texts."))
        self.asked.append(texts)
        if any(self.refuses in text for text in texts):
            return _failure(Fails(400, "A text is refused."))
        reply = self.replies.pop(0) if self.replies else self.always
        if isinstance(reply, Fails):
            self.failed += 1
            return _failure(reply)
        if isinstance(reply, asyncio.Event):
            self.waiting.set()
            await reply.wait()
        given = (await asyncio.to_thread(wide, [self._bare(text) for text in texts], self.dimensions)).tolist()
        vectors = reply(given) if callable(reply) else given
        is_ollama = request.path == "/api/embed"
        return web.json_response({"embeddings": vectors} if is_ollama else _answer(vectors, body))

    def _bare(self, text: str) -> str:
        return next((text.removeprefix(one) for one in self.prefixes if text.startswith(one)), text)


def _answer(vectors: Vectors, body: dict[str, Any]) -> dict[str, Any]:
    as_text = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": place, "embedding": _packed(vector) if as_text else vector}
        for place, vector in enumerate(vectors)
    ]
    return {"object": "list", "model": body["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _packed(vector: list[float]) -> str:
    return base64.b64encode(np.array(vector, dtype="<f4").tobytes()).decode()


def _failure(fails: Fails) -> web.Response:
    error = {"error": {"message": fails.message, "code": fails.code or None, "type": "error"}}
    return web.json_response(error, status=fails.status, headers=dict(fails.headers))
