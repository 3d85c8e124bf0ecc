"""Listeners for what people add to knowledge on a message, and take out again."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from bot.contributions.add import Added, AddingIntake, RemovalRefused, Removed
from bot.conversation.address import Address, PersonId
from bot.settings.choices import MayAdd
from bot.slack.blocks.contributed import added_cards
from bot.slack.blocks.elements import Block, section
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed
from bot.slack.payloads.buttons import chosen_of_value
from bot.slack.payloads.shapes import EventCallback, MessageAction, MessageEvent, event_in
from bot.slack.payloads.shortcuts import (
    Shortcut,
    addition_of,
    dropped_as_shortcut,
    place_of_shortcut,
    read_shortcut,
    why_not_knowledge,
)

IsReviewer: TypeAlias = Callable[[PersonId], Awaitable[bool]]


class KnowledgeListeners:
    """The listeners for the two shortcuts and the buttons. Each commits before it returns."""

    def __init__(
        self, adding: AddingIntake, access_check: AccessCheck, *, may_add: MayAdd, is_reviewer: IsReviewer
    ) -> None:
        self._adding = adding
        self._access_check = access_check
        self._people = access_check.people
        self._may_add = may_add
        self._is_reviewer = is_reviewer

    async def choose(self, body: dict[str, Any]) -> None:
        """Handle a shortcut on a message."""
        action = MessageAction.model_validate(body)
        shortcut, place = read_shortcut(action), place_of_shortcut(action, self._people.me)
        if shortcut and not await self._access_check.refuse(place, is_for_anywhere=True):
            told = await (self._add(shortcut, place) if shortcut.kind == "add" else self._forget(shortcut))
            self._tell(place, told)

    async def offer(self, body: dict[str, Any]) -> None:
        """Offer to add the files that a person sent in a direct message."""
        me = self._people.me
        heard: EventCallback[MessageEvent] = event_in(body)
        dropped = dropped_as_shortcut(heard.event, me)
        shortcut = read_shortcut(dropped) if dropped else None
        if dropped is None or shortcut is None:
            return
        person = shortcut.chosen.person
        if await self._people.access(person) == "granted" and not await self._barred(person):
            names = [file.name for file in addition_of(shortcut, None, me).files]
            self._tell(place_of_shortcut(dropped, me), added_cards.offer(names, shortcut.chosen))

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click on Undo, or on the offer to add files."""
        table = {buttons.ADD_FILES: self._add_dropped, buttons.UNDO_ADDING: self._undo}
        await self._access_check.take(body, table, for_anywhere=table)

    async def _undo(self, pressed: Pressed) -> None:
        if chosen := chosen_of_value(pressed.value, pressed.place.person):
            undone = await self._adding.undo(chosen)
            self._tell(pressed.place, [section(_said_of_removal(undone))])

    async def _add_dropped(self, pressed: Pressed) -> None:
        place, chosen = pressed.place, chosen_of_value(pressed.value, pressed.place.person)
        if chosen is None:
            return
        message = await self._access_check.message(chosen.channel, chosen.thread_ts, chosen.ts)
        if message is None or chosen.channel != place.channel:
            told = [section(added_cards.NOT_THERE)]
        else:
            told = await self._add(Shortcut(kind="add", chosen=chosen, message=message), place)
        self._tell(place, told)

    async def _add(self, shortcut: Shortcut, place: Address) -> list[Block]:
        """Add the message; return what the person is told. Nothing if they were told that others read the channel."""
        why = why_not_knowledge(shortcut.message, self._people.me)
        if said := added_cards.WHY_NOT_KNOWLEDGE[why] if why else await self._barred(place.person):
            return [section(said)]
        chosen = shortcut.chosen
        root = await self._access_check.message(chosen.channel, chosen.thread_ts, chosen.thread_ts)
        if root is None:
            # Without it nobody can tell whether the thread is a conversation with the bot.
            return [section(added_cards.NOT_THERE)]
        addition = addition_of(shortcut, root, self._people.me)
        if not await self._people.of_ours([addition.writer]):
            return [section(added_cards.WHY_NOT_KNOWLEDGE["foreign"])]
        if await self._access_check.refuse(place):
            return []
        outcome = await self._adding.add(addition)
        if isinstance(outcome, Added):
            return added_cards.added(outcome, chosen)
        return [section(added_cards.refused(outcome))]

    async def _forget(self, shortcut: Shortcut) -> list[Block]:
        if why_not_knowledge(shortcut.message, self._people.me) == "ours":
            return [section(added_cards.AN_ANSWER)]
        person = shortcut.chosen.person
        is_administrator = await self._access_check.is_administrator(person)
        outcome = await self._adding.remove(shortcut.chosen, is_administrator=is_administrator)
        return [section(_said_of_removal(outcome))]

    async def _barred(self, person: PersonId) -> str:
        """Say why a person may add nothing; nothing if they may."""
        if self._may_add == "nobody":
            return added_cards.SWITCHED_OFF
        if await self._people.account_type(person) != "member":
            return added_cards.NO_GUESTS
        if self._may_add == "reviewers" and not await self._is_reviewer(person):
            return added_cards.ONLY_REVIEWERS
        return ""

    def _tell(self, place: Address, blocks: Sequence[Block]) -> None:
        if blocks:
            self._access_check.tell(place, added_cards.NOTIFICATION, blocks)


def _said_of_removal(outcome: Removed | RemovalRefused) -> str:
    return added_cards.removed(outcome) if isinstance(outcome, Removed) else added_cards.not_removed(outcome)
