"""What a reviewers' card shows of a kept answer, and the refusals of those who would keep or retire one."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.conversation.keep import KeepRefused, Kept, Why
from bot.conversation.reviews.review import Review, ReviewRefused
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import Block, button, context, section
from bot.slack.blocks.markdown import escaped
from bot.slack.blocks.review_cards import refusal as review_refusal

_QUESTION: Final = 300
NOT_CONFIRMED: Final = (
    "Only a reviewer can say so, and only if all who may read the answer may read this question."
    " I look into the documents."
)
RETIRED: Final = "I tell this answer no more."
_WHY_NOT: Final[Mapping[Why, str]] = {
    "unknown": "There is no answer to keep or retire here any more.",
    "unfit": "This answer holds only as it was asked here, so it cannot be kept.",
    "private": "What was asked in a direct message stays there, so this cannot be kept.",
    "not_yours": "Only the person who wrote an answer can keep it.",
    "kept": "This is kept already.",
    "outdated": "The documents that this rests on have changed since. Please ask again, and keep the new answer.",
    "no_reviewer": review_refusal(ReviewRefused(reason="not_yours")),
    "reviewers_unknown": review_refusal(ReviewRefused(reason="reviewers_unknown")),
}


def keep_button(token: str) -> Block:
    """Return the button that keeps the answer of a review."""
    return {"type": "actions", "elements": [button("Keep this answer", buttons.KEEP, token)]}


def kept_card(card: Sequence[Block], person: str, kept: Kept) -> list[Block]:
    """Return a card, as it was shown, after `person` kept its answer."""
    return [*_unnamed(card), context(f"Kept by <@{person}> as a verified answer, {_until(kept)}."), _retire(kept)]


def offer(review: Review, ts: str) -> list[Block]:
    """Return what a colleague is asked who answers a question in its thread."""
    question = escaped(review.packet["question"], limit=_QUESTION)
    said = (
        f"Is this the answer to “{question}”? If you keep it, I tell it to whoever asks the same, with your name and"
        " the date. Only you see this."
    )
    keep = button("Keep this answer", buttons.KEEP_WORDS, buttons.words_value(review.token, ts))
    return [section(said), {"type": "actions", "elements": [keep]}]


def kept_words(kept: Kept) -> list[Block]:
    """Return what a colleague is told who kept their words."""
    return [section(f"I keep this as a verified answer, {_until(kept)}. Thank you."), _retire(kept)]


def retired_card(card: Sequence[Block], person: str) -> list[Block]:
    """Return a card, as it was shown, after `person` retired its verified answer."""
    return [*_unnamed(card), context(f"Retired by <@{person}>: this is told no more.")]


def _until(kept: Kept) -> str:
    return f"until {kept.until.day} {kept.until:%B} {kept.until.year}"


def _retire(kept: Kept) -> Block:
    return {"type": "actions", "elements": [button("Retire", buttons.RETIRE, kept.origin)]}


def refusal(refused: KeepRefused) -> str:
    """Return, as mrkdwn, why a click kept or retired nothing."""
    if refused.reason == "not_yours" and refused.by:
        return f"This is for <@{refused.by}> to decide, whose words these are, or for the reviewers."
    if refused.reason == "kept" and refused.by:
        return f"<@{refused.by}> has kept this already."
    return _WHY_NOT[refused.reason]


def _unnamed(card: Sequence[Block]) -> list[Block]:
    """Return a card's blocks without buttons, and without the ids that Slack gave them."""
    shown = [block for block in card if block["type"] != "actions"]
    return [{key: value for key, value in block.items() if key != "block_id"} for block in shown]
