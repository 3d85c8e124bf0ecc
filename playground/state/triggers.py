"""Trigger ids and response URLs, which an interaction gives the bot for a limited time."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from playground.errors import SlackError

RESPONSE_SECONDS = 30 * 60.0
RESPONSE_USES = 5
SEARCH_SECONDS = 5 * 60.0
"""How long an action token holds. Slack does not say it."""


@dataclass(kw_only=True)
class Trigger:
    """The right to open a view for a person, once."""

    person: str
    until: float
    used: bool = False


@dataclass(kw_only=True)
class ResponseUrl:
    """The right to answer an interaction at its place, a few times."""

    person: str
    channel: str
    message_ts: str
    until: float
    uses_left: int = RESPONSE_USES


class Triggers:
    """All trigger ids and response URLs."""

    def __init__(self, now: Callable[[], float], *, trigger_seconds: float) -> None:
        self._now = now
        self._trigger_seconds = trigger_seconds
        self._triggers: dict[str, Trigger] = {}
        self._responses: dict[str, ResponseUrl] = {}
        self._searches: dict[str, Trigger] = {}

    def give_trigger(self, person: str) -> str:
        """Return a trigger id for this person's interaction."""
        trigger_id = f"{secrets.randbelow(10**13)}.{secrets.randbelow(10**13)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = Trigger(person=person, until=self._now() + self._trigger_seconds)
        return trigger_id

    def take_trigger(self, trigger_id: str) -> str:
        """Use a trigger id, and return its person. Raises Slack's error."""
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self._now() > trigger.until:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger.person

    def give_search(self, person: str) -> str:
        """Return the action token of a person's message, by which the bot may search in this person's name."""
        token = f"act-{secrets.token_urlsafe(18)}"
        self._searches[token] = Trigger(person=person, until=self._now() + SEARCH_SECONDS)
        return token

    def searcher(self, token: str) -> str:
        """Return the person of an action token. Raises Slack's error."""
        search = self._searches.get(token)
        if search is None or self._now() > search.until:
            raise SlackError("invalid_action_token")
        return search.person

    def give_response(self, *, person: str, channel: str, message_ts: str) -> str:
        """Return the token of a new response URL."""
        token = secrets.token_urlsafe(18)
        self._responses[token] = ResponseUrl(
            person=person, channel=channel, message_ts=message_ts, until=self._now() + RESPONSE_SECONDS
        )
        return token

    def take_response(self, token: str) -> ResponseUrl:
        """Use a response URL. Raises Slack's error if it is used up or expired."""
        response = self._responses.get(token)
        if response is None or self._now() > response.until:
            raise SlackError("expired_url", status=404)
        if response.uses_left <= 0:
            raise SlackError("used_url", status=404)
        response.uses_left -= 1
        return response
