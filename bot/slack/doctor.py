"""Tells what is wrong with the connection to Slack, and how to mend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.manifest import scopes
from bot.slack.reviewers import groups_in


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    ok: bool
    what: str
    how_to_mend: str = ""


async def examine(
    client: AsyncWebClient, app_token: str, review_channel: str | None = None, reviewers: str = ""
) -> list[Finding]:
    """Look at the bot token, its scopes, whether a socket can be opened, and whether reviewers can be reached."""
    groups = groups_in(reviewers)
    findings = [*await _examine_bot_token(client, groups), await _examine_app_token(client, app_token)]
    channels = [await _examine_review_channel(client, review_channel)] if review_channel else []
    return [*findings, *channels, *[await _examine_group(client, group) for group in groups]]


async def _examine_bot_token(client: AsyncWebClient, groups: Sequence[str]) -> list[Finding]:
    try:
        who = await client.auth_test()
    except (SlackClientError, OSError) as error:
        mend = "Set SLACK_BOT_TOKEN to the bot token (xoxb-…) under “OAuth & Permissions” of your Slack app."
        return [Finding(ok=False, what=f"Slack refuses the bot token: {_reason(error)}.", how_to_mend=mend)]
    known = Finding(ok=True, what=f"The bot is {who['user']} in {who['team']}.")
    return [known, scopes_finding(_granted_scopes(who), reads_groups=bool(groups))]


def scopes_finding(granted: str, *, reads_groups: bool = False) -> Finding:
    """Return what the scopes that Slack names in its answers allow."""
    missing = sorted(set(scopes(reads_groups=reads_groups)) - {scope.strip() for scope in granted.split(",")})
    if not missing:
        return Finding(ok=True, what="The bot has every scope it needs.")
    mend = "Paste the output of `askback manifest` into “App Manifest” of your Slack app, then install it again."
    return Finding(ok=False, what=f"The bot lacks the scopes {', '.join(missing)}.", how_to_mend=mend)


async def _examine_app_token(client: AsyncWebClient, app_token: str) -> Finding:
    try:
        await client.apps_connections_open(app_token=app_token)
    except (SlackClientError, OSError) as error:
        mend = "Set SLACK_APP_TOKEN to an app-level token (xapp-…) with connections:write, and turn Socket Mode on."
        return Finding(ok=False, what=f"Slack opens no socket: {_reason(error)}.", how_to_mend=mend)
    return Finding(ok=True, what="Slack opens sockets for the app.")


async def _examine_review_channel(client: AsyncWebClient, channel: str) -> Finding:
    try:
        await client.conversations_history(channel=channel, limit=1)
    except (SlackClientError, OSError) as error:
        mend = "Invite the bot to the channel whose id is in ASKBACK_REVIEW_CHANNEL, or set another one."
        return Finding(ok=False, what=f"The bot is not in the reviewers' channel: {_reason(error)}.", how_to_mend=mend)
    return Finding(ok=True, what="The bot is in the reviewers' channel.")


async def _examine_group(client: AsyncWebClient, group: str) -> Finding:
    try:
        people = (await client.usergroups_users_list(usergroup=group)).get("users") or ()
    except (SlackClientError, OSError) as error:
        mend = "Set ASKBACK_REVIEWERS to ids of people or user groups, and grant what `askback manifest` then asks for."
        return Finding(ok=False, what=f"Slack does not say who is in {group}: {_reason(error)}.", how_to_mend=mend)
    return Finding(ok=True, what=f"Of the user group {group}, {len(people)} may decide reviews.")


def _granted_scopes(response: Any) -> str:
    headers: dict[str, str] = {name.lower(): value for name, value in response.headers.items()}
    return headers.get("x-oauth-scopes", "")


def _reason(error: Exception) -> str:
    return _slacks_word(error) if isinstance(error, SlackApiError) else type(error).__name__


def _slacks_word(error: Any) -> str:
    return str(error.response.get("error"))
