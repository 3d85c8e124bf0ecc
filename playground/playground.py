"""The playground: a local Slack that is served, and the means to act in it and to look at it."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from playground.guard import is_loopback
from playground.person import Person
from playground.protocol.faults import Faults
from playground.protocol.rate_limits import Limits
from playground.protocol.socket_mode import SocketMode
from playground.server import application
from playground.state import snapshot
from playground.state.clock import Clock
from playground.state.expiry import ageing
from playground.state.slack import RETRY_PAUSES_SECONDS, Slack, Tokens
from playground.state.workspace import Workspace
from playground.wire import Call, Delivery, Json

T = TypeVar("T")


class Playground:
    """A local Slack, served on this machine's loopback."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        workspace: Workspace | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tokens: Mapping[str, str] | None = None,
        state_file: Path | None = None,
        limits: Limits = "off",
        ack_seconds: float = 3.0,
        retry_pauses: Sequence[float] = RETRY_PAUSES_SECONDS,
    ) -> "AsyncGenerator[Playground]":
        """Serve a workspace, the sample one if none is given; port 0 takes a free one.

        With a `state_file` what was saved there comes before `workspace` and `tokens`, and every change is kept.
        Raises `OSError` if the port is taken, `StateInUseError` if another playground has that file, `ValueError` if
        the host is not this machine's loopback.
        """
        if not is_loopback(host):
            raise ValueError(f"{host} is not this machine's loopback")
        with snapshot.held(state_file) if state_file else nullcontext() as tell:
            saved = snapshot.load(state_file) if state_file else None
            kept, secrets = saved or (workspace or Workspace.sample(), Tokens.given(tokens))
            slack = Slack(kept, tokens=secrets, limits=limits, ack_seconds=ack_seconds, retry_pauses=retry_pauses)
            async with _served(slack, host, port), snapshot.kept(slack, state_file) if state_file else nullcontext():
                playground = cls(slack)
                if tell:
                    tell(playground.page_url)
                yield playground

    @property
    def url(self) -> str:
        """Where it is served, ending with a slash."""
        return self._slack.url

    @property
    def page_url(self) -> str:
        """The address of the page, with the key that lets a browser in."""
        return f"{self._slack.url}?key={self.control_token}"

    @property
    def api_url(self) -> str:
        """The Web API's base URL, for `slack_sdk`."""
        return f"{self._slack.url}api/"

    @property
    def bot_token(self) -> str:
        """The app's bot token."""
        return self._slack.tokens.bot

    @property
    def app_token(self) -> str:
        """The token that opens sockets."""
        return self._slack.tokens.app

    @property
    def control_token(self) -> str:
        """The token by which another process may act and look."""
        return self._slack.tokens.control

    @property
    def team_id(self) -> str:
        """The workspace's id."""
        return self._slack.workspace.team_id

    @property
    def bot_user_id(self) -> str:
        """The bot's user id."""
        return self._slack.workspace.bot_user_id

    @property
    def workspace(self) -> Workspace:
        """The state: people, channels, messages."""
        return self._slack.workspace

    @property
    def clock(self) -> Clock:
        """The playground's time, which can be moved ahead."""
        return self._slack.clock

    @property
    def faults(self) -> Faults:
        """What should go wrong next."""
        return self._slack.faults

    @property
    def sockets(self) -> SocketMode:
        """The bot's connections."""
        return self._slack.sockets

    def person(self, member_id: str) -> Person:
        """One of the people, to act as; raises `KeyError` for nobody."""
        return Person(self._slack, self._slack.workspace.members[member_id])

    def thread(self, channel: str, root_ts: str) -> list[Json]:
        """Return a thread's messages, the root first; none if it is not there."""
        return self._slack.workspace.channels[channel].thread(root_ts)

    def messages(self, channel: str) -> list[Json]:
        """All messages of a channel, replies too, in the order of writing."""
        return list(self._slack.workspace.channels[channel].messages.values())

    def calls(self, method: str | None = None) -> list[Call]:
        """Return the Web API calls so far, in order; those of one method, if it is named."""
        return [call for call in self._slack.calls if method in (None, call.method)]

    def deliveries(self, about: str | None = None) -> list[Delivery]:
        """Return what was delivered so far, in order; only events or interactions of one type, if it is named."""
        return [delivery for delivery in self._slack.deliveries if about in (None, delivery.about)]

    def status(self, channel: str, thread_ts: str) -> str:
        """Return what the bot says it is doing in a thread."""
        return str(self._slack.statuses.get((channel, thread_ts), {}).get("status", ""))

    def session(self, channel: str, thread_ts: str) -> str:
        """Return how the agent's session stands that a thread is; empty where the bot has not said so."""
        return self._slack.sessions.get((channel, thread_ts), "")

    def deliver(self, payload: Json) -> Delivery:
        """Deliver a payload as it is, recorded or made up: an event's envelope, an interaction, a command."""
        return self._slack.deliver(payload)

    def until(self, condition: Callable[[], T], timeout: float = 60.0) -> Coroutine[Any, Any, T]:
        """Wait until the condition gives something true, and return it; asked after every change and now and then.

        Raises `TimeoutError` after so many seconds.
        """
        return self._slack.changes.until(condition, timeout)

    def cut_pages(self) -> None:
        """End the lines on which pages hear of changes, as a failing network does."""
        self._slack.changes.publish({"type": "cut"})

    def cut_sockets(self) -> None:
        """End every socket of the bot without a word."""
        self._slack.sockets.cut()


@asynccontextmanager
async def _served(slack: Slack, host: str, port: int) -> AsyncGenerator[None]:
    runner = web.AppRunner(application(slack), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        slack.url = f"http://{host}:{runner.addresses[0][1]}/"
        async with ageing(slack):
            yield
    finally:
        await slack.sockets.close()
        await runner.cleanup()
