"""What a reviewers' card shows of a verified answer, and the refusals of those who would keep or retire one."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.contributions.maintain import Asker, Dispute, KeptAnswer
from bot.contributions.verify import VerifiedUntil, VerifyRefused, Why
from bot.conversation.asks.review import Review, ReviewRefused
from bot.slack.blocks.elements import Block, actions, button, context, form, section, without_buttons
from bot.slack.blocks.markdown import escaped, safe
from bot.slack.blocks.parts import parts
from bot.slack.blocks.review_cards import answer_fields
from bot.slack.blocks.review_cards import refusal as review_refusal
from bot.slack.payloads import buttons
from bot.slack.payloads.buttons import ModalOrigin
from graph.text.wording import day_in

_QUESTION: Final = 300
_SAID: Final = 1000
"""Characters that are shown of an answer, and of a passage."""
NOT_CONFIRMED: Final = (
    "Only a reviewer can confirm this, and only if everybody who may read the answer may read this question."
    " I search the documents instead."
)
REVISED: Final = "From now on I give the answer in your words."
NOTHING_WRITTEN: Final = "Please write the answer."
RETIRED: Final = "I no longer use this answer."
_WHY_NOT: Final[Mapping[Why, str]] = {
    "unknown": "There is no answer to keep or retire here any more.",
    "unfit": "This answer fits only this conversation, so it cannot be kept.",
    "private": "What was asked in a direct message stays there, so this cannot be kept.",
    "not_yours": "Only the person who wrote an answer can keep it.",
    "kept": "This is kept already.",
    "outdated": "The documents that this rests on have changed since. Please ask again, and keep the new answer.",
    "no_reviewer": review_refusal(ReviewRefused(reason="no_reviewer")),
    "reviewers_unknown": review_refusal(ReviewRefused(reason="reviewers_unknown")),
}


def keep_button(token: str) -> Block:
    """Return the button that keeps the answer of a review."""
    return actions(button("Keep this answer", buttons.KEEP, token))


def verified_card(card: Sequence[Block], person: str, kept: VerifiedUntil) -> list[Block]:
    """Return a card, as it was shown, after `person` kept its answer."""
    return [
        *without_buttons(card),
        context(f"Kept by <@{person}> as a verified answer, {_until(kept)}."),
        _change_buttons(kept.origin),
    ]


def offer(review: Review, ts: str) -> list[Block]:
    """Return the question to a colleague who answered in a thread, whether to keep that answer."""
    question = escaped(review.packet["question"], limit=_QUESTION)
    said = (
        f"Is this the answer to “{question}”? If you keep it, I will give it to people who ask the same, with your"
        " name and the date. Only you see this."
    )
    keep = button("Keep this answer", buttons.KEEP_WORDS, buttons.with_token(review.token, ts))
    return [section(said), actions(keep)]


def verified_words(kept: VerifiedUntil) -> list[Block]:
    """Return the thanks to a colleague whose words are kept."""
    return [section(f"I keep this as a verified answer, {_until(kept)}. Thank you."), _change_buttons(kept.origin)]


def retired_card(card: Sequence[Block], person: str) -> list[Block]:
    """Return a card, as it was shown, after `person` retired its verified answer."""
    return [*without_buttons(card), context(f"Retired by <@{person}>: Askback no longer uses this answer.")]


def revise_modal(origin: ModalOrigin, question: str, text: str) -> Block:
    """Return the view that takes a verified answer in other words."""
    asked = section(f"*{escaped(question, limit=_QUESTION)}*")
    note = context("From now on it carries your name and today's date.")
    return form(
        buttons.REVISED, origin, "Edit the answer", "Keep", [asked, *answer_fields(buttons.REVISED, text), note]
    )


def did_it_hold(answer: KeptAnswer) -> list[Block]:
    """Return the question to a person who got a verified answer that expires soon, whether it is still right."""
    question = escaped(answer.question, limit=_QUESTION)
    said = (
        f"I told you what {escaped(answer.writer_name)} answered to “{question}”, verified on"
        f" {day_in(answer.kept_on)}. Is it still right?"
    )
    choices = [
        button("Yes, it is right", buttons.HOLDS, answer.origin),
        button("No", buttons.HOLDS_NOT, answer.origin),
    ]
    return [
        section(said),
        actions(*choices),
        context(f"If nobody says so, I use it until {day_in(answer.until)}."),
    ]


def answered_since(answer: KeptAnswer, asker: Asker, link: str) -> list[Block]:
    """Return the news for a person whose question had no answer: now it has one."""
    asked = f"<{link}|you asked>" if link else "you asked"
    question = escaped(asker.question, limit=_QUESTION)
    said = f"On {day_in(asker.asked_on)} {asked} “{question}”, and I knew no answer. Somebody has answered it since:"
    writer = f"Verified by {escaped(answer.writer_name)} on {day_in(answer.kept_on)}."
    return [
        section(said),
        {"type": "markdown", "text": parts(safe(answer.text, links=()))[0]},
        context(f"{writer} Ask me again to see what it rests on."),
    ]


def who_is_right(dispute: Dispute) -> list[Block]:
    """Return the question to the writer of a verified answer that a document contradicts, who is right.

    A check would not make a source that has changed say again what the answer says.
    """
    of = f" of {day_in(dispute.dated)}" if dispute.dated else ""
    answer = dispute.answer
    asked = f"You answered “{escaped(answer.question, limit=_QUESTION)}”:\n{escaped(answer.text, limit=_SAID)}"
    since = ", which it cites, has changed and" if dispute.is_its_source else ""
    document = f"*{escaped(dispute.title, limit=_QUESTION)}*{of}{since} says:\n{escaped(dispute.said, limit=_SAID)}"
    checked = button("My answer is right", buttons.CHECKED, answer.origin)
    choices = [
        *([] if dispute.is_its_source else [checked]),
        button("The document is right: retire my answer", buttons.RETIRE, answer.origin),
        button("Edit…", buttons.REVISE, answer.origin),
    ]
    return [
        section(asked),
        section(document),
        actions(*choices),
        context("Until you decide, I show both, with their dates."),
    ]


def objected_to(answer: KeptAnswer) -> list[Block]:
    """Return the news for the writer of a verified answer: a reader objects to it."""
    question = escaped(answer.question, limit=_QUESTION)
    choices = [
        button("My answer is right", buttons.CHECKED, answer.origin),
        button("Edit…", buttons.REVISE, answer.origin),
        button("Retire", buttons.RETIRE, answer.origin),
    ]
    return [
        section(f"A reader says that your answer to “{question}” is out of date or wrong."),
        actions(*choices),
        context("Until you decide, I use it as before."),
    ]


def checked(kept: VerifiedUntil) -> list[Block]:
    """Return the thanks to the writer who checked an answer."""
    return [section(f"Thank you. Your answer counts as checked today. I use it {_until(kept)}.")]


def held(kept: VerifiedUntil) -> list[Block]:
    """Return the thanks to a person who said that an answer is still right."""
    return [section(f"Thank you. I use this answer {_until(kept)}.")]


def held_not(answer: KeptAnswer) -> list[Block]:
    """Return the thanks to a person who said that an answer is no longer right."""
    return [section(f"Thank you. I no longer use this answer, and I let <@{answer.writer}> know.")]


def doubted_by(person: str, answer: KeptAnswer) -> list[Block]:
    """Return the news for the writer of a verified answer: a person says that it is no longer right."""
    question = escaped(answer.question, limit=_QUESTION)
    said = f"<@{person}> says that your answer to “{question}” is no longer right, so I no longer use it."
    again = button("It is right: use it again", buttons.HOLDS, answer.origin)
    return [section(said), actions(again)]


def _until(kept: VerifiedUntil) -> str:
    return f"until {day_in(kept.until)}"


def _change_buttons(origin: str) -> Block:
    return actions(button("Edit…", buttons.REVISE, origin), button("Retire", buttons.RETIRE, origin))


def refusal(refused: VerifyRefused) -> str:
    """Return, as mrkdwn, why a click kept or retired nothing."""
    if refused.reason == "not_yours" and refused.by:
        return f"Only <@{refused.by}>, who wrote this, or a reviewer can decide this."
    if refused.reason == "kept" and refused.by:
        return f"<@{refused.by}> has kept this already."
    return _WHY_NOT[refused.reason]
