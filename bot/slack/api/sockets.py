"""The sockets by which Slack's payloads come.

A payload that we could not read is acknowledged, logged by its shape, and dropped: sent again, it would be no better.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import structlog
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from bot.errors import SlackUnreachableError
from bot.slack.api.tokens import socket_address
from bot.slack.payloads.shapes import faults, kind_of

SOCKETS: Final = 2
"""The library closes a socket before it opens the next; meanwhile the other one listens. Slack allows ten."""
FIRST_CONNECT_SECONDS: Final = 20.0
"""How long a first socket may take to open."""


Reopened: TypeAlias = Callable[[], Awaitable[None]]
"""Takes in that payloads may have been lost."""


@asynccontextmanager
async def connect(
    app: AsyncApp,
    app_token: str,
    *,
    reopened: Reopened | None = None,
    sockets: int = SOCKETS,
    ping_seconds: float = 5.0,
) -> AsyncGenerator[None]:
    """Let Slack's payloads reach the app while the context is open; a dead socket is noticed at the next ping.

    `reopened` is called each time that a socket was lost and opened again: payloads may have been lost with it.
    Raises `SlackSetupError` if Slack opens none. Later, the library opens a lost one again, however long that takes.
    """
    async with AsyncExitStack() as stack:
        for _ in range(sockets):
            handler = _CheckedHandler(app, app_token, ping_interval=ping_seconds)
            if reopened:
                handler.client.message_listeners.append(_ReconnectWatch(reopened).hear)
            stack.push_async_callback(handler.close_async)
            # Asked for by the library, a token that Slack refuses would be tried for ever.
            address = handler.client.wss_uri = await socket_address(app.client, app_token)
            await _connect_first(handler, address)
        yield


async def _connect_first(handler: AsyncSocketModeHandler, address: str) -> None:
    try:
        async with asyncio.timeout(FIRST_CONNECT_SECONDS):
            await handler.connect_async()
    except TimeoutError as error:
        # Without the rest of the address, which is a secret.
        host = urlsplit(address).hostname
        fix = "Check whether a proxy or firewall lets web sockets through, then try again."
        raise SlackUnreachableError(f"Slack answers, but no socket can be opened to {host}.", fix) from error


class _ReconnectWatch:
    """Notices that a socket was opened again: Slack greets on each new one."""

    def __init__(self, reopened: Reopened) -> None:
        self._reopened = reopened
        self._is_first = True

    async def hear(self, _client: object, message: Mapping[str, Any], _raw: str | None) -> None:
        if message.get("type") != "hello":
            return
        if not self._is_first:
            await self._reopened()
        self._is_first = False


class _CheckedHandler(AsyncSocketModeHandler):
    """Gives the app the payloads that it can read."""

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:
        if wrong := faults(_payload(req)):
            await self._drop(client, req, wrong)
            return
        try:
            await super().handle(client, req)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Bolt reads more than we do, before it calls a listener; what a listener raises does not come here.
            await self._drop(client, req, [type(error).__name__])

    async def _drop(self, client: SocketModeClient, req: SocketModeRequest, wrong: list[str]) -> None:
        structlog.get_logger().warning("payload_malformed", kind=kind_of(_payload(req)), faults=wrong)
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))


def _payload(request: Any) -> Mapping[str, Any]:
    return request.payload
