"""Uses our two tokens at Slack: the bot token tells who we are, and the app token opens sockets.

If a call fails, the error says what is wrong and how to fix it.
"""

import ssl
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.conversation.address import PersonId, TeamId
from bot.errors import SlackSetupError, SlackUnreachableError
from bot.slack.payloads.identity import Identity

SLACK_HOST: Final = "slack.com"
CHECKING: Final = "users:read"
"""The scope for reading account types."""
UNCHECKED: Final = (
    "Without users:read nobody can be checked, so nobody is answered: each who asks is told to try again."
)
FIX_SCOPES: Final = (
    "Paste the output of `askback manifest` into “App Manifest” of your Slack app, then install it again."
)
_FIX_ADDRESS: Final = "Correct SLACK_API_URL, or unset it to use Slack's own address."
_FIX_NETWORK: Final = "Check the network of this machine, its proxy and its firewall, then try again."


@dataclass(frozen=True, kw_only=True)
class Request:
    """A call: the fields that its answer must hold, and what a refusal means."""

    holds: tuple[str, ...] = ()
    refused: str
    how_to_fix: str


BOT_TOKEN: Final = Request(
    holds=("team_id", "user_id"),
    refused="Slack refuses the bot token",
    how_to_fix="Set SLACK_BOT_TOKEN to the bot token (xoxb-…) under “OAuth & Permissions” of your Slack app.",
)
APP_TOKEN: Final = Request(
    holds=("url",),
    refused="Slack opens no socket for the app token",
    how_to_fix="Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write, and turn Socket Mode on.",
)

_DOWN: Final = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)
"""What Slack, or what stands before it, says for a while; a server that does not know the method is another one."""

# What the library raises if an answer is no JSON object is no error of its own.
_FAULTS: Final = (SlackClientError, aiohttp.ClientError, OSError, ValueError, TypeError, AttributeError)


async def identify(client: AsyncWebClient) -> Identity:
    """Return the identity of the client's token. Raises `SlackSetupError` if the token is invalid."""
    who = await answered(client.auth_test(), BOT_TOKEN, url=client.base_url)
    me = identity_from(who.data)
    if CHECKING not in granted_scopes(who, default=CHECKING):
        structlog.get_logger().warning("nobody_can_be_checked", missing=CHECKING, what=UNCHECKED, how_to_fix=FIX_SCOPES)
        return me
    return replace(me, app=await _app_of(client, me))


async def _app_of(client: AsyncWebClient, me: Identity) -> str:
    """Return the id of our app; empty if Slack does not say. The socket has the app's own token anyway."""
    try:
        answer: Any = await client.bots_info(bot=me.bot)
        return str(answer["bot"]["app_id"])
    except (*_FAULTS, LookupError):
        return ""


def granted_scopes(response: Any, *, default: str = "") -> frozenset[str]:
    """Return the scopes that Slack names in an answer."""
    headers: dict[str, str] = {name.lower(): value for name, value in response.headers.items()}
    return frozenset(scope.strip() for scope in headers.get("x-oauth-scopes", default).split(","))


def identity_from(who: Any) -> Identity:
    """Return the identity in an answer of `auth.test`. Raises `SlackSetupError` if the token is a person's."""
    if not who.get("bot_id"):
        raise SlackSetupError("SLACK_BOT_TOKEN is the token of a person, not of a bot.", BOT_TOKEN.how_to_fix)
    return Identity(
        team=TeamId(who["team_id"]),
        bot_user=PersonId(who["user_id"]),
        bot=who["bot_id"],
        enterprise=who.get("enterprise_id") or "",
    )


async def socket_address(client: AsyncWebClient, app_token: str) -> str:
    """Return the address for a new socket. Raises `SlackSetupError` if Slack gives none."""
    answer: Any = await answered(client.apps_connections_open(app_token=app_token), APP_TOKEN, url=client.base_url)
    return str(answer["url"])


async def answered(call: Awaitable[AsyncSlackResponse], request: Request, *, url: str) -> AsyncSlackResponse:
    """Return the answer to a Web API call at `url`. Raises `SlackSetupError` if the answer is not the expected one."""
    try:
        answer = await call
        is_whole = all(answer.get(field) for field in request.holds)
    except _FAULTS as error:
        raise _explained(error, request, url) from error
    if not is_whole:
        raise _not_slack(url)
    return answer


def _explained(error: Exception, request: Request, url: str) -> SlackSetupError:
    if isinstance(error, aiohttp.InvalidURL):
        return SlackUnreachableError(f"SLACK_API_URL is not an address: {url}.", _FIX_ADDRESS)
    if isinstance(error, aiohttp.ClientError | OSError):
        return SlackUnreachableError(f"Slack cannot be reached at {url}: {_obstacle(error)}.", _fix_for(url))
    code, status = _code_and_status(error)
    if status in _DOWN:
        return SlackUnreachableError(f"Slack does not answer just now (status {status}).", "Try again in a minute.")
    if not code:
        return _not_slack(url)
    return SlackSetupError(f"{request.refused}: {code}.", request.how_to_fix)


def _not_slack(url: str) -> SlackSetupError:
    return SlackUnreachableError(f"What answers at {url} is not Slack.", _fix_for(url))


def _fix_for(url: str) -> str:
    return _FIX_NETWORK if urlsplit(url).hostname == SLACK_HOST else _FIX_ADDRESS


def _obstacle(error: Exception) -> str:
    cause = getattr(error, "os_error", error)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is not known"
    if isinstance(error, aiohttp.ClientSSLError) or isinstance(cause, ssl.SSLError):
        return "it shows no certificate that this machine trusts"
    if isinstance(cause, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return f"the connection failed ({type(error).__name__})"


def _code_and_status(error: Any) -> tuple[str, int]:
    """Return Slack's error name, empty if the answer is not Slack's, and the HTTP status."""
    response: Any = getattr(error, "response", None)
    said: Any = getattr(response, "data", None)
    is_slacks = isinstance(said, Mapping) and "error" in said
    code = str(cast("Any", said)["error"]) if is_slacks else ""
    return code, int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or HTTPStatus.OK)
