"""Checks the connection to Slack, and says how to repair it."""

from collections.abc import Awaitable, Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial

from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import SlackSetupError, SlackUnreachableError
from bot.slack.api.tokens import (
    BOT_TOKEN,
    CHECKING,
    FIX_SCOPES,
    UNCHECKED,
    Request,
    answered,
    granted_scopes,
    identity_from,
    socket_address,
)
from bot.slack.manifest import scopes
from bot.slack.people.reviewers import groups_in


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The result of one check."""

    ok: bool
    what: str
    how_to_fix: str = ""
    is_urgent: bool = True
    """Whether the bot cannot work until it is repaired."""


def fine(what: str, hint: str = "") -> CheckResult:
    """Return that something is as it should be, perhaps with a hint what else is possible."""
    return CheckResult(ok=True, what=what, how_to_fix=hint)


def warning(what: str, how_to_fix: str) -> CheckResult:
    """Return what is wrong, and does not keep the bot from working."""
    return CheckResult(ok=False, what=what, how_to_fix=how_to_fix, is_urgent=False)


def fault(what: str, how_to_fix: str = "") -> CheckResult:
    """Return what keeps the bot from working."""
    return CheckResult(ok=False, what=what, how_to_fix=how_to_fix)


async def examine(
    client: AsyncWebClient, app_token: str, review_channel: str | None = None, reviewers: str = ""
) -> list[CheckResult]:
    """Look at the bot token, its scopes, whether a socket can be opened, and whether reviewers can be reached."""
    groups = groups_in(reviewers)
    looks: list[Callable[[], Awaitable[list[CheckResult]]]] = [
        partial(_look_at_bot_token, client, reads_groups=bool(groups)),
        partial(_look_at_app_token, client, app_token),
        *([partial(_look_at_review_channel, client, review_channel)] if review_channel else []),
        *[partial(_look_at_group, client, group) for group in groups],
    ]
    findings: list[CheckResult] = []
    for look in looks:
        try:
            findings += await look()
        except SlackSetupError as error:
            findings.append(fault(error.what, error.how_to_fix))
            if isinstance(error, SlackUnreachableError):
                # The next call would say the same.
                break
    return findings


def scopes_finding(granted: AbstractSet[str], *, reads_groups: bool = False) -> CheckResult:
    """Return what the scopes that Slack names in its answers allow."""
    missing = sorted(set(scopes(reads_groups=reads_groups)) - granted)
    if not missing:
        return fine("The bot has every scope it needs.")
    follows = f" {UNCHECKED}" if CHECKING in missing else ""
    return fault(f"The bot lacks the scopes {', '.join(missing)}.{follows}", FIX_SCOPES)


async def _look_at_bot_token(client: AsyncWebClient, *, reads_groups: bool) -> list[CheckResult]:
    who = await answered(client.auth_test(), BOT_TOKEN, url=client.base_url)
    identity_from(who.data)
    known = fine(f"The bot is {who['user']} in {who['team']}.")
    return [known, scopes_finding(granted_scopes(who), reads_groups=reads_groups)]


async def _look_at_app_token(client: AsyncWebClient, app_token: str) -> list[CheckResult]:
    await socket_address(client, app_token)
    return [fine("Slack opens sockets for the app.")]


async def _look_at_review_channel(client: AsyncWebClient, channel: str) -> list[CheckResult]:
    reading = Request(
        refused="The bot is not in the reviewers' channel",
        how_to_fix="Invite the bot to the channel whose id is in ASKBACK_REVIEW_CHANNEL, or set another one.",
    )
    await answered(client.conversations_history(channel=channel, limit=1), reading, url=client.base_url)
    return [fine("The bot is in the reviewers' channel.")]


async def examine_groups(client: AsyncWebClient, groups: Collection[str]) -> list[CheckResult]:
    """Look whether Slack says who is in the user groups with which documents are shared."""
    fix = "Share with another group, or grant what `askback manifest --groups` asks for. Until then nobody reads as it."
    findings: list[CheckResult] = []
    for group in groups:
        try:
            people = await _people_in(client, group, fix)
            findings.append(fine(f"Documents are shared with the user group {group} ({people} people)."))
        except SlackSetupError as error:
            findings.append(warning(error.what, error.how_to_fix))
    return findings


async def _look_at_group(client: AsyncWebClient, group: str) -> list[CheckResult]:
    fix = "Set ASKBACK_REVIEWERS to ids of people or user groups, and grant what `askback manifest` then asks for."
    people = await _people_in(client, group, fix)
    return [fine(f"Of the user group {group}, {people} may decide reviews.")]


async def _people_in(client: AsyncWebClient, group: str, fix: str) -> int:
    listing = Request(refused=f"Slack does not say who is in {group}", how_to_fix=fix)
    answer = await answered(client.usergroups_users_list(usergroup=group), listing, url=client.base_url)
    return len(answer.get("users") or ())
