"""Slack's error responses.

SlackError             the call is refused, with Slack's name for the reason
└── RateLimitedError   too many calls; try again later

StateInUseError        another playground keeps its state in the same file
StateUnreadableError   the file with the state holds something else
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
        """Additional headers of the response."""
        return {}


class RateLimitedError(SlackError):
    """Too many calls."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__("ratelimited", status=429)
        self.retry_after_seconds = retry_after_seconds

    @property
    def headers(self) -> dict[str, str]:
        """The header with the seconds to wait."""
        return {"Retry-After": str(self.retry_after_seconds)}


class StateInUseError(Exception):
    """Another playground keeps its state in the same file."""

    def __init__(self, url: str) -> None:
        super().__init__(f"A playground with this state is already at {url or 'an address that it has not named yet'}.")
        self.url = url
        """The other playground's address; empty while it is starting."""


class StateUnreadableError(Exception):
    """The file with a playground's state holds something else, or is from another version."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} holds no state of a playground of this version. Move it away to start afresh.")
