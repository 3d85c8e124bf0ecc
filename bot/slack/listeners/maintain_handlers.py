"""Listeners for what happens to verified answers later: an edit, a check, a doubt, a renewal, the end."""

from dataclasses import replace
from typing import Any

from slack_bolt.async_app import AsyncAck

from bot.contributions.maintain import Doubted, Editor, MaintainIntake
from bot.contributions.verify import VerifiedUntil, VerifyRefused
from bot.conversation.address import Address
from bot.slack.blocks import buttons
from bot.slack.blocks.answers import section
from bot.slack.blocks.buttons import ModalOrigin
from bot.slack.blocks.contributed.verified_cards import (
    NOTHING_WRITTEN,
    RETIRED,
    REVISED,
    checked,
    doubted_by,
    held,
    held_not,
    refusal,
    retired_card,
    revise_modal,
)
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.actions import place_of_submission
from bot.slack.listeners.events import Payload
from bot.slack.listeners.review_actions import answer_to_form, origin_of_form, words_of
from bot.slack.listeners.review_handlers import beside_the_card
from bot.slack.listeners.verify_handlers import name_of
from bot.slack.reviewers import Reviewers


class MaintainListeners:
    """The listeners for the buttons and the modal of verified answers."""

    def __init__(self, intake: MaintainIntake, access_check: AccessCheck, reviewers: Reviewers) -> None:
        self._intake = intake
        self._access_check = access_check
        self._messenger = access_check.messenger
        self._tasks = access_check.tasks
        self._reviewers = reviewers
        self._me = access_check.people.me

    async def act(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Handle a click on a button of a verified answer."""
        if pressed := await self._access_check.pressed(body):
            match pressed.id:
                case buttons.RETIRE:
                    await self._retire(body, pressed.value, pressed.place)
                case buttons.REVISE:
                    await self._open(body, pressed.value, pressed.place)
                case buttons.CHECKED:
                    await self._check(body, pressed.value, pressed.place)
                case buttons.HOLDS | buttons.HOLDS_NOT:
                    await self._judge(body, pressed.value, pressed.place)
                case _:
                    pass
        await ack()

    async def submit(self, body: dict[str, Any], ack: AsyncAck) -> None:
        """Store an answer in other words. If that changes nothing, the modal stays open with its text."""
        await ack(**answer_to_form(body, await self._revise(body)))

    async def _revise(self, body: Payload) -> str:
        """Store the text of the modal; return what is wrong with it, or nothing."""
        place = place_of_submission(body, self._me)
        origin = ModalOrigin.of_text(body["view"].get("private_metadata") or "")
        values: Payload = body["view"]["state"]["values"]
        if place is None or origin is None or not values or await self._access_check.refuse(body, place):
            return ""
        text = words_of(values, buttons.REVISED)
        if not text:
            return NOTHING_WRITTEN
        editor, name = await self._editor_at(place), await name_of(self._messenger, place.person)
        revised = await self._intake.revise(origin.token, editor, text=text, name=name)
        if isinstance(revised, VerifyRefused):
            # A modal shows no mentions.
            return refusal(replace(revised, by=None))
        self._access_check.post_ephemeral(place, REVISED)
        return ""

    async def _open(self, body: Payload, origin: str, place: Address) -> None:
        kept = await self._intake.look(origin, await self._editor_at(place))
        if isinstance(kept, VerifyRefused):
            self._access_check.post_ephemeral(place, refusal(kept))
            return
        view = revise_modal(origin_of_form(body, origin), kept.question, kept.text)
        await self._messenger.open_modal(body["trigger_id"], view)

    async def _retire(self, body: Payload, origin: str, place: Address) -> None:
        is_card = place.channel == self._reviewers.channel
        place = beside_the_card(body, self._me) if is_card else place
        refused = await self._intake.retire(origin, await self._editor_at(place))
        if refused:
            self._access_check.post_ephemeral(place, refusal(refused))
        elif is_card:
            self._access_check.update(body, retired_card(body["message"]["blocks"], place.person))
        elif "message" in body:
            self._access_check.update(body, [section(RETIRED)])
        else:
            # Slack changes no ephemeral message.
            self._access_check.post_ephemeral(place, RETIRED)

    async def _check(self, body: Payload, origin: str, place: Address) -> None:
        """Let an answer count as checked today, as its writer says."""
        kept = await self._intake.check(origin, await self._editor_at(place))
        if isinstance(kept, VerifyRefused):
            self._access_check.post_ephemeral(place, refusal(kept))
        else:
            self._access_check.update(body, checked(kept))

    async def _judge(self, body: Payload, origin: str, place: Address) -> None:
        """Renew or retire an answer, as a person says to whom it was told."""
        holds = body["actions"][0]["action_id"] == buttons.HOLDS
        judged = await (self._intake.renew if holds else self._intake.doubt)(origin, place.person)
        match judged:
            case VerifyRefused():
                self._access_check.post_ephemeral(place, refusal(judged))
            case VerifiedUntil():
                self._access_check.update(body, held(judged))
            case Doubted():
                self._access_check.update(body, held_not(judged))
                self._tasks.run(self._tell_writer(judged, place))

    async def _tell_writer(self, doubted: Doubted, place: Address) -> None:
        if doubted.writer != place.person:
            channel = await self._messenger.open_direct(doubted.writer)
            blocks = doubted_by(place.person, doubted)
            await self._messenger.post(channel, text="Somebody doubts your answer.", blocks=blocks)

    async def _editor_at(self, place: Address) -> Editor:
        """Return the person, and whether they count as a reviewer there: only in the reviewers' channel."""
        is_reviewer = await self._reviewers.bar(place) is None
        return Editor(person=place.person, is_reviewer=is_reviewer)
