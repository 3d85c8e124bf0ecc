"""Listeners of an installation in which nothing is kept, flagged or a source, and no channel or thread has a mode."""

from bot.conversation.address import Address
from bot.conversation.inputs import Change, Click, Message, Rating
from bot.conversation.intake import Intake
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.event_listeners import EventListeners
from bot.slack.listeners.flag_listeners import FlagListeners
from bot.slack.listeners.mode_listeners import ModeListeners
from bot.slack.listeners.verify_listeners import VerifyListeners
from bot.slack.payloads.actions import Pressed


class NothingVerified(VerifyListeners):
    """Listeners that verify nothing."""

    def __init__(self) -> None:
        pass

    async def overhear(self, message: Message) -> None:
        pass

    async def confirm(self, click: Click, place: Address) -> None:
        pass

    async def rate(self, rating: Rating) -> None:
        pass


class NoModes(ModeListeners):
    """Listeners of channels that all answer mentions only."""

    def __init__(self) -> None:
        pass

    async def as_received(self, message: Message) -> Message | None:
        return message

    async def overhear(self, message: Message) -> None:
        pass

    async def change(self, change: Change) -> Change | None:
        return change


class NothingFlagged(FlagListeners):
    """Listeners that ask for no reason."""

    def __init__(self) -> None:
        pass

    async def ask(self, pressed: Pressed) -> None:
        pass

    async def like(self, rating: Rating) -> None:
        pass


async def note_nothing(channel: str, thread_ts: str, /, *, is_outdated: bool) -> None:
    """No channel is a source."""


def bare_listeners(intake: Intake, access_check: AccessCheck) -> EventListeners:
    """Return the listeners of such an installation."""
    return EventListeners(
        intake,
        access_check,
        verify=NothingVerified(),
        modes=NoModes(),
        flags=NothingFlagged(),
        note_thread=note_nothing,
    )
