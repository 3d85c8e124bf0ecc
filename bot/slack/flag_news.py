"""Sends direct messages about flagged documents, once each: to their owners, and to the people who reported them."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog

from bot.audience import Names, is_person, is_person_id
from bot.contributions.flag import FlagIntake, FlagNotice, Recipient, Report
from bot.conversation.address import PersonId, Placed
from bot.errors import SlackError
from bot.runtime import looking
from bot.slack.api.messenger import Messenger
from bot.slack.blocks.contributed import flag_cards
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import Payload
from bot.slack.people.people import account_type_of
from bot.slack.people.readers import Readers

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class FlagNews:
    """Watches the flagged documents of one workspace; implements `bot.contributions.flag.Owners`."""

    flags: FlagIntake
    messenger: Messenger
    readers: Readers
    channels_of: Callable[[PersonId], Awaitable[Collection[str]]]
    """Returns the channels that a person is in."""
    me: Identity
    look_seconds: float

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look for news until the context ends."""
        steps = (
            partial(self.flags.tell_next, self._tell, self),
            partial(self.flags.answer_next, self._answer, self.readers.names_of_person),
            self.flags.forget_old,
        )
        async with looking(*steps, name="flag_news", every_seconds=self.look_seconds, failure="flag_news_failed"):
            yield

    async def named(self, text: str) -> PersonId | None:
        """Return the member who is called so, or whose id or address it is; None if nobody is, or several are."""
        said = text.strip().strip("<@>")
        if is_person(said):
            return PersonId(said)
        try:
            found = [user async for user in self.messenger.everybody() if said.casefold() in _names_of(user)]
        except SlackError as error:
            _logger.warning("owner_not_found", error=str(error))
            return None
        members = [user["id"] for user in found if account_type_of(user, self.me) == "member"]
        return PersonId(members[0]) if len(members) == 1 else None

    async def names_of(self, recipient: Recipient) -> Names:
        """Return the names under which a person or a channel reads now."""
        return await self.readers.names_of_recipient(recipient)

    async def _tell(self, notice: FlagNotice, recipient: Recipient) -> bool:
        places = {voice.answered_in for voice in notice.voices if voice.answered_in}
        links = {place: link for place in places if (link := await self._link(place, recipient))}
        key = f"flagged:{notice.document_id}:{notice.since.timestamp():.6f}"
        return await self.messenger.tell_once(
            recipient, text=flag_cards.NOTIFICATION, blocks=flag_cards.flagged(notice, links), key=key
        )

    async def _answer(self, report: Report) -> bool:
        key = f"reported:{report.id}"
        return await self.messenger.tell_once(
            report.person, text=flag_cards.OUTCOME, blocks=flag_cards.outcome(report), key=key
        )

    async def _link(self, answer: Placed, recipient: Recipient) -> str | None:
        """Return the address of an answer if who is told of it can open it: their channel's, or a public one's."""
        try:
            own = await self.channels_of(PersonId(recipient)) if is_person_id(recipient) else ()
            if answer.channel in own or await self.messenger.is_public(answer.channel):
                return await self.messenger.permalink(answer.channel, answer.ts)
        except SlackError as error:
            _logger.info("answer_not_linked", error=str(error))
        return None


def _names_of(user: Payload) -> set[str]:
    """Return what a person is called, in small letters."""
    profile: Payload = user.get("profile") or {}
    names = (user.get("name"), user.get("real_name"), *map(profile.get, ("display_name", "real_name", "email")))
    return {str(name).casefold() for name in names if name}
