"""Notices for people whose message was refused (pure)."""

from dataclasses import replace
from typing import Final

from bot.conversation.address import Address, Ts
from bot.conversation.message_kinds import MessageRefused
from bot.slack.blocks.elements import Block, actions, button, section
from bot.slack.payloads import buttons

GUEST: Final = (
    "I work for full members of this workspace only, so this changed nothing. An administrator can change that."
)
UNCHECKED: Final = "I could not check who you are, so I have not taken this. Please try again."

ANSWERED_DIRECTLY: Final = (
    "People of another company can read this channel, so I answer you in a direct message: look for me there."
)


KNOWS_MORE: Final = "Only you see this: there is a document about it that not everybody here may read."
ASK_ALONE: Final = "Ask me in a direct message."


def why_directly(address: Address, link: str) -> str:
    """Return, as mrkdwn, the first line of a direct message that answers a question from a channel."""
    something = f"<{link}|something> in <#{address.channel}>"
    if address.alone:
        return f"You asked me {something}. Not everybody there may read this."
    if address.untagged:
        return f"You asked {something}, and our documents may answer it. Nobody else sees this."
    return f"You asked me {something}. People of another company can read that, so I answer here."


def knows_more_blocks(address: Address, question: str) -> list[Block]:
    """Return the notice that the asker alone may read an answer, with a button to get it in a direct message."""
    asked = buttons.AskedHere(thread_ts=address.thread_ts, ts=address.message_ts, question=question).as_text()
    if address.asked_at or len(asked) > buttons.VALUE_LIMIT:
        return [section(f"{KNOWS_MORE} {ASK_ALONE}")]
    tell = button("Answer me in a direct message", buttons.TELL_ALONE, asked)
    return [section(KNOWS_MORE), actions(tell)]


def refusal_text(refused: MessageRefused) -> str:
    """Return, as mrkdwn, why a message was refused, and what to do."""
    if refused.of == "guest":
        return GUEST
    if refused.of == "unchecked":
        return UNCHECKED
    if refused.of == "person":
        waiting = "1 question" if refused.limit == 1 else f"{refused.limit} questions"
        return (
            f"You have {waiting} waiting, and I hold no more for one person. I have not taken this one,"
            " nor what you write until some are answered: please ask again then."
        )
    return (
        f"{refused.limit} questions are waiting, which is all that I can hold. I have not taken this one, nor what you"
        " write in the next minutes: please ask again then."
    )


def notice_blocks(refused: MessageRefused, address: Address) -> list[Block]:
    """Return the notice as blocks, with Retry if that may help."""
    whose = "shared" if address.privately else "ours"
    unchecked = buttons.Unchecked(thread_ts=address.thread_ts, ts=address.message_ts, whose=whose)
    again = [actions(button("Retry", buttons.LOOK_AGAIN, unchecked.as_text()))]
    return [section(refusal_text(refused)), *(again if refused.of == "unchecked" else [])]


def notice_place(address: Address) -> Address:
    """Return where to post the ephemeral message: in the channel, if the message began a thread."""
    return replace(address, thread_ts=Ts("")) if address.thread_ts == address.message_ts else address
