"""Small bots on the real Bolt, for tests of the playground."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol, cast

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from playground import Playground


class WebApi(Protocol):
    """Slack's methods, as the SDK's client has them. To the SDK any value of any answer may be missing."""

    retry_handlers: list[Any]

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]: ...


def web_api(playground: Playground, token: str | None = None) -> WebApi:
    """Return the SDK's client with this token, which is the bot's if none is given."""
    return cast("WebApi", AsyncWebClient(token or playground.bot_token, base_url=playground.api_url))


def bolt(playground: Playground) -> AsyncApp:
    """A Bolt app that acknowledges after its listeners."""
    client = AsyncWebClient(playground.bot_token, base_url=playground.api_url)
    # Without a name Bolt looks through the sources of all modules for one.
    app = AsyncApp(name="bot", client=client, process_before_response=True)

    @app.event({"type": "message", "subtype": "message_changed"})
    @app.event({"type": "message", "subtype": "message_deleted"})
    async def ignore() -> None: ...

    return app


@asynccontextmanager
async def running(app: AsyncApp, playground: Playground, *, sockets: int = 1) -> AsyncGenerator[None]:
    """The app, connected."""
    handlers = [AsyncSocketModeHandler(app, playground.app_token, ping_interval=2) for _ in range(sockets)]
    for handler in handlers:
        await handler.connect_async()
    await playground.until(lambda: playground.sockets.connection_count >= sockets)
    try:
        yield
    finally:
        for handler in handlers:
            await handler.close_async()
