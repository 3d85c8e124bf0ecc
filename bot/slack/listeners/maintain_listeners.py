"""Listeners for what happens to verified answers later: an edit, a check, a doubt, a renewal, the end."""

from dataclasses import replace
from typing import Any

from bot.contributions.maintain import Editor, KeptAnswer, MaintainIntake
from bot.contributions.verify import VerifyRefused
from bot.conversation.address import Address
from bot.slack.blocks.contributed import verified_cards
from bot.slack.blocks.elements import section
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.review_listeners import beside_the_card
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed, Submitted, origin_of_form, words_of
from bot.slack.people.reviewers import Reviewers


class MaintainListeners:
    """The listeners for the buttons and the modal of verified answers."""

    def __init__(self, intake: MaintainIntake, access_check: AccessCheck, reviewers: Reviewers) -> None:
        self._intake = intake
        self._access_check = access_check
        self._reviewers = reviewers

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click on a button of a verified answer."""
        await self._access_check.take(
            body,
            {
                buttons.RETIRE: self._retire,
                buttons.REVISE: self._open,
                buttons.CHECKED: self._check,
                buttons.HOLDS: self._renew,
                buttons.HOLDS_NOT: self._doubt,
            },
        )

    async def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Store an answer in other words. If that changes nothing, the modal stays open with its text."""
        return await self._access_check.submit(body, self._revise)

    async def _revise(self, sent: Submitted) -> str:
        """Store the text of the modal; return what is wrong with it, or nothing."""
        place, text = sent.place, words_of(sent.values, buttons.REVISED)
        if not text:
            return verified_cards.NOTHING_WRITTEN
        editor, name = await self._editor_at(place), await self._access_check.name_of(place.person)
        revised = await self._intake.revise(sent.origin.token, editor, text=text, name=name)
        if isinstance(revised, VerifyRefused):
            # A modal shows no mentions.
            return verified_cards.refusal(replace(revised, by=None))
        self._access_check.tell(place, verified_cards.REVISED)
        return ""

    async def _open(self, pressed: Pressed) -> str | None:
        kept = await self._intake.look(pressed.value, await self._editor_at(pressed.place))
        if isinstance(kept, VerifyRefused):
            return verified_cards.refusal(kept)
        view = verified_cards.revise_modal(origin_of_form(pressed), kept.question, kept.text)
        await self._access_check.messenger.open_modal(pressed.trigger_id, view)
        return None

    async def _retire(self, pressed: Pressed) -> None:
        is_card = pressed.place.channel == self._reviewers.channel
        place = beside_the_card(pressed.place) if is_card else pressed.place
        refused = await self._intake.retire(pressed.value, await self._editor_at(place))
        if refused:
            self._access_check.tell(place, verified_cards.refusal(refused))
        elif is_card:
            self._access_check.update(pressed, verified_cards.retired_card(pressed.blocks, place.person))
        elif not pressed.is_ephemeral:
            self._access_check.update(pressed, [section(verified_cards.RETIRED)])
        else:
            self._access_check.tell(place, verified_cards.RETIRED)

    async def _check(self, pressed: Pressed) -> str | None:
        """Let an answer count as checked today, as its writer says."""
        kept = await self._intake.check(pressed.value, await self._editor_at(pressed.place))
        if isinstance(kept, VerifyRefused):
            return verified_cards.refusal(kept)
        self._access_check.update(pressed, verified_cards.checked(kept))
        return None

    async def _renew(self, pressed: Pressed) -> str | None:
        """Renew an answer, as a person says to whom it was told."""
        renewed = await self._intake.renew(pressed.value, pressed.place.person)
        if isinstance(renewed, VerifyRefused):
            return verified_cards.refusal(renewed)
        self._access_check.update(pressed, verified_cards.held(renewed))
        return None

    async def _doubt(self, pressed: Pressed) -> str | None:
        """Retire an answer, as a person says to whom it was told."""
        doubted = await self._intake.doubt(pressed.value, pressed.place.person)
        if isinstance(doubted, VerifyRefused):
            return verified_cards.refusal(doubted)
        self._access_check.update(pressed, verified_cards.held_not(doubted))
        self._access_check.tasks.run(self._tell_writer(doubted, pressed.place))
        return None

    async def _tell_writer(self, doubted: KeptAnswer, place: Address) -> None:
        if doubted.writer != place.person:
            channel = await self._access_check.messenger.open_direct(doubted.writer)
            blocks = verified_cards.doubted_by(place.person, doubted)
            await self._access_check.messenger.post(channel, text="Somebody doubts your answer.", blocks=blocks)

    async def _editor_at(self, place: Address) -> Editor:
        """Return the person, and whether they count as a reviewer there: only in the reviewers' channel."""
        is_reviewer = await self._reviewers.bar(place) is None
        return Editor(person=place.person, is_reviewer=is_reviewer)
