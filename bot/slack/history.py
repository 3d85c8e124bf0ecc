"""What people said in a thread before the bot was called into it: conversation, never evidence.

What people of another company said in a shared channel is part of it only if a setting says so: it goes to a model.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from bot.conversation.address import Address, PersonId
from bot.markup import readable
from bot.slack.api.messenger import Messenger, read_message
from bot.slack.payloads.identity import Identity, is_foreign, spoken_by
from bot.slack.payloads.shapes import SlackMessage
from bot.slack.people.people import People
from graph.turn import Remark

Unforgotten: TypeAlias = Callable[[Address, tuple[Remark, ...]], Awaitable[tuple[Remark, ...]]]
"""Returns remarks of an address's channel without what was forgotten on request."""

REMARKS: Final = 50
_PAGE: Final = 999
"""Slack counts from the root, so all are read, as many as it gives; apps that Slack has not reviewed get fewer."""


async def earlier_remarks(messenger: Messenger, address: Address, people: People) -> tuple[Remark, ...]:
    """Return those of the last 50 remarks before the address's message that a model may read, oldest first.

    Raises `SlackError`.

    A message that starts its thread costs no call.
    """
    asked_at = address.asked_at or address
    if asked_at.thread_ts == asked_at.message_ts:
        return ()
    found = await messenger.replies(asked_at.channel, asked_at.thread_ts, latest=asked_at.message_ts, limit=_PAGE)
    messages = [message for one in found if (message := read_message(one))]
    said = remarks(messages, before=asked_at.message_ts, me=people.me)
    if people.policy.reads_others:
        return said
    named_elsewhere = {message.user for message in messages if is_foreign(message, people.me)}
    ours = await people.of_ours({PersonId(remark.person) for remark in said} - named_elsewhere)
    return tuple(remark for remark in said if remark.person in ours)


def remarks(messages: Sequence[SlackMessage], *, before: str, me: Identity) -> tuple[Remark, ...]:
    """Return what people said in `messages`, oldest first."""
    said = (
        Remark(person=message.user or "", text=readable(message.text or "", without=me.bot_user), key=message.ts)
        for message in messages
        if float(message.ts) < float(before) and spoken_by(message, me) == "person"
    )
    return tuple(remark for remark in said if remark.text)[-REMARKS:]
