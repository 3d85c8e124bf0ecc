"""Which channels people of another company can read: what an event or Slack has said within a minute."""

from time import monotonic
from typing import Any, Final

import structlog

from bot.errors import ChannelSharedError, OutcomeUnknownError, PostRefusedError, SlackBusyError, SlackError
from bot.slack.api.web_api import WebApi

FRESH_SECONDS: Final = 60.0
"""How long what was said counts: an administrator may share a channel at any time."""
_MOST_KNOWN: Final = 10_000


class SharedChannels:
    """The channels of one workspace, as this process knows them."""

    def __init__(self, api: WebApi) -> None:
        self._api = api
        self._known: dict[str, tuple[bool, float]] = {}

    def told(self, channel: str, *, is_shared: bool) -> None:
        """Take in what an event says of its channel."""
        self._known.pop(channel, None)
        self._known[channel] = is_shared, monotonic()
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]

    async def include(self, channel: str, *, is_patient: bool = True) -> bool:
        """Tell whether people of another company can read a channel, or will once they accept an invitation.

        Raises `SlackError` if Slack does not answer, or hides the channel. If it refuses to say, it counts as shared.
        """
        if channel.startswith("D"):
            return False
        known = self._known.get(channel)
        if known and monotonic() - known[1] < FRESH_SECONDS:
            return known[0]
        try:
            described = await self._asked(channel, is_patient=is_patient)
            is_shared = bool(described.get("is_ext_shared") or described.get("is_pending_ext_shared"))
        except (OutcomeUnknownError, PostRefusedError, SlackBusyError):
            raise
        except SlackError as error:
            structlog.get_logger().warning("channel_not_checked", channel=channel, error=str(error))
            is_shared = True
        self.told(channel, is_shared=is_shared)
        return is_shared

    async def keep_out(self, channel: str) -> None:
        """Raise `ChannelSharedError` if people of another company can read a channel."""
        if await self.include(channel):
            raise ChannelSharedError

    async def _asked(self, channel: str, *, is_patient: bool) -> dict[str, Any]:
        answer = await self._api.call("conversations.info", {"channel": channel}, is_patient=is_patient, is_form=True)
        return answer["channel"]
