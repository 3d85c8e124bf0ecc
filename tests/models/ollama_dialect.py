"""Ollama's own protocol for the local server: lines of JSON, and a requested context size."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.models.groq_server import Fails, Says, fault_of, pieces_of, tokens_of

WHEN = "2026-11-23T10:00:00Z"
SMALLEST_CONTEXT = 8192


@dataclass(frozen=True)
class Ollama:
    """The chat of Ollama."""

    ask_path: str = "/api/chat"
    list_path: str = "/api/tags"
    content_type: str = "application/x-ndjson"
    keep_alive: bytes = b"\n"

    def key_of(self, headers: Mapping[str, str]) -> str:
        return headers.get("Authorization", "").removeprefix("Bearer ")

    def common(self, body: dict[str, Any]) -> dict[str, Any]:
        wanted = body.get("format") or {}
        name = "understand" if isinstance(wanted, dict) and "route" in wanted.get("properties", {}) else "validate"
        schema = {"name": name, "strict": True, "schema": wanted}
        format_ = {"type": "json_object"} if wanted == "json" else {"type": "json_schema", "json_schema": schema}
        return {
            "model": body["model"],
            "messages": body["messages"],
            "max_tokens": body["options"]["num_predict"],
            "temperature": body["options"]["temperature"],
            **({"response_format": format_} if wanted else {}),
            **({"stream": True} if body.get("stream") else {}),
        }

    def fault_of(self, body: dict[str, Any]) -> str:
        if body["options"].get("num_ctx", 0) < SMALLEST_CONTEXT:
            return "the prompt would be cut"
        return fault_of(self.common(body)) or ("does not support thinking" if body.get("think") else "")

    def listed(self, name: str) -> dict[str, Any]:
        return {"models": [{"name": f"{name}:latest", "model": f"{name}:latest"}]}

    def failure(self, fails: Fails) -> dict[str, Any]:
        return {"error": fails.message}

    def completion(self, reply: Says, request: dict[str, Any]) -> dict[str, Any]:
        return {**_chunk(request, reply.text), **_end(reply, request)}

    def events(self, reply: Says, request: dict[str, Any]) -> Iterator[bytes]:
        for piece in pieces_of(reply):
            yield _line(_chunk(request, piece))
        if reply.ends:
            yield _line({**_chunk(request, ""), **_end(reply, request)})


def _chunk(request: dict[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": request["model"], "created_at": WHEN, "message": message, "done": False}


def _end(reply: Says, request: dict[str, Any]) -> dict[str, Any]:
    asked, said = tokens_of(reply, request)
    counts = {"prompt_eval_count": asked, "eval_count": said} if reply.usage else {}
    return {"done": True, "done_reason": reply.finish_reason, "total_duration": 1, **counts}


def _line(chunk: dict[str, Any]) -> bytes:
    return f"{json.dumps(chunk)}\n".encode()
