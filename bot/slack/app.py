"""The Bolt app: a table of listeners, one error handler, and the sockets that feed it."""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.inputs import Intake
from bot.errors import SlackUnreachableError
from bot.logs import library_logger
from bot.slack.api.messenger import Messenger
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.blocks import buttons
from bot.slack.introducing import socket_address
from bot.slack.listeners.events import Identity
from bot.slack.listeners.handlers import Listeners
from bot.slack.listeners.review_handlers import ReviewListeners

SOCKETS: Final = 2
"""The library closes a socket before it opens the next; meanwhile the other one listens. Slack allows ten."""
FIRST_CONNECT_SECONDS: Final = 20.0
"""How long a first socket may take to open."""


def build_app(
    client: AsyncWebClient, intake: Intake, *, messenger: Messenger, errands: BackgroundTasks, identity: Identity,
    reviews: ReviewListeners | None = None,
) -> AsyncApp:  # fmt: skip
    """Return the app of one installation; it acknowledges a payload when the intake has stored it."""
    app = AsyncApp(
        # Bolt takes the token from `authorize`, and warns of one that comes with the client.
        client=AsyncWebClient(base_url=client.base_url, session=client.session),
        authorize=_authorize(client, identity),
        process_before_response=True,
        # Sockets carry no signatures; a request by any other way meets a secret that nobody knows.
        signing_secret=secrets.token_hex(),
        # Bolt also reads SLACK_BOT_TOKEN from the environment, and warns that it does not use it.
        logger=library_logger("slack_bolt.askback", without="`token` will be unused"),
    )
    listeners = Listeners(intake, messenger, errands, identity)
    app.event("app_mention")(listeners.hear)
    app.event("message")(listeners.hear)
    app.event("agent_session_stopped")(listeners.stop)
    app.event("reaction_added")(listeners.stop)
    app.event(re.compile(""))(listeners.ignore)
    if reviews is not None:
        app.action(re.compile(f"^{buttons.OF_REVIEWS}"))(reviews.act)
        app.view(re.compile(f"^{buttons.OF_REVIEWS}"))(reviews.submit)
    app.action(re.compile(""))(listeners.act)
    app.view(buttons.TYPED_ANSWER)(listeners.submit)
    app.error(listeners.apologise)
    return app


@asynccontextmanager
async def connect(
    app: AsyncApp, app_token: str, *, sockets: int = SOCKETS, ping_seconds: float = 5.0
) -> AsyncGenerator[None]:
    """Let Slack's payloads reach the app while the context is open; a dead socket is noticed at the next ping.

    Raises `SlackSetupError` if Slack opens none. Later, the library opens a lost one again, however long that takes.
    """
    async with AsyncExitStack() as stack:
        for _ in range(sockets):
            handler = AsyncSocketModeHandler(app, app_token, ping_interval=ping_seconds)
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
        mend = "Check whether a proxy or firewall lets web sockets through, then try again."
        raise SlackUnreachableError(f"Slack answers, but no socket can be opened to {host}.", mend) from error


def _authorize(client: AsyncWebClient, me: Identity):  # noqa: ANN202 (Bolt looks at the argument names)
    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:  # noqa: ARG001 (as above)
        return AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_token=client.token, bot_id=me.bot, bot_user_id=me.bot_user
        )

    return authorize
