"""Compares a view with its stream: which text is new, and where a long text continues in another stream."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.slack.blocks.answers import Block, answer_text, source_title, whole_lines
from bot.slack.blocks.markdown import plain, safe
from bot.slack.blocks.markdown_prefix import stable_prefix
from bot.slack.blocks.parts import bounded, closing, division, halt, opening, resumed, shown_to
from bot.slack.presenter.view import Step, View
from graph.events import AnswerCompleted
from graph.passages import Source

_TITLE_LIMIT = 256


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """The content of all messages of a streamed answer."""

    text: str = ""
    begins: int = 0
    """Where the open message begins in the text. Closed messages hold the text before it."""
    tasks: frozenset[tuple[str, str]] = frozenset()
    """Ids and statuses that were sent."""


@dataclass(frozen=True, kw_only=True)
class News:
    """The new content for the open message."""

    chunks: tuple[Block, ...]
    shown: Streamed
    """The stream's content after these chunks."""
    is_full: bool = False
    """Whether the text continues in another message, because this one is full."""


def news(streamed: Streamed, view: View, *, is_last: bool = False) -> News | None:
    """Return what to append to the open message; `None` if the shown text is no longer true.

    The last text of a full message ends where another message can continue.
    """
    text = _text(view)
    if not text.startswith(streamed.text):
        return None
    ends = division(text, streamed.begins)
    until = len(text) if ends is None and isinstance(view.ending, AnswerCompleted) else shown_to(text, streamed.begins)
    if is_last:
        until = halt(text, len(streamed.text), until)
    tasks = [task for task in _tasks(view) if _told(task) not in streamed.tasks]
    chunks = [*tasks, *_added(streamed, text, until)]
    shown = Streamed(
        text=text[: max(until, len(streamed.text))].rstrip(),
        begins=streamed.begins,
        tasks=streamed.tasks | {_told(task) for task in tasks},
    )
    return News(chunks=tuple(chunks), shown=shown, is_full=ends is not None)


def turned_over(streamed: Streamed, view: View) -> tuple[list[Block], Streamed]:
    """Return the last chunks of the open message, and the state of the next one, which continues the text."""
    text, at = _text(view), len(streamed.text)
    tasks = [{**task, "status": "complete"} for task in _tasks(view)]
    unfinished = [task for task in tasks if _told(task) not in streamed.tasks]
    end = closing(text, resumed(text, at))
    following = replace(streamed, begins=resumed(text, at), tasks=streamed.tasks | {_told(task) for task in tasks})
    return [*unfinished, *([_markdown(end)] if end else [])], following


def _text(view: View) -> str:
    if isinstance(view.ending, AnswerCompleted):
        return answer_text(view)
    # Empty lines wait for the text after them, because the final text does not end in empty lines.
    return bounded(safe(stable_prefix(view.text), links=view.links)).rstrip()


def _added(streamed: Streamed, text: str, until: int) -> list[Block]:
    begins = max(len(streamed.text), streamed.begins)
    added = text[begins:until].rstrip()
    if not added:
        return []
    return [_markdown(opening(text, begins) + added if begins == streamed.begins else added)]


def _markdown(text: str) -> Block:
    return {"type": "markdown_text", "text": text}


def _told(task: Block) -> tuple[str, str]:
    return task["id"], task["status"]


def _tasks(view: View) -> list[Block]:
    steps = [
        _task(step, "in_progress" if step == view.steps[-1] and view.ending is None else "complete")
        for step in view.steps
    ]
    return [*steps, *([_sources_task(view.sources)] if view.sources else [])]


def _task(step: Step, status: str) -> Block:
    return {
        "type": "task_update",
        "id": f"{step.name}: {step.title}"[:_TITLE_LIMIT],
        "title": plain(step.title, limit=_TITLE_LIMIT),
        "status": status,
    }


def _sources_task(sources: Sequence[Source]) -> Block:
    # Slack appends a task's details, so another set of sources needs another task. Another order needs none: while the
    # text grows, each source gets its number when it is first cited.
    ids = ",".join(map(str, sorted(source["passage_id"] for source in sources)))
    return {
        "type": "task_update",
        "id": f"sources: {ids}"[:_TITLE_LIMIT],
        "title": f"Found {len(sources)} source{'s'[: len(sources) > 1]}",
        "status": "complete",
        "details": whole_lines("\n".join(map(source_title, sources))),
    }
