"""Compares a view with its stream: what is new, and whether the stream can show it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.blocks.answers import answer_text, source_title
from bot.slack.blocks.elements import Block, whole_lines
from bot.slack.blocks.markdown import plain, safe
from bot.slack.blocks.markdown_prefix import stable_prefix
from bot.slack.blocks.parts import bounded, division
from bot.slack.blocks.view import Step, View
from graph.events import AnswerCompleted
from graph.passages import Source
from graph.text.wording import FOUND_ONE, FOUND_SOME, spoken

_TITLE_LIMIT = 256


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """The content of a stream."""

    text: str = ""
    tasks: frozenset[tuple[str, str]] = frozenset()
    """Ids and statuses that were sent."""


@dataclass(frozen=True, kw_only=True)
class StreamUpdate:
    """The new content for a stream."""

    chunks: tuple[Block, ...]
    shown: Streamed
    """The stream's content after these chunks."""


def update_of(streamed: Streamed, view: View) -> StreamUpdate | None:
    """Return what to append; `None` if the shown text is no longer true, or the text needs several messages."""
    text = _text(view)
    if not text.startswith(streamed.text) or division(text, 0) is not None:
        return None
    tasks = [task for task in _tasks(view) if _told(task) not in streamed.tasks]
    added = text[len(streamed.text) :]
    chunks = [*tasks, *([{"type": "markdown_text", "text": added}] if added else [])]
    shown = Streamed(text=text, tasks=streamed.tasks | {_told(task) for task in tasks})
    return StreamUpdate(chunks=tuple(chunks), shown=shown)


def _text(view: View) -> str:
    if isinstance(view.ending, AnswerCompleted):
        return answer_text(view)
    # Empty lines wait for the text after them, because the final text does not end in empty lines.
    return bounded(safe(stable_prefix(view.text), links=view.links)).rstrip()


def _told(task: Block) -> tuple[str, str]:
    return task["id"], task["status"]


def _tasks(view: View) -> list[Block]:
    steps = [
        _task(step, "in_progress" if step == view.steps[-1] and view.ending is None else "complete")
        for step in view.steps
    ]
    return [*steps, *([_sources_task(view.sources, view.language)] if view.sources else [])]


def _task(step: Step, status: str) -> Block:
    return {
        "type": "task_update",
        "id": f"{step.name}: {step.title}"[:_TITLE_LIMIT],
        "title": plain(step.title, limit=_TITLE_LIMIT),
        "status": status,
    }


def _sources_task(sources: Sequence[Source], language: str) -> Block:
    # Slack appends a task's details, so another set of sources needs another task. Another order needs none: while the
    # text grows, each source gets its number when it is first cited.
    ids = ",".join(map(str, sorted(source["passage_id"] for source in sources)))
    return {
        "type": "task_update",
        "id": f"sources: {ids}"[:_TITLE_LIMIT],
        "title": spoken(FOUND_ONE if len(sources) == 1 else FOUND_SOME, language, count=str(len(sources))),
        "status": "complete",
        "details": whole_lines("\n".join(map(source_title, sources))),
    }
