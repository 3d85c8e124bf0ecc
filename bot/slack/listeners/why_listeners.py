"""The listener for “Why this answer?”: shows administrators how an answer came about."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import structlog

from bot.conversation.traces.kept_run import KeptRun
from bot.slack.blocks.run_steps import NOT_KEPT, ONLY_ADMINISTRATORS, why_modal
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.payloads.shapes import MessageAction
from bot.slack.payloads.shortcuts import place_of_shortcut

RunOf: TypeAlias = Callable[[str, str], Awaitable[KeptRun | None]]
"""Returns the last run behind a message, by its channel and ts."""


class WhyListeners:
    """The listener for one shortcut. It stores nothing."""

    def __init__(self, access_check: AccessCheck, run_of: RunOf) -> None:
        self._access_check = access_check
        self._run_of = run_of

    async def act(self, body: dict[str, Any]) -> None:
        """Show the run behind a message in a modal, or say privately why not."""
        action = MessageAction.model_validate(body)
        place = place_of_shortcut(action, self._access_check.people.me)
        if not await self._access_check.refuse(place):
            is_administrator = await self._access_check.is_administrator(place.person)
            run = await self._run_of(place.channel, place.message_ts) if is_administrator else None
            if run:
                await self._access_check.messenger.open_modal(action.trigger_id, why_modal(run))
            else:
                self._access_check.tell(place, NOT_KEPT if is_administrator else ONLY_ADMINISTRATORS)
            structlog.get_logger().info("why_asked", is_administrator=is_administrator, was_kept=run is not None)
