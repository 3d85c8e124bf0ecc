"""A model server that answers at once over a real socket, and counts its calls."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tests.models.groq_server import KEY, GroqServer, Reply, Says
from tests.models.obliging import oblige

CHARACTERS_A_TOKEN = 4
"""Characters of a token, as the local server counts."""


@dataclass
class Model:
    """A running model."""

    environment: dict[str, str] = field(default_factory=dict[str, str])
    """The settings with which a bot uses it."""
    calls: int = 0
    tokens: int = 0
    """Of prompts and answers."""
    delay_seconds: float = 0.0
    """Before each answer."""

    def reply(self, request: dict[str, Any]) -> Reply:
        """Answer any of our prompts, and count it."""
        reply = oblige(request)
        said = reply.text if isinstance(reply, Says) else ""
        self.calls += 1
        self.tokens += (len(json.dumps(request["messages"])) + len(said)) // CHARACTERS_A_TOKEN
        if self.delay_seconds and isinstance(reply, Says):
            return replace(reply, pause_seconds=self.delay_seconds, size=max(1, len(reply.text)))
        return reply


@asynccontextmanager
async def serving_model(*, delay_seconds: float = 0.0) -> AsyncGenerator[Model]:
    """Serve the model while the context is open."""
    model = Model(delay_seconds=delay_seconds)
    async with GroqServer.serve(model.reply) as server:
        model.environment.update({"GROQ_API_KEY": KEY, "GROQ_BASE_URL": server.url})
        yield model
