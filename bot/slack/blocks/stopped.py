"""What a stopped answer looks like (pure)."""

from collections.abc import Sequence
from typing import Final

from bot.conversation.message_kinds import PartialAnswer
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import Block, answer_text, button, context, notification, source_line, whole_lines
from bot.slack.blocks.pages import Page
from bot.slack.blocks.parts import parts
from bot.slack.listeners.events import Payload
from bot.slack.presenter.view import View

STOPPED: Final = "Stopped."
TOO_EARLY: Final = " before this was answered again"


def stopped_by(person: str | None, *, too_early: str = "") -> str:
    """Return, as mrkdwn, who stopped it, where that is known, and before what."""
    return f"Stopped by <@{person}>{too_early}." if person else f"Stopped{too_early}."


def stopped_pages(said: PartialAnswer, *, by: str | None, reference: str) -> list[Page]:
    """Return the text as far as it came, its sources, who stopped it, and a button to have it answered after all."""
    cited = "\n".join(source_line(source) for source in said.cited)
    below = [
        *([context(whole_lines(cited))] if cited else []),
        context(stopped_by(by, too_early=TOO_EARLY if said.is_earlier else "")),
        {"type": "actions", "elements": [button("Answer after all", buttons.RETRY, reference)]},
    ]
    texts = parts(answer_text(View(text=said.text, sources=said.sources)))
    return [
        Page(
            text=notification(text or STOPPED),
            blocks=[
                *([{"type": "markdown", "text": text}] if text else []),
                *(below if number == len(texts) else []),
            ],
        )
        for number, text in enumerate(texts, 1)
    ]


def draft_text(message: Payload) -> str:
    """Return the text of an unfinished answer, as Slack shows it: streamed, or rewritten below its steps."""
    blocks: Sequence[Block] = message.get("blocks") or ()
    written = [block["text"] for block in blocks if block["type"] == "markdown"]
    is_streamed = not any(block["type"] == "context" for block in blocks)
    return "".join(written) or (message.get("text") or "" if is_streamed else "")
