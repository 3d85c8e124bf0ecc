"""What a person is told whose message was not taken (pure)."""

from dataclasses import replace

from bot.conversation.address import Address, Ts
from bot.conversation.message_kinds import Limit


def turned_away(crowd: Limit) -> str:
    """Return, as mrkdwn, why a message was not taken, and what to do."""
    if crowd.of == "person":
        waiting = "1 question" if crowd.limit == 1 else f"{crowd.limit} questions"
        return (
            f"You have {waiting} waiting, and I hold no more for one person. I have not taken this one,"
            " nor what you write until some are answered: please ask again then."
        )
    return (
        f"{crowd.limit} questions are waiting, which is all that I can hold. I have not taken this one, nor what you"
        " write in the next minutes: please ask again then."
    )


def notice_place(address: Address) -> Address:
    """Return where to whisper: in the channel, where the message began a thread that nobody has open."""
    return replace(address, thread_ts=Ts("")) if address.thread_ts == address.message_ts else address
