"""Listeners for the buttons that tell an answer elsewhere: to its asker alone, and then, if they want, to a channel."""

from typing import Any

from bot.conversation.address import Address, Ts
from bot.conversation.asks import family_store
from bot.conversation.inputs import Message
from bot.conversation.intake import Intake
from bot.slack.blocks import share_cards
from bot.slack.channel_modes.mode_store import Storing
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed
from bot.slack.payloads.buttons import AskedHere
from bot.slack.sharing import share_store
from bot.slack.sharing.copies import SharedCopies
from graph.turn import Turn


class ShareListeners:
    """The listeners for answers that are told elsewhere. Each commits before it returns, and calls Slack afterwards."""

    def __init__(self, storing: Storing, intake: Intake, access_check: AccessCheck, copies: SharedCopies) -> None:
        self._storing = storing
        self._intake = intake
        self._access_check = access_check
        self._copies = copies

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click that asks for an answer alone, or that shares one."""
        await self._access_check.take(body, {buttons.TELL_ALONE: self._tell_alone, buttons.SHARE: self._share})

    async def _tell_alone(self, pressed: Pressed) -> str | None:
        """Store the question once more, to be answered in a direct message."""
        place, asked = pressed.place, AskedHere.of_text(pressed.value)
        if asked is None:
            return None
        key = f"{place.channel}:{asked.ts}"
        turn = Turn(question=asked.question, asker=place.person, addressed=True)
        here = Address(
            team=place.team,
            channel=place.channel,
            thread_ts=Ts(asked.thread_ts),
            message_ts=Ts(asked.ts),
            person=place.person,
            person_team=place.person_team,
        )
        alone = Message(event_key=key, message_key=key, address=here, turn=turn).told_alone
        return share_cards.NOT_TAKEN if (await self._intake.ask_clicked(alone)).is_refused else share_cards.TOLD_ALONE

    async def _share(self, pressed: Pressed) -> str | None:
        """Share an answer below its question; only its asker may."""
        place, clicked = pressed.place, pressed.message
        async with self._storing() as connection:
            question = await family_store.question_of(connection, clicked)
            parts = await share_store.parts_of(connection, clicked)
        asked = question.address.asked_at if question else None
        if asked is None or asked.person != place.person:
            return share_cards.NOT_YOURS
        if len(parts) > 1:
            return share_cards.TOO_LONG
        await self._copies.share(asked, clicked)
        return None
