"""Anthropic's protocol for the local server. It is as strict as the original about fields that only OpenAI knows."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.models.groq_server import Fails, Says, fault_of, pieces_of, tokens_of

FIELDS = {
    "max_tokens", "messages", "model", "output_config", "stop_sequences", "stream", "system", "temperature", "thinking",
}  # fmt: skip
REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


@dataclass(frozen=True)
class Anthropic:
    """The messages of Anthropic."""

    ask_path: str = "/v1/messages"
    list_path: str = "/v1/models"
    content_type: str = "text/event-stream"
    keep_alive: bytes = b'event: ping\ndata: {"type": "ping"}\n\n'

    def key_of(self, headers: Mapping[str, str]) -> str:
        key = headers.get("x-api-key") or headers.get("Authorization", "").removeprefix("Bearer ")
        return key if headers.get("anthropic-version") else ""

    def common(self, body: dict[str, Any]) -> dict[str, Any]:
        system = [{"role": "system", "content": _text(body["system"])}] if body.get("system") else []
        said = [{"role": one["role"], "content": _text(one["content"])} for one in body["messages"]]
        wanted = body.get("output_config", {}).get("format")
        # Anthropic's schemas have no name, so ours are recognised by their fields.
        name = "understand" if wanted and "route" in wanted["schema"]["properties"] else "validate"
        schema = {"name": name, "strict": True, "schema": wanted["schema"]} if wanted else {}
        return {
            "model": body["model"],
            "messages": [*system, *said],
            "max_tokens": body["max_tokens"],
            **({"response_format": {"type": "json_schema", "json_schema": schema}} if wanted else {}),
            **({"stream": True} if body.get("stream") else {}),
        }

    def fault_of(self, body: dict[str, Any]) -> str:
        if unknown := body.keys() - FIELDS:
            return f"{min(unknown)}: Extra inputs are not permitted"
        if any(one["role"] not in ("user", "assistant") for one in body["messages"]):
            return "messages: Unexpected role"
        return fault_of(self.common(body))

    def listed(self, name: str) -> dict[str, Any]:
        return {"data": [{"id": name, "type": "model"}], "has_more": False}

    def failure(self, fails: Fails) -> dict[str, Any]:
        return {"type": "error", "error": {"type": fails.code or "api_error", "message": fails.message}}

    def completion(self, reply: Says, request: dict[str, Any]) -> dict[str, Any]:
        return {
            **_head(reply, request),
            "content": [{"type": "text", "text": reply.text}],
            "stop_reason": REASONS[reply.finish_reason],
        }

    def events(self, reply: Says, request: dict[str, Any]) -> Iterator[bytes]:
        yield _event("message_start", message={**_head(reply, request), "content": [], "stop_reason": None})
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in pieces_of(reply):
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
        if reply.ends:
            ending = {"stop_reason": REASONS[reply.finish_reason], "stop_sequence": None}
            yield _event("content_block_stop", index=0)
            yield _event("message_delta", delta=ending, usage=_usage(reply, request))
            yield _event("message_stop")


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def _head(reply: Says, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "stop_sequence": None,
        "usage": _usage(reply, request),
    }


def _usage(reply: Says, request: dict[str, Any]) -> dict[str, int]:
    asked, said = tokens_of(reply, request)
    return {"input_tokens": asked, "output_tokens": said, "cache_read_input_tokens": 4}


def _event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()
