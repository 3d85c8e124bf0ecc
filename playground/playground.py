"""The playground: serves a local Slack, and gives tests the means to act and to observe."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, TypeVar

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
    """A local Slack on the loopback interface."""

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
        """Serve a workspace, by default the sample. Port 0 takes a free port, and so does one that is taken.

        With a `state_file`, the saved state wins over `workspace` and `tokens`, and every change is saved. Raises
        `StateInUseError` if another playground uses the file, `StateUnreadableError` if the file holds something else,
        and `ValueError` if the host is not the loopback interface.
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
        """The base URL, with a final slash."""
        return self._slack.url

    @property
    def port(self) -> int:
        """The port of all addresses."""
        return int(self.url.rstrip("/").rpartition(":")[2])

    @property
    def page_url(self) -> str:
        """The page's address, with its key."""
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
        """The app-level token, which opens sockets."""
        return self._slack.tokens.app

    @property
    def control_token(self) -> str:
        """The token of the control API, for another process."""
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
        """The playground's clock, which tests can move."""
        return self._slack.clock

    @property
    def faults(self) -> Faults:
        """The faults to inject."""
        return self._slack.faults

    @property
    def sockets(self) -> SocketMode:
        """The bot's connections."""
        return self._slack.sockets

    def person(self, member_id: str) -> Person:
        """Return a person to act as. Raises `KeyError` if there is none."""
        return Person(self._slack, self._slack.workspace.members[member_id])

    def thread(self, channel: str, root_ts: str) -> list[Json]:
        """Return a thread's messages, the root first; empty if there is no thread."""
        return self._slack.workspace.channels[channel].thread(root_ts)

    def messages(self, channel: str) -> list[Json]:
        """Return all messages of a channel, with replies, in the order of writing."""
        return list(self._slack.workspace.channels[channel].messages.values())

    def calls(self, method: str | None = None) -> list[Call]:
        """Return the Web API calls so far, in order, optionally of one method."""
        return [call for call in self._slack.calls if method in (None, call.method)]

    def deliveries(self, about: str | None = None) -> list[Delivery]:
        """Return the deliveries so far, in order, optionally of one type."""
        return [delivery for delivery in self._slack.deliveries if about in (None, delivery.about)]

    def status(self, channel: str, thread_ts: str) -> str:
        """Return the bot's status in a thread."""
        return str(self._slack.statuses.get((channel, thread_ts), {}).get("status", ""))

    def session(self, channel: str, thread_ts: str) -> str:
        """Return the state of a thread's agent session; empty if the bot has not set one."""
        return self._slack.sessions.get((channel, thread_ts), "")

    def deliver(self, payload: Json) -> Delivery:
        """Deliver any payload: an event's envelope, an interaction, a command."""
        return self._slack.deliver(payload)

    def until(
        self, condition: Callable[[], T | Literal[False] | None], timeout: float = 120.0
    ) -> Coroutine[Any, Any, T]:
        """Wait until the condition is true, and return its value. It is checked after every change and now and then.

        Raises `TimeoutError` after the timeout.
        """
        return self._slack.changes.until(condition, timeout)

    def cut_pages(self) -> None:
        """Close the pages' event streams without warning, as a network failure does."""
        self._slack.changes.publish({"type": "cut"})

    def cut_sockets(self) -> None:
        """Close every socket of the bot without warning."""
        self._slack.sockets.cut()


@asynccontextmanager
async def _served(slack: Slack, host: str, port: int) -> AsyncGenerator[None]:
    runner = web.AppRunner(application(slack), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError:
            await web.TCPSite(runner, host, 0).start()
        slack.url = f"http://{host}:{runner.addresses[0][1]}/"
        async with ageing(slack):
            yield
    finally:
        await slack.sockets.close()
        await runner.cleanup()
