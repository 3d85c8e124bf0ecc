"""What a reviewers' card shows of a kept answer, and the refusals of those who would keep or retire one."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from bot.conversation.keep import KeepRefused
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import Block, button, context


def keep_button(token: str) -> Block:
    """Return the button that keeps the answer of a review."""
    return {"type": "actions", "elements": [button("Keep this answer", buttons.KEEP, token)]}


def kept_card(card: Sequence[Block], token: str, person: str, *, until: datetime) -> list[Block]:
    """Return a card, as it was shown, after `person` kept its answer."""
    said = f"Kept by <@{person}> as a verified answer, until {until.day} {until:%B} {until.year}."
    retire = {"type": "actions", "elements": [button("Retire", buttons.RETIRE, token)]}
    return [*_unnamed(card), context(said), retire]


def retired_card(card: Sequence[Block], person: str) -> list[Block]:
    """Return a card, as it was shown, after `person` retired its verified answer."""
    return [*_unnamed(card), context(f"Retired by <@{person}>: this is told no more.")]


def refusal(refused: KeepRefused) -> str:
    """Return, as mrkdwn, why a click kept or retired nothing."""
    match refused.reason:
        case "unknown":
            return "There is no answer to keep here any more."
        case "unfit":
            return "This answer holds only as it was asked here, so it cannot be kept."
        case "private":
            return "What was asked in a direct message stays there, so this cannot be kept."
        case "not_yours":
            who = f"<@{refused.by}>" if refused.by else "somebody else"
            return f"These are the words of {who}. Only the person who wrote an answer can keep it."
        case "kept":
            return f"<@{refused.by}> has kept this already." if refused.by else "This is kept already."
        case "outdated":
            return "The documents that this rests on have changed since. Please ask again, and keep the new answer."
        case _:
            assert_never(refused.reason)


def _unnamed(card: Sequence[Block]) -> list[Block]:
    """Return a card's blocks without buttons, and without the ids that Slack gave them."""
    shown = [block for block in card if block["type"] != "actions"]
    return [{key: value for key, value in block.items() if key != "block_id"} for block in shown]
