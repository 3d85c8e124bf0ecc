"""What an interaction lets the bot do for a while: open one view, and answer by its response URL."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from playground.errors import SlackError

TRIGGER_SECONDS = 3.0
RESPONSE_SECONDS = 30 * 60.0
RESPONSE_USES = 5


@dataclass(kw_only=True)
class Trigger:
    """The right to open a view for a person, once."""

    person: str
    until: float
    used: bool = False


@dataclass(kw_only=True)
class ResponseUrl:
    """The right to answer an interaction in its place, a few times."""

    person: str
    channel: str
    message_ts: str
    until: float
    uses_left: int = RESPONSE_USES


class Triggers:
    """The trigger ids and response URLs that were given out."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._triggers: dict[str, Trigger] = {}
        self._responses: dict[str, ResponseUrl] = {}

    def give_trigger(self, person: str) -> str:
        """Return a trigger id for what this person just did."""
        trigger_id = f"{secrets.randbelow(10**13)}.{secrets.randbelow(10**13)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = Trigger(person=person, until=self._now() + TRIGGER_SECONDS)
        return trigger_id

    def take_trigger(self, trigger_id: str) -> str:
        """Use a trigger id; say whose it was, or raise Slack's refusal."""
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self._now() > trigger.until:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger.person

    def give_response(self, *, person: str, channel: str, message_ts: str) -> str:
        """Return the token of a new response URL."""
        token = secrets.token_urlsafe(18)
        self._responses[token] = ResponseUrl(
            person=person, channel=channel, message_ts=message_ts, until=self._now() + RESPONSE_SECONDS
        )
        return token

    def take_response(self, token: str) -> ResponseUrl:
        """Use a response URL; raise Slack's refusal where it is used up or too old."""
        response = self._responses.get(token)
        if response is None or self._now() > response.until:
            raise SlackError("expired_url", status=404)
        if response.uses_left <= 0:
            raise SlackError("used_url", status=404)
        response.uses_left -= 1
        return response
