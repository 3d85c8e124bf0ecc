"""The Bolt app: a table of listeners, one error handler, and the sockets that feed it."""

import re
import secrets
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.address import PersonId, TeamId
from bot.conversation.inputs import Intake
from bot.errors import SlackError
from bot.slack.api.messenger import Messenger
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.blocks import buttons
from bot.slack.listeners.events import Identity
from bot.slack.listeners.handlers import Listeners
from bot.slack.listeners.review_handlers import ReviewListeners

SOCKETS: Final = 2
"""The library closes a socket before it opens the next; meanwhile the other one listens. Slack allows ten."""


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


async def identify(client: AsyncWebClient) -> Identity:
    """Ask Slack who the client's token is; raise `SlackError` where it is nobody."""
    try:
        who = await client.auth_test()
    except SlackApiError as error:
        raise SlackError(f"Slack does not know the bot token: {error}") from error
    return identity_from(who.data)


def identity_from(who: Any) -> Identity:
    """Return the identity that an answer of `auth.test` states."""
    return Identity(team=TeamId(who["team_id"]), bot_user=PersonId(who["user_id"]), bot=who["bot_id"])


@asynccontextmanager
async def connect(
    app: AsyncApp, app_token: str, *, sockets: int = SOCKETS, ping_seconds: float = 5.0
) -> AsyncGenerator[None]:
    """Let Slack's payloads reach the app while the context is open; a dead socket is noticed at the next ping."""
    async with AsyncExitStack() as stack:
        for _ in range(sockets):
            handler = AsyncSocketModeHandler(app, app_token, ping_interval=ping_seconds)
            stack.push_async_callback(handler.close_async)
            await handler.connect_async()
        yield


def _authorize(client: AsyncWebClient, me: Identity):  # noqa: ANN202 (Bolt looks at the argument names)
    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:  # noqa: ARG001 (as above)
        return AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_token=client.token, bot_id=me.bot, bot_user_id=me.bot_user
        )

    return authorize
