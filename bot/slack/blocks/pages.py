"""An answer as one message, or as several if it is long: whole, unfinished or stopped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.conversation.message_kinds import PartialAnswer
from bot.slack.blocks.answers import answer_text, closing_blocks, source_line, steps_blocks
from bot.slack.blocks.elements import Block, actions, button, context, notification, whole_lines
from bot.slack.blocks.parts import parts
from bot.slack.blocks.view import View
from bot.slack.payloads import buttons
from bot.slack.payloads.shapes import Payload

TOO_EARLY: Final = " before this was answered again"


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
    """Return an unfinished answer that Slack does not let us stream: the steps, then the text so far."""
    return _pages(view, steps_blocks(view), [])


def stopped_by(person: str | None, *, too_early: str = "") -> str:
    """Return, as mrkdwn, who stopped it, if that is known, and before what."""
    return f"Stopped by <@{person}>{too_early}." if person else f"Stopped{too_early}."


def stopped_pages(said: PartialAnswer, *, by: str | None, reference: str) -> list[Page]:
    """Return the text as far as it came, its sources, who stopped it, and a button to have it answered after all."""
    cited = "\n".join(source_line(source) for source in said.cited)
    below = [
        *([context(whole_lines(cited))] if cited else []),
        context(stopped_by(by, too_early=TOO_EARLY if said.is_earlier else "")),
        actions(button("Answer after all", buttons.RETRY, reference)),
    ]
    return _pages(View(text=said.text, sources=said.sources), [], below, without_text="Stopped.")


def draft_text(message: Payload) -> str:
    """Return the text of an unfinished answer, as Slack shows it: streamed, or rewritten below its steps."""
    blocks: Sequence[Block] = message.get("blocks") or ()
    written = [block["text"] for block in blocks if block["type"] == "markdown"]
    is_streamed = not any(block["type"] == "context" for block in blocks)
    return "".join(written) or (message.get("text") or "" if is_streamed else "")


def _pages(view: View, above: list[Block], below: list[Block], *, without_text: str = "") -> list[Page]:
    texts = parts(answer_text(view))
    return [
        Page(
            text=notification(text or without_text or view.status),
            blocks=[
                *(above if number == 1 else []),
                *([{"type": "markdown", "text": text}] if text else []),
                *(below if number == len(texts) else []),
            ],
        )
        for number, text in enumerate(texts, 1)
    ]
