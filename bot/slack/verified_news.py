"""Sends direct messages about verified answers.

Before an answer expires, people who got it are asked whether it is still right. People whose question had no answer are
told of a new one. The writer is asked who is right if a document contradicts the answer, and is told of objections.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

import structlog

from bot.audience import NamesOf
from bot.contributions.maintain import Asker, Dispute, KeptAnswer, MaintainIntake
from bot.conversation.address import PersonId
from bot.errors import PostRefusedError
from bot.runtime import looking
from bot.slack.api.messenger import Messenger
from bot.slack.blocks.contributed.verified_cards import answered_since, did_it_hold, objected_to, who_is_right

QUESTION: Final = "Is this answer still right?"
DISPUTED: Final = "A document contradicts your answer."
OBJECTED: Final = "Somebody objects to your answer."
ANSWERED: Final = "Your question was answered."
_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class VerifiedNews:
    """Watches the verified answers of one workspace."""

    intake: MaintainIntake
    messenger: Messenger
    names_of: NamesOf
    look_seconds: float

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look for news until the context ends."""
        steps = (
            partial(self.intake.ask_next, self._ask, self.names_of),
            partial(self.intake.tell_next, self._tell, self.names_of),
            partial(self.intake.settle_next, self._ask_writer, self.names_of),
            partial(self.intake.object_next, self._tell_writer),
        )
        async with looking(
            *steps, name="verified_news", every_seconds=self.look_seconds, failure="verified_news_failed"
        ):
            yield

    async def _ask(self, answer: KeptAnswer, people: Sequence[PersonId]) -> None:
        for person in people:
            key = f"holds:{answer.origin}:{answer.until.timestamp():.0f}"
            await self.messenger.tell_once(person, text=QUESTION, blocks=did_it_hold(answer), key=key)

    async def _tell(self, answer: KeptAnswer, askers: Sequence[Asker]) -> None:
        for asker in askers:
            try:
                link = await self.messenger.permalink(asker.channel, asker.asked_ts)
            except PostRefusedError:
                # The question is gone, or the bot is no longer there.
                link = ""
            await self.messenger.tell_once(
                asker.person,
                text=ANSWERED,
                blocks=answered_since(answer, asker, link),
                key=f"solved:{answer.origin}",
            )

    async def _ask_writer(self, dispute: Dispute) -> None:
        key = f"disputed:{dispute.answer.origin}:{dispute.title}:{dispute.dated}"
        await self.messenger.tell_once(dispute.answer.writer, text=DISPUTED, blocks=who_is_right(dispute), key=key)

    async def _tell_writer(self, answer: KeptAnswer, day: date) -> None:
        key = f"objected:{answer.origin}:{day}"
        await self.messenger.tell_once(answer.writer, text=OBJECTED, blocks=objected_to(answer), key=key)
