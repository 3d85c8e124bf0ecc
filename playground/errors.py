"""What Slack answers when it refuses a call.

SlackError             the call is refused, with Slack's name for the reason
└── RateLimitedError   too many calls; come back later

StateInUseError        another playground keeps its state in the same file
"""

from collections.abc import Sequence


class SlackError(Exception):
    """The call is refused."""

    def __init__(self, name: str, *, status: int = 200, messages: Sequence[str] = ()) -> None:
        super().__init__(name)
        self.name = name
        self.status = status
        self.messages = list(messages)
        """Details, as Slack puts them in `response_metadata`."""

    @property
    def headers(self) -> dict[str, str]:
        """What goes with the answer."""
        return {}


class RateLimitedError(SlackError):
    """Too many calls."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__("ratelimited", status=429)
        self.retry_after_seconds = retry_after_seconds

    @property
    def headers(self) -> dict[str, str]:
        """When to come back."""
        return {"Retry-After": str(self.retry_after_seconds)}


class StateInUseError(Exception):
    """Another playground keeps its state in the same file; of two, each would lose what the other keeps."""

    def __init__(self, url: str) -> None:
        super().__init__(f"A playground with this state is already at {url or 'an address that it has not named yet'}.")
        self.url = url
        """Where it is; empty if it only just begins."""
