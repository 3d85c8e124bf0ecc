"""The Bolt app: a table of listeners, and one error handler."""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.logs import library_logger
from bot.slack.listeners.event_listeners import EventListeners
from bot.slack.listeners.membership_listeners import MembershipListeners
from bot.slack.payloads.identity import Identity, names_us
from bot.slack.payloads.shapes import kind_of

Listener: TypeAlias = Callable[..., Awaitable[None]]
TakeIn: TypeAlias = Callable[[dict[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Takes in a press, a shortcut or a modal; returns how the modal goes on."""


def build_app(
    client: AsyncWebClient,
    listeners: EventListeners,
    *,
    actions: Mapping[str, TakeIn],
    modals: Mapping[str, TakeIn],
    memberships: MembershipListeners,
    offer: Listener,
) -> AsyncApp:
    """Return the app of one installation; it acknowledges a payload when its listener has stored it.

    `actions` are listeners for buttons and shortcuts on messages, and `modals` for modals, by how their ids begin;
    `listeners` gets all others. `modals` return how the modal goes on. `offer` hears every message after `listeners`.
    """
    app = _bolt(client, listeners.me)
    app.middleware(_only_ours(listeners.me))
    app.event("app_mention")(listeners.hear)
    app.event("message")(_after(listeners.hear, offer))
    app.event("agent_session_stopped")(listeners.stop)
    app.event("reaction_added")(listeners.stop)
    for joined_or_left in ("member_joined_channel", "member_left_channel"):
        app.event(joined_or_left)(memberships.hear)
    for changed in ("subteam_members_changed", "subteam_updated"):
        app.event(changed)(memberships.hear_group)
    app.event(re.compile(""))(listeners.ignore)
    for prefix, act in actions.items():
        app.action(re.compile(f"^{prefix}"))(_acknowledged(act))
        app.message_shortcut(re.compile(f"^{prefix}"))(_acknowledged(act))
    for prefix, submit in modals.items():
        app.view(re.compile(f"^{prefix}"))(_acknowledged(submit))
    app.message_shortcut(re.compile(""))(_acknowledged(listeners.ignore))
    app.action(re.compile(""))(_acknowledged(listeners.buttons.act))
    app.view(re.compile(""))(_acknowledged(listeners.buttons.submit))
    app.error(listeners.report)
    return app


def _bolt(client: AsyncWebClient, me: Identity) -> AsyncApp:
    return AsyncApp(
        # Without a name Bolt looks through the sources of all modules for one, at each start.
        name="askback",
        # Bolt takes the token from `authorize`, and warns of one that comes with the client.
        client=AsyncWebClient(base_url=client.base_url, session=client.session),
        authorize=_authorize(client, me),
        process_before_response=True,
        # Sockets carry no signatures; a request by any other way meets a secret that nobody knows.
        signing_secret=secrets.token_hex(),
        # Bolt also reads SLACK_BOT_TOKEN from the environment, and warns that it does not use it.
        logger=library_logger("slack_bolt.askback", without="`token` will be unused"),
    )


def _after(hear: Listener, offer: Listener) -> Listener:
    async def heard(body: dict[str, Any]) -> None:
        await hear(body)
        await offer(body)

    return heard


def _acknowledged(listener: TakeIn) -> Listener:
    """Return a listener for interactions, which Bolt does not acknowledge by itself. A modal's response goes along."""

    async def acknowledged(body: dict[str, Any], ack: AsyncAck) -> None:
        await ack(**(await listener(body) or {}))

    return acknowledged


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
