"""Menus: in one people choose among many options, in another they choose again.

People choose again in an overflow menu if it has room, not in a select: it forgets what was picked, so a pick in vain
is not shown as if it counted, and "Something else…" can be picked again after its modal was cancelled.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from pydantic import NonNegativeInt

from bot.conversation.message_kinds import Changeable
from bot.slack.blocks.elements import Block, option
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import Carried

Entry: TypeAlias = Literal["option", "something_else", "ask_next_time"]

_MOST: Final = 5
"""Entries of an overflow menu, says Slack; a select has room for a hundred."""


class Pick(Carried):
    """What an entry of the menu carries: which choice it changes, and to what."""

    token: str
    revision: NonNegativeInt
    entry: Entry
    option_id: str = ""


def with_menu(block: Block, changeable: Changeable) -> Block:
    """Return a section with the menu beside it."""
    return {**block, "accessory": _menu(changeable)}


def select(action_id: str, placeholder: str, entries: Sequence[Block]) -> Block:
    """Return a menu that drops down."""
    return {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": {"type": "plain_text", "text": placeholder, "emoji": False},
        "options": list(entries),
    }


def _menu(changeable: Changeable) -> Block:
    def pick(label: str, kind: Entry, option_id: str = "") -> Block:
        value = Pick(token=changeable.token, revision=changeable.revision, entry=kind, option_id=option_id)
        return option(label, value.as_text())

    others = [pick(one.label, "option", one.id) for one in changeable.others]
    asking = [pick("Ask me next time", "ask_next_time")] if changeable.forgets else []
    entries = [*others, *asking, pick("Something else…", "something_else")]
    if len(entries) > _MOST:
        return select(buttons.CHANGE, "Choose again", entries)
    return {"type": "overflow", "action_id": buttons.CHANGE, "options": entries}
