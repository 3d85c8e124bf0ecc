"""A playground in another process: the same actions and observations, over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeVar

from aiohttp import ClientSession, ClientTimeout

from playground.errors import SlackError
from playground.wire import Json

T = TypeVar("T")


class RemotePerson:
    """A person to act as, with the same actions and arguments as `Person`."""

    def __init__(self, session: ClientSession, member_id: str) -> None:
        self._session = session
        self.id = member_id

    async def act(self, act: str, **arguments: Any) -> Any:
        """Act. Raises `SlackError` if Slack refuses."""
        async with self._session.post(f"control/people/{self.id}/{act}", json=arguments) as response:
            answer: Json = await response.json()
        if not answer["ok"]:
            raise SlackError(answer["error"])
        return answer["result"]

    async def post(self, channel: str, text: str, *, thread_ts: str | None = None, mention_bot: bool = False) -> str:
        """Write a message; return its ts."""
        said = {"channel": channel, "text": text, "thread_ts": thread_ts, "mention_bot": mention_bot}
        return str(await self.act("post", **said))

    async def click(self, channel: str, ts: str, **named: str) -> Json:
        """Press the element with this `action_id`, `label` or `value`; return the delivery."""
        return await self.act("click", channel=channel, ts=ts, **named)

    async def submit(self, view_id: str, values: Json) -> Json:
        """Submit a modal; return the bot's response."""
        return await self.act("submit", view=view_id, values=values)


class RemotePlayground:
    """A client of a playground's control API."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, control_token: str) -> "AsyncGenerator[RemotePlayground]":
        """Connect to the playground at `url`, which ends with a slash."""
        headers = {"Authorization": f"Bearer {control_token}"}
        async with ClientSession(url, headers=headers, raise_for_status=_raise_but_refusals) as session:
            yield cls(session)

    def person(self, member_id: str) -> RemotePerson:
        """Return a person to act as."""
        return RemotePerson(self._session, member_id)

    async def state(self) -> Json:
        """Return the whole state."""
        return await self._get("control/state")

    async def thread(self, channel: str, root_ts: str) -> list[Json]:
        """Return a thread's messages, the root first."""
        return await self._get("control/thread", channel=channel, root_ts=root_ts)

    async def calls(self, method: str | None = None) -> list[Json]:
        """Return the Web API calls so far, optionally of one method."""
        return [call for call in await self._get("control/calls") if method in (None, call["method"])]

    async def deliveries(self, about: str | None = None) -> list[Json]:
        """Return the deliveries so far, optionally of one type."""
        return [delivery for delivery in await self._get("control/deliveries") if about in (None, delivery["about"])]

    async def fault(self, fault: str, **arguments: Any) -> None:
        """Inject a fault: a method of `Faults`, `cut_sockets` or `refresh`."""
        await self._session.post(f"control/faults/{fault}", json=arguments)

    async def advance(self, seconds: float) -> None:
        """Move the playground's clock ahead."""
        await self._session.post("control/clock", json={"seconds": seconds})

    def until(self, condition: Callable[[], Awaitable[T]], timeout: float = 120.0) -> Awaitable[T]:
        """Wait until the condition is true, and return its value. Raises `TimeoutError` after the timeout."""
        return asyncio.wait_for(self._until(condition), timeout)

    async def _until(self, condition: Callable[[], Awaitable[T]]) -> T:
        async with self._session.get("control/changes", timeout=ClientTimeout(total=None)) as changes:
            async for line in changes.content:
                if line.strip() and (found := await condition()):
                    return found
        raise ConnectionError("the playground went away")

    async def _get(self, path: str, **query: str) -> Any:
        async with self._session.get(path, params=query) as response:
            return json.loads(await response.text())


async def _raise_but_refusals(response: Any) -> None:
    if response.status != HTTPStatus.BAD_REQUEST:
        response.raise_for_status()
