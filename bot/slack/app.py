"""The Bolt app: a table of listeners, and one error handler."""

import re
import secrets
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.conversation.inputs import Intake
from bot.logs import library_logger
from bot.slack.background_tasks import BackgroundTasks
from bot.slack.blocks import buttons
from bot.slack.listeners.access_check import AccessCheck
from bot.slack.listeners.events import Identity, names_us
from bot.slack.listeners.handlers import Listeners, NoteThread
from bot.slack.listeners.keep_handlers import KeepListeners
from bot.slack.listeners.kept_handlers import KeptListeners
from bot.slack.listeners.membership_handlers import MembershipListeners
from bot.slack.listeners.mode_handlers import ModeListeners
from bot.slack.listeners.review_handlers import ReviewListeners
from bot.slack.listeners.shapes import kind_of


def build_app(
    client: AsyncWebClient, intake: Intake, *, access_check: AccessCheck, tasks: BackgroundTasks,
    reviews: ReviewListeners | None = None, moves: MembershipListeners | None = None,
    keeps: KeepListeners | None = None, kept: KeptListeners | None = None, modes: ModeListeners | None = None,
    note_thread: NoteThread | None = None,
) -> AsyncApp:  # fmt: skip
    """Return the app of one installation; it acknowledges a payload when the intake has stored it."""
    app = AsyncApp(
        # Without a name Bolt looks through the sources of all modules for one, at each start.
        name="askback",
        # Bolt takes the token from `authorize`, and warns of one that comes with the client.
        client=AsyncWebClient(base_url=client.base_url, session=client.session),
        authorize=_authorize(client, access_check.people.me),
        process_before_response=True,
        # Sockets carry no signatures; a request by any other way meets a secret that nobody knows.
        signing_secret=secrets.token_hex(),
        # Bolt also reads SLACK_BOT_TOKEN from the environment, and warns that it does not use it.
        logger=library_logger("slack_bolt.askback", without="`token` will be unused"),
    )
    app.middleware(_only_ours(access_check.people.me))
    listeners = Listeners(intake, access_check, tasks, keeps, modes, note_thread=note_thread)
    app.event("app_mention")(listeners.hear)
    app.event("message")(listeners.hear)
    app.event("agent_session_stopped")(listeners.stop)
    app.event("reaction_added")(listeners.stop)
    if moves is not None:
        app.event("member_joined_channel")(moves.hear)
        app.event("member_left_channel")(moves.hear)
        app.event("subteam_members_changed")(moves.hear_group)
        app.event("subteam_updated")(moves.hear_group)
    app.event(re.compile(""))(listeners.ignore)
    if reviews is not None:
        app.action(re.compile(f"^{buttons.OF_REVIEWS}"))(reviews.act)
        app.view(re.compile(f"^{buttons.OF_REVIEWS}"))(reviews.submit)
    if keeps is not None:
        app.action(re.compile(f"^{buttons.OF_VERIFIED}"))(keeps.act)
    if kept is not None:
        app.action(re.compile(f"^{buttons.OF_KEPT}"))(kept.act)
        app.view(re.compile(f"^{buttons.OF_KEPT}"))(kept.submit)
    if modes is not None:
        app.action(re.compile(f"^{buttons.OF_MODES}"))(modes.act)
    app.action(re.compile(""))(listeners.act)
    app.view(re.compile(""))(listeners.submit)
    app.error(listeners.apologise)
    return app


def _only_ours(me: Identity):  # noqa: ANN202 (Bolt looks at the argument names)
    async def only_ours(body: dict[str, Any], next: Callable[[], Awaitable[None]]) -> BoltResponse | None:  # noqa: A002 (as above)
        """Acknowledge and drop what is meant for another installation of the app, or for another app."""
        if names_us(body, me):
            return await next()
        structlog.get_logger().warning("foreign_payload_dropped", kind=kind_of(body))
        return BoltResponse(status=HTTPStatus.OK)

    return only_ours


def _authorize(client: AsyncWebClient, me: Identity):  # noqa: ANN202 (Bolt looks at the argument names)
    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:  # noqa: ARG001 (as above)
        return AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_token=client.token, bot_id=me.bot, bot_user_id=me.bot_user
        )

    return authorize
