"""What people are told who add a message to knowledge, or take it out again."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.audience import is_direct
from bot.contributions.add import (
    Added,
    AddRefused,
    LeftOut,
    MessageChosen,
    RemovalRefused,
    Removed,
    WhyNotAdded,
    WhyNotRemoved,
)
from bot.slack.blocks.elements import Block, actions, button, section
from bot.slack.blocks.markdown import escaped
from bot.slack.payloads import buttons

NOTIFICATION: Final = "About what I know."
NOT_THERE: Final = (
    "I could not read this conversation, so I added nothing. If I am not in this channel, write /invite @Askback here;"
    " else please try again."
)
SWITCHED_OFF: Final = "An administrator has switched this off, so I added nothing."
NO_GUESTS: Final = "Guests cannot add to what I know, so I added nothing."
ONLY_REVIEWERS: Final = "Only reviewers add to what I know, so I added nothing. Ask one of them."
WHY_NOT_KNOWLEDGE: Final[Mapping[str, str]] = {
    "ours": "This is my own message. If it became knowledge, I would cite myself as proof, so I added nothing.",
    "machine": "A program wrote this, and I learn from people only, so I added nothing.",
    "foreign": (
        "I learn only from people of the company that I work for, and cannot see that one of them wrote this, so I"
        " added nothing."
    ),
    "for_us": (
        "This was said to me, and a question is no knowledge, so I added nothing. Choose the message that answers it."
    ),
    "empty": "This message holds no text and no file, so I added nothing.",
}
AN_ANSWER: Final = (
    "This is my own answer. I never answer from my own answers, so there is nothing to forget."
    " If it is wrong, press 👎 or “Ask a human” below it. To take out what it rests on, choose “Forget this” on that"
    " message, or ask the document's owner. This message itself goes if the question is deleted."
)
_WHY_NOT: Final[Mapping[WhyNotAdded, str]] = {
    "added": "This is knowledge already.",
    "source": "I read this whole channel already, so there is nothing to add.",
    "forgotten": "This was forgotten on request, so I do not store it again.",
    "unreadable": "I can read nothing of this, so I added nothing.",
}
_NOT_REMOVED: Final[Mapping[WhyNotRemoved, str]] = {
    "unknown": "Nothing of this message or its thread was added to what I know, so there is nothing to forget.",
    "source": (
        "I read this whole channel, because an administrator wants it. If its writer edits or deletes the message, I"
        " follow at once. An administrator can make me forget the thread."
    ),
    "not_yours": "Only who added this, who wrote it, or an administrator of the workspace can take it out.",
}
_NAME: Final = 150
_MOST_NAMES: Final = 5


def offer(names: Sequence[str], chosen: MessageChosen) -> list[Block]:
    """Return what a person is asked who sent files in a direct message."""
    shown = ", ".join(f"*{escaped(name, limit=_NAME)}*" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    them = "it" if len(names) == 1 else "them"
    add = button("Add to knowledge", buttons.ADD_FILES, buttons.value_of_chosen(chosen))
    asked = f"Shall I add {shown}{more} to what I know? Only you will get answers from {them}."
    return [section(f"I do not read files on my own. {asked}"), actions(add)]


def added(outcome: Added, chosen: MessageChosen) -> list[Block]:
    """Return what a person is told who added a message, with a way back."""
    undo = button("Undo", buttons.UNDO_ADDING, buttons.value_of_chosen(chosen))
    lines = [_what(outcome), _who(chosen), *_not_added(outcome.left_out)]
    return [section("\n".join(lines)), actions(undo)]


def refused(outcome: AddRefused) -> str:
    """Return, as mrkdwn, why nothing was added."""
    said = f"<@{outcome.by}> has added this already." if outcome.by else _WHY_NOT[outcome.reason]
    return "\n".join([said, *_not_added(outcome.left_out)])


def removed(outcome: Removed) -> str:
    """Return what a person is told who took something out."""
    documents = "1 document" if outcome.documents == 1 else f"{outcome.documents} documents"
    return f"I took {documents} out: no answer uses it any more. The messages stay in Slack, and so do old answers."


def not_removed(outcome: RemovalRefused) -> str:
    """Return, as mrkdwn, why nothing was taken out."""
    by = f" <@{outcome.by}> added it." if outcome.by else ""
    return f"{_NOT_REMOVED[outcome.reason]}{by}"


def _what(outcome: Added) -> str:
    text = "this thread, with its authors and dates" if outcome.whole_thread else "this message, with its author"
    files = [f"the file {escaped(name, limit=_NAME)}" for name in outcome.files]
    return f"I add to what I know: {', '.join([*([text] if outcome.with_text else []), *files])}."


def _who(chosen: MessageChosen) -> str:
    whom = "Only you get" if is_direct(chosen.channel) else "The members of this channel get"
    where = "in direct messages with me" if is_direct(chosen.channel) else "here and in direct messages with me"
    return f"{whom} answers from it, {where}. I read it within a minute, and follow edits and deletions."


def _not_added(left_out: tuple[LeftOut, ...]) -> list[str]:
    return [f"Not added: {escaped(one.name, limit=_NAME)}: {one.why}." for one in left_out]
