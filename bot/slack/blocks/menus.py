"""The menu in which people choose again, beside what was chosen.

It is an overflow menu if that has room, not a select: a select keeps showing what was picked, so a pick in vain would
look as if it counted, and "Something else…" could not be picked again after its modal was cancelled.
"""

from typing import Final

from bot.conversation.message_kinds import Changeable
from bot.slack.blocks.elements import Block, context, option, section, select
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import MenuEntry, Pick

_MOST: Final = 5
"""Entries of an overflow menu, says Slack; a select has room for a hundred."""


def changeable_text(mrkdwn: str, changeable: Changeable | None) -> Block:
    """Return a text with the menu beside it; as small print if there is nothing to choose."""
    return {**section(mrkdwn), "accessory": _menu(changeable)} if changeable else context(mrkdwn)


def _menu(changeable: Changeable) -> Block:
    def pick(label: str, kind: MenuEntry, option_id: str = "") -> Block:
        value = Pick(token=changeable.token, revision=changeable.revision, entry=kind, option_id=option_id)
        return option(label, value.as_text())

    others = [pick(one.label, "option", one.id) for one in changeable.others]
    asking = [pick("Ask me next time", "ask_next_time")] if changeable.forgets else []
    entries = [*others, *asking, pick("Something else…", "something_else")]
    if len(entries) > _MOST:
        return select(buttons.CHANGE, "Choose again", entries)
    return {"type": "overflow", "action_id": buttons.CHANGE, "options": entries}
