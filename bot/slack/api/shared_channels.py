"""Which channels people of another company can read: what an event or Slack has said within a minute."""

from collections.abc import Callable
from time import monotonic
from typing import Final, NamedTuple

import structlog

from bot.audience import is_direct
from bot.errors import ChannelSharedError, OutcomeUnknownError, PostRefusedError, SlackBusyError, SlackError
from bot.slack.api.web_api import WebApi
from bot.slack.payloads.shapes import Payload

FRESH_SECONDS: Final = 60.0
"""How long what was said counts: an administrator may share a channel at any time."""
INVITED_SECONDS: Final = 3600.0
"""How long Slack's word counts that nobody is invited, for events do not tell that."""
_MOST_KNOWN: Final = 10_000
_LONG_AGO: Final = float("-inf")


class Known(NamedTuple):
    """What was said of a channel, and when; `asked_at` is when Slack said that nobody is invited."""

    is_shared: bool = True
    at: float = _LONG_AGO
    asked_at: float = _LONG_AGO


class SharedChannels:
    """The channels of one workspace, as this process knows them."""

    def __init__(self, api: WebApi, clock: Callable[[], float] = monotonic) -> None:
        self._api = api
        self._clock = clock
        self._known: dict[str, Known] = {}

    def told(self, channel: str, *, is_shared: bool) -> None:
        """Take in what an event says of its channel; a direct message is never shared."""
        if is_direct(channel):
            return
        known = self._known.get(channel, Known())
        # Slack may have called it shared because of an invitation: then it is asked again.
        self._keep(channel, Known(is_shared, self._clock(), _LONG_AGO if known.is_shared else known.asked_at))

    async def include(self, channel: str, *, is_patient: bool = True) -> bool:
        """Tell whether people of another company can read a channel, or will once they accept an invitation.

        Raises `SlackError` if Slack does not answer, or hides the channel. If it refuses to say, a fresh event counts;
        without one, the channel counts as shared.
        """
        if is_direct(channel):
            return False
        known, now = self._known.get(channel, Known()), self._clock()
        is_fresh = now - known.at < FRESH_SECONDS
        if is_fresh and (known.is_shared or now - known.asked_at < INVITED_SECONDS):
            return known.is_shared
        try:
            is_shared = is_shared_channel(await channel_info(self._api, channel, is_patient=is_patient))
        except (OutcomeUnknownError, PostRefusedError, SlackBusyError):
            raise
        except SlackError as error:
            structlog.get_logger().warning("channel_not_checked", channel=channel, error=str(error))
            is_shared = known.is_shared or not is_fresh
        # An event may have told so meanwhile, and nobody knows which of the two is newer.
        told = self._known.get(channel, known)
        is_shared = is_shared or (told is not known and told.is_shared)
        self._keep(channel, Known(is_shared, now, now))
        return is_shared

    async def keep_out(self, channel: str, *, is_patient: bool = True) -> None:
        """Raise `ChannelSharedError` if people of another company can read a channel."""
        if await self.include(channel, is_patient=is_patient):
            raise ChannelSharedError

    def refuse_known(self, channel: str) -> None:
        """Raise `ChannelSharedError` if what was said last of a channel is that others can read it."""
        if channel in self._known and self._known[channel].is_shared:
            raise ChannelSharedError

    def _keep(self, channel: str, known: Known) -> None:
        self._known.pop(channel, None)
        self._known[channel] = known
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]


async def channel_info(api: WebApi, channel: str, *, is_patient: bool = True) -> Payload:
    """Return how Slack describes a channel now."""
    answer = await api.call("conversations.info", {"channel": channel}, is_patient=is_patient, is_read=True)
    return answer["channel"]


def is_shared_channel(described: Payload) -> bool:
    """Tell whether another company reads a channel, or was invited to."""
    return bool(described.get("is_ext_shared") or described.get("is_pending_ext_shared"))
