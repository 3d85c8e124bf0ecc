"""A streamed message: the sum of its chunks."""

from dataclasses import dataclass, field
from typing import Literal

from playground.blocks import block_kit
from playground.errors import SlackError
from playground.wire import Json

LIFE_SECONDS = 306.0
"""Undocumented; measured by others (node-slack-sdk issue 2702)."""
TEXT_PER_CALL = 12_000
TEXT_TOTAL = 40_000
"""Our assumption: the length to which Slack cuts a post."""
TASK_TITLE = 256
TASK_STATUSES = {"pending", "in_progress", "complete", "error"}


@dataclass(kw_only=True)
class Stream:
    """An open stream with its content so far."""

    opened_at: float
    mode: Literal["timeline", "plan"] = "timeline"
    parts: list[Json] = field(default_factory=list[Json])
    """Text and blocks in order. A task stays at its first place."""
    title: str = ""
    closing_blocks: list[Json] = field(default_factory=list[Json])
    is_stopped_by_person: bool = False

    @property
    def text(self) -> str:
        """All text so far, as Markdown."""
        return "".join(part["text"] for part in self.parts if part["type"] == "markdown")

    def write(self, arguments: Json) -> None:
        """Add `markdown_text` or `chunks`. Raises Slack's error before any change."""
        chunks = _chunks(arguments)
        added = sum(len(chunk.get("text", "")) for chunk in chunks)
        if added > TEXT_PER_CALL or len(self.text) + added > TEXT_TOTAL:
            raise SlackError("msg_too_long")
        for chunk in chunks:
            self._add(chunk)

    def blocks(self) -> list[Json]:
        """Return the message's blocks. Slack documents no shape for them, so this is our choice."""
        tasks = [part for part in self.parts if part["type"] == "task_card"]
        if self.mode == "timeline" or not (tasks or self.title):
            return [*self.parts, *self.closing_blocks]
        plan = {"type": "plan", "title": self.title or "Plan", "tasks": tasks}
        return [plan, *(part for part in self.parts if part not in tasks), *self.closing_blocks]

    def _add(self, chunk: Json) -> None:
        match chunk["type"]:
            case "markdown_text":
                self._add_text(chunk["text"])
            case "task_update":
                self._add_task(chunk)
            case "plan_update":
                self.title = chunk["title"]
            case _:
                self.parts += chunk["blocks"]

    def _add_text(self, text: str) -> None:
        if self.parts and self.parts[-1]["type"] == "markdown":
            self.parts[-1]["text"] += text
        else:
            self.parts.append({"type": "markdown", "text": text})

    def _add_task(self, chunk: Json) -> None:
        fresh: Json = {"type": "task_card", "task_id": chunk["id"], "title": "", "status": "pending"}
        task = next((part for part in self.parts if part.get("task_id") == chunk["id"]), fresh)
        if task is fresh:
            self.parts.append(fresh)
        for name in ("title", "status"):
            task[name] = chunk.get(name) or task[name]
        for name in ("details", "output"):
            if chunk.get(name):
                task[name] = task.get(name, "") + chunk[name]
        if chunk.get("sources"):
            task["sources"] = [*task.get("sources", []), *chunk["sources"]]


def _chunks(arguments: Json) -> list[Json]:
    text: str | None = arguments.get("markdown_text")
    chunks: list[Json] | None = arguments.get("chunks")
    if text and chunks:
        raise SlackError("invalid_arguments", messages=["[ERROR] markdown_text and chunks exclude each other"])
    if text:
        return [{"type": "markdown_text", "text": text}]
    given: list[Json] = list(chunks or [])
    for chunk in given:
        _check_chunk(chunk)
    return given


def _check_chunk(chunk: Json) -> None:
    match chunk:
        case {"type": "markdown_text", "text": str()} | {"type": "plan_update", "title": str()}:
            return
        case {"type": "task_update", "id": str(), **rest} if rest.get("status", "pending") in TASK_STATUSES:
            if len(str(rest.get("title") or "")) <= TASK_TITLE:
                return
        case {"type": "blocks"}:
            block_kit.check_message(chunk.get("blocks"))
            return
        case _:
            pass
    raise SlackError("invalid_chunks")
