"""The playground without a network: calls are function calls, and deliveries lie in a box until a test takes them."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import PersonId, TeamId
from bot.slack.api.messenger import Messenger
from bot.slack.api.pace import Pace
from bot.slack.api.shared_channels import SharedChannels
from bot.slack.api.web_api import WebApi
from bot.slack.payloads.identity import Identity
from bot.slack.payloads.shapes import Payload
from playground import Playground, Workspace
from playground import SlackError as SlacksOwnError
from playground.methods import all_methods
from playground.protocol.socket_mode import SocketMode
from playground.state.slack import Slack, Tokens
from playground.wire import Call, Delivery, Json

Moment = Callable[[str], Awaitable[None]]
"""Called before and after each lasting effect. It may wait, or never return."""

UNPACED = 100_000.0
METHODS = all_methods()


class Box(SocketMode):
    """The deliveries from Slack, in order, until a test carries them to the bot."""

    def __init__(self, slack: Slack) -> None:
        super().__init__(
            clock=slack.clock, changes=slack.changes, faults=slack.faults, ack_seconds=1.0, retry_pauses=()
        )
        self._bot = slack.workspace.bot_user_id
        self.letters: list[Delivery] = []

    def send(self, kind: Any, payload: Json) -> Delivery:
        delivery = Delivery(id=payload.get("event_id", ""), kind=kind, payload=payload, at=0.0)
        event = payload.get("event", {})
        author = (event.get("message") or event.get("previous_message") or event).get("user")
        if author != self._bot:
            self.letters.append(delivery)
        return delivery


class LocalSlack(Slack):
    """One workspace whose bot is called, and calls, without a network."""

    def __init__(self, team: str) -> None:
        workspace = Workspace.sample()
        workspace.team_id = team
        super().__init__(workspace, tokens=Tokens())
        self.sockets: Box = Box(self)
        self.playground = Playground(self)
        self.created: list[str] = []
        """The titles with which the tool that writes was called."""
        self._told_by: dict[str, Callable[[], bool]] = {}

    @property
    def kept_up(self) -> list[str]:
        """Threads whose status a living process has set. Slack removes the statuses of dead ones."""
        return [ts for _, ts in self._statuses if ts not in self._told_by or self._told_by[ts]()]

    @property
    def identity(self) -> Identity:
        """The bot's identity here."""
        workspace = self.workspace
        return Identity(team=TeamId(workspace.team_id), bot_user=PersonId(workspace.bot_user_id), bot=workspace.bot_id)

    def take(self, method: str, arguments: Json, *, is_alive: Callable[[], bool]) -> Json:
        """Execute a process's call. Raises Slack's error."""
        try:
            self.faults.check(method)
            answer = {"ok": True, **METHODS[method](self, arguments)}
        except SlacksOwnError as error:
            self._keep(method, arguments, {"ok": False, "error": error.name})
            raise
        self._keep(method, arguments, answer)
        if method == "assistant.threads.setStatus":
            self._told_by[arguments["thread_ts"]] = is_alive
        return answer

    def _keep(self, method: str, arguments: Json, answer: Json) -> None:
        self.calls.append(Call(method=method, arguments=arguments, answer=answer, status=200, at=self.clock.now()))


class LocalClient:
    """The library's client of a host. After the host's death it reaches nothing."""

    def __init__(self, slack: LocalSlack, moment: Moment, is_alive: Callable[[], bool]) -> None:
        self._slack = slack
        self._moment = moment
        self._is_alive = is_alive

    async def api_call(
        self, method: str, *, json: Json | None = None, params: Json | None = None, http_verb: str = "POST"
    ) -> "_Response":
        if not self._is_alive():
            raise SlackApiError("dead", _Response({"error": "dead"}))
        try:
            answer = self._slack.take(method, copied(json or params or {}), is_alive=self._is_alive)
        except SlacksOwnError as error:
            raise SlackApiError(error.name, _Response({"error": error.name}, error.status)) from error
        await self._moment(f"after {method}")
        if self._slack.faults.loses_answer(method):
            raise SlackClientError("The connection broke.")
        return _Response(answer)


class LocalApi(WebApi):
    """The Web API through such a client."""

    def __init__(self, slack: LocalSlack, moment: Moment, is_alive: Callable[[], bool]) -> None:
        super().__init__(AsyncWebClient(slack.tokens.bot), pace=Pace(speed=UNPACED))
        self._moment = moment
        self._client = LocalClient(slack, moment, is_alive)

    async def _attempt(
        self, method: str, arguments: Json, *, is_read: bool, check: Callable[[], None] | None
    ) -> Payload:
        # A moment here too, like the wait for the rate limit: what the bot checks before a call is checked after it.
        await self._moment(f"before {method}")
        return await super()._attempt(method, arguments, is_read=is_read, check=check)


class LocalMessenger(Messenger):
    """Posts into the local Slack."""

    def __init__(self, slack: LocalSlack, moment: Moment, is_alive: Callable[[], bool]) -> None:
        super().__init__(AsyncWebClient(slack.tokens.bot), pace=Pace(speed=UNPACED))
        self._api = LocalApi(slack, moment, is_alive)
        self.shared = SharedChannels(self._api)


@dataclass(frozen=True)
class _Response:
    """A response in the library's form."""

    data: Json
    status_code: int = 200

    @property
    def headers(self) -> Mapping[str, str]:
        return {"retry-after": "0"}

    def get(self, name: str, default: str = "") -> str:
        return str(self.data.get(name, default))


def copied(arguments: Json) -> Json:
    """Return arguments as they arrive over a network."""
    return json.loads(json.dumps(arguments))
