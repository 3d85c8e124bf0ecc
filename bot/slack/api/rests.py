"""Which methods rest: Slack refuses them for a lasting reason, and would refuse the next call like the last (pure)."""

from collections.abc import Callable
from typing import Final

REST_SECONDS: Final = 600.0
"""How long; somebody may grant a scope or buy a plan meanwhile."""

_ANSWERS: Final = frozenset({"chat.postMessage", "chat.update", "users.info", "views.open"})
"""What people wait for is tried each time, so that it works as soon as it is allowed."""

_OF_THE_WORKSPACE: Final = frozenset(
    {
        "access_denied",
        "deprecated_endpoint",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "feature_disabled",
        "feature_not_enabled",
        "method_deprecated",
        "missing_scope",
        "no_permission",
        "not_allowed",
        "not_allowed_token_type",
        "paid_only",
        "paid_teams_only",
        "team_access_not_granted",
        "unknown_method",
    }
)
_OF_THE_CHANNEL: Final = frozenset({"channel_type_not_supported", "method_not_supported_for_channel_type"})


class Rests:
    """The methods of one workspace that rest, some in one channel only."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._refused: dict[tuple[str, str], tuple[str, float]] = {}

    def refused(self, method: str, channel: str, code: str) -> bool:
        """Take note of a refusal, by Slack's name for it; return whether the method rests from now on."""
        if method in _ANSWERS or code not in _OF_THE_WORKSPACE | _OF_THE_CHANNEL:
            return False
        place = channel if code in _OF_THE_CHANNEL else ""
        self._refused[method, place] = code, self._now() + REST_SECONDS
        return True

    def reason(self, method: str, channel: str) -> str | None:
        """Return why a method rests, by Slack's name for it; None if it may be called."""
        for place in ("", channel):
            code, until = self._refused.get((method, place), ("", 0.0))
            if code and self._now() < until:
                return code
            self._refused.pop((method, place), None)
        return None
