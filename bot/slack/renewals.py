"""Asks those to whom a kept answer was told, in a direct message, whether it held, before it ends."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from bot.audience import Names
from bot.conversation.address import Address, ChannelId, PersonId, Ts
from bot.conversation.keep import KeptIntake, Renewal
from bot.errors import PostRefusedError
from bot.runtime import looking
from bot.slack.api.messenger import Messenger
from bot.slack.blocks.verified_cards import did_it_hold
from bot.slack.listeners.events import Identity

_QUESTION: Final = "Did this answer hold?"
_DIRECT: Final = ChannelId("D")
"""Any direct message: nothing is opened for somebody who may not read the answer any more."""
_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Renewals:
    """Watches the kept answers of one workspace."""

    kept: KeptIntake
    messenger: Messenger
    names_of: Callable[[Address], Awaitable[Names]]
    me: Identity
    look_seconds: float

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Ask about answers that end, until the context ends."""
        ask_next = partial(self.kept.ask_next, self._ask, self._names_of)
        async with looking(ask_next, name="renewals", every_seconds=self.look_seconds, failure="renewals_failed"):
            yield

    async def _names_of(self, person: str) -> Names:
        address = Address(
            team=self.me.team, channel=_DIRECT, thread_ts=Ts(""), message_ts=Ts(""), person=PersonId(person),
            person_team=self.me.team,
        )  # fmt: skip
        return await self.names_of(address)

    async def _ask(self, renewal: Renewal) -> None:
        for person in renewal.people:
            channel = await self.messenger.open_direct(person)
            key = f"holds:{renewal.origin}:{renewal.until.timestamp():.0f}"
            # A process that died after it posted has not noted it.
            if await self.messenger.find(channel, key, oldest="0"):
                continue
            try:
                await self.messenger.post(channel, text=_QUESTION, blocks=did_it_hold(renewal), key=key)
            except PostRefusedError:
                _logger.info("renewal_not_posted", person=person)
