"""The elements of Block Kit that all messages, cards and modals are made of."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from bot.slack.blocks.markdown import escaped, plain, shortened
from bot.slack.payloads.buttons import ModalOrigin

Block: TypeAlias = dict[str, Any]

TEXT_LIMIT: Final = 3000
"""Characters of one mrkdwn text, says Slack."""
LABEL_LIMIT: Final = 75
"""Characters of a button's text, or of an option's, says Slack."""
_LINE_LIMIT: Final = 1500
"""Characters of one source: a title that never ends must not hide those below it."""
_NOTIFICATION_LIMIT: Final = 300


def notification(text: str) -> str:
    """Return what a notification shows of `text`, safe."""
    return escaped(text, limit=_NOTIFICATION_LIMIT)


def moment(at: datetime, shown: str) -> str:
    """Return mrkdwn of a moment as Slack shows it to each reader in their own time zone, in the form `shown`."""
    return f"<!date^{at.timestamp():.0f}^{shown}|{at.astimezone(UTC):%d %B, %H:%M} UTC>"


def section(mrkdwn: str) -> Block:
    """Return a paragraph; nothing in it becomes a link by itself."""
    return {"type": "section", "text": _mrkdwn(mrkdwn)}


def context(mrkdwn: str) -> Block:
    """Return small print; nothing in it becomes a link by itself."""
    return {"type": "context", "elements": [_mrkdwn(mrkdwn)]}


def actions(*elements: Block) -> Block:
    """Return a row of buttons and menus."""
    return {"type": "actions", "elements": list(elements)}


def button(label: str, action_id: str, value: str) -> Block:
    """Return a button; a label that is too long for Slack ends in an ellipsis."""
    return {"type": "button", "action_id": action_id, "value": value, "text": _label(label)}


def option(label: str, value: str) -> Block:
    """Return an option of a menu or of a choice; a label that is too long for Slack ends in an ellipsis."""
    return {"text": _label(label), "value": value}


def select(action_id: str, placeholder: str, entries: Sequence[Block]) -> Block:
    """Return a menu that drops down."""
    return {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": {**plain_text(placeholder), "emoji": False},
        "options": list(entries),
    }


def plain_text(text: str) -> Block:
    """Return a text without markup, as labels and titles are."""
    return {"type": "plain_text", "text": text}


def field(name: str, label: str, element: Block, *, is_optional: bool = False) -> Block:
    """Return a field of a form; what is entered comes back by its name."""
    return {
        "type": "input",
        "block_id": name,
        "optional": is_optional,
        "label": plain_text(label),
        "element": {**element, "action_id": name},
    }


def modal(title: str, blocks: Sequence[Block], *, close: str = "Close") -> Block:
    """Return a view that only says something."""
    return {"type": "modal", "title": plain_text(title), "close": plain_text(close), "blocks": list(blocks)}


def form(
    name: str, origin: ModalOrigin, title: str, submit: str, blocks: Sequence[Block], *, close: str = "Cancel"
) -> Block:
    """Return a view that people fill in; `name` tells which listener gets it."""
    return {
        **modal(title, blocks, close=close),
        "callback_id": name,
        "private_metadata": origin.as_text(),
        "submit": plain_text(submit),
    }


def unnamed(block: Block) -> Block:
    """Return a shown block as an update takes it: without the id that Slack gave it."""
    return {key: value for key, value in block.items() if key != "block_id"}


def without_buttons(card: Sequence[Block]) -> list[Block]:
    """Return the blocks of a shown card as an update takes them, without its buttons."""
    return [unnamed(block) for block in card if block["type"] != "actions"]


def whole_lines(mrkdwn: str, *, limit: int = TEXT_LIMIT) -> str:
    """Return as many whole lines as Slack takes in one text, with those that are too long cut."""
    kept: list[str] = []
    for line in mrkdwn.split("\n"):
        fitting = shortened(line, limit=_LINE_LIMIT)
        if sum(len(earlier) + 1 for earlier in kept) + len(fitting) > limit:
            break
        kept.append(fitting)
    return "\n".join(kept) or "…"


def first_of(lines: Sequence[str], most: int, *, mark: str = "") -> list[str]:
    """Return at most so many lines, and below them how many more there are, with the lines' own mark before it."""
    more = len(lines) - most
    return [*lines[:most], f"{mark}… and {more} more"] if more > 0 else [*lines]


def _label(text: str) -> Block:
    return {**plain_text(plain(text, limit=LABEL_LIMIT)), "emoji": False}


def _mrkdwn(text: str) -> Block:
    # The net under all that is cut before: Slack refuses the whole message if one text is too long.
    return {"type": "mrkdwn", "text": shortened(text, limit=TEXT_LIMIT), "verbatim": True}
