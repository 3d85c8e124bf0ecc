"""What is new in a view since the last append to its stream."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.slack.blocks import CONTEXT_LIMIT, Block, answer_text, shortened, source_line
from bot.slack.markdown import TEXT_LIMIT, pieces, safe, settled
from bot.slack.view import Step, View
from graph.events import AnswerCompleted
from graph.passages import Source

_TITLE_LIMIT = 256
_ROOM = TEXT_LIMIT - CONTEXT_LIMIT
"""How far a text is streamed; a longer one appears whole, shortened as one message takes it."""


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """What a stream's message shows."""

    text: str = ""
    tasks: frozenset[tuple[str, str]] = frozenset()
    """Ids and statuses that were sent."""


def news(streamed: Streamed, view: View) -> tuple[list[Block], Streamed] | None:
    """Return the chunks to append, and what is shown then; None where the text shown is no longer true."""
    text = _text(view)
    if not text.startswith(streamed.text):
        return None
    tasks = [task for task in _tasks(view) if (task["id"], task["status"]) not in streamed.tasks]
    added = text[len(streamed.text) :]
    shown = Streamed(text=text, tasks=streamed.tasks | {(task["id"], task["status"]) for task in tasks})
    return [*tasks, *({"type": "markdown_text", "text": piece} for piece in _whole(added))], shown


def _text(view: View) -> str:
    if isinstance(view.ending, AnswerCompleted):
        return answer_text(view)
    # Empty lines wait for what follows them: the final text does not end in any, and must go on from this.
    text = safe(settled(view.text), links=view.links).rstrip()
    return text if len(text) <= _ROOM else pieces(text, limit=_ROOM)[0]


def fits_a_stream(view: View) -> bool:
    """Say whether the final text may be streamed to its end."""
    return len(answer_text(view)) <= _ROOM


def _whole(added: str) -> Iterator[str]:
    for start in range(0, len(added), TEXT_LIMIT):
        yield added[start : start + TEXT_LIMIT]


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
        "title": step.title[:_TITLE_LIMIT],
        "status": status,
    }


def _sources_task(sources: Sequence[Source]) -> Block:
    # Details add up with every update, so another set of sources is another task.
    return {
        "type": "task_update",
        "id": "sources: " + ",".join(str(source["passage_id"]) for source in sources)[: _TITLE_LIMIT - 10],
        "title": f"Found {len(sources)} source{'s'[: len(sources) > 1]}",
        "status": "complete",
        "details": shortened("\n".join(source_line(source) for source in sources)),
    }
