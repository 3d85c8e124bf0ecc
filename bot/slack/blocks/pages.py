"""An answer as one message, or as several if it is long."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.blocks.answers import Block, answer_text, closing_blocks, notification, steps_blocks
from bot.slack.blocks.parts import parts
from bot.slack.presenter.view import View


@dataclass(frozen=True, kw_only=True)
class Page:
    """What one message shows."""

    text: str
    """For notifications."""
    blocks: Sequence[Block]


def answer_pages(view: View) -> list[Page]:
    """Return a whole answer: its text, and below the last part of it notes, sources and buttons to rate it."""
    return _pages(view, [], closing_blocks(view))


def draft_pages(view: View) -> list[Page]:
    """Return an unfinished answer, for where Slack takes no stream: the steps, then the text so far."""
    return _pages(view, steps_blocks(view), [])


def _pages(view: View, above: list[Block], below: list[Block]) -> list[Page]:
    texts = parts(answer_text(view))
    return [
        Page(
            text=notification(text or view.status),
            blocks=[
                *(above if number == 1 else []),
                *([{"type": "markdown", "text": text}] if text else []),
                *(below if number == len(texts) else []),
            ],
        )
        for number, text in enumerate(texts, 1)
    ]
