"""The state of an agent session, which is a thread for Slack: working, waiting for somebody, or done.

Only some workspaces have sessions. One that refuses them is not asked again for ten minutes, and a state that there is
no room for is left out: an answer neither waits nor fails for either.
"""

import asyncio
from contextlib import suppress
from typing import Final, Literal, TypeAlias

import structlog

from bot.conversation.address import Address
from bot.errors import OutcomeUnknownError, PostRefusedError, SlackBusyError, SlackError
from bot.slack.api.background_tasks import BackgroundTasks
from bot.slack.api.messenger import SESSIONS, Messenger

State: TypeAlias = Literal["processing", "suspended", "active"]

_PATIENCE_SECONDS: Final = 2.0
"""How long the end of an item may wait for the call that reports it."""
_TURN_SECONDS: Final = 0.2
"""How often we look, meanwhile, whether there is room for it."""
REFUSED_SECONDS: Final = 600.0
"""How long a workspace is not asked again: it may have refused for the moment, or be given sessions meanwhile."""


class Sessions:
    """The sessions of one workspace, if it has any."""

    def __init__(self, messenger: Messenger, *, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._messenger = messenger
        self._patience_seconds = patience_seconds
        self._refused_until = float("-inf")

    async def tell(self, address: Address, state: State) -> Literal["heard", "perhaps", "unheard"]:
        """Tell Slack the state of a session, and return whether Slack heard it."""
        pace = self._messenger.pace
        if pace.now() < self._refused_until or not (state == "active" or await pace.may(SESSIONS)):
            return "unheard"
        try:
            async with asyncio.timeout(self._patience_seconds):
                if state == "active":
                    await self._tell_at_last(address)
                else:
                    await self._messenger.set_session(address, state)
        except (OutcomeUnknownError, TimeoutError):
            return "perhaps"
        except (SlackBusyError, PostRefusedError):
            return "unheard"
        except SlackError as error:
            self._refused_until = pace.now() + REFUSED_SECONDS
            structlog.get_logger().info("sessions_refused", error=str(error))
            return "unheard"
        return "heard"

    async def _tell_at_last(self, address: Address) -> None:
        # Only the end is worth waiting for: a session that is done must not look busy. A turn is not reserved: nobody
        # could use it if we gave up.
        while True:
            if await self._messenger.pace.may_at_last(SESSIONS):
                with suppress(SlackBusyError):
                    return await self._messenger.set_session(address, "active")
            await asyncio.sleep(_TURN_SECONDS)


class Session:
    """One run's part in its thread's session, told in order, in the background."""

    def __init__(self, sessions: Sessions, address: Address, tasks: BackgroundTasks) -> None:
        self._sessions = sessions
        self._address = address
        self._tasks = tasks
        self._in_order = asyncio.Lock()
        self._wanted: State | None = None
        self._state: State | None = None
        self._is_sure = False

    @property
    def closing_state(self) -> State | None:
        """The session state to send with the end of a stream; none if Slack never heard of the session."""
        return "active" if self._state == "processing" and self._is_sure else None

    def work(self) -> None:
        """Report, once, that we work: people see it, and can press Stop."""
        self._want("processing")

    def suspend(self) -> None:
        """Report that we wait for somebody."""
        self._want("suspended")

    def take_over(self) -> None:
        """End, with this run, the session of an earlier run that died, was stopped or asked back."""
        self._state = self._state or "processing"

    def closed_with_stream(self) -> None:
        """Note that the end of a stream has reported that we are done."""
        self._wanted = self._state = "active"

    def close(self) -> None:
        """Report that we are done, unless we wait or have reported nothing."""
        self._tasks.run(self._end())

    def _want(self, state: State) -> None:
        if state != self._wanted:
            self._wanted = state
            self._tasks.run(self._tell(state))

    async def _tell(self, state: State) -> None:
        async with self._in_order:
            heard = await self._sessions.tell(self._address, state)
            if heard != "unheard":
                self._state, self._is_sure = state, heard == "heard"

    async def _end(self) -> None:
        # Wait for the calls that are under way.
        async with self._in_order:
            is_open = self._state == "processing"
        if is_open:
            await self._tell("active")
