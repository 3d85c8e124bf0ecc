"""Each problem with the connection to Slack is named, with a way to fix it."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.doctor import examine, scopes_finding
from bot.slack.manifest import scopes
from playground import Playground
from tests.slack.strangers import NOT_SLACK, serving


async def test_a_sound_installation_has_nothing_to_fix(playground: Playground, client: AsyncWebClient) -> None:
    findings = await examine(client, playground.app_token)

    assert "The bot is askback in Lumen & Pine." == findings[0].what
    assert "Slack opens sockets for the app." == findings[-1].what


async def test_wrong_tokens_are_named_with_where_to_find_the_right_ones(playground: Playground) -> None:
    findings = await examine(AsyncWebClient("xoxb-wrong", base_url=playground.api_url), "xapp-wrong")

    assert [False, False] == [finding.ok for finding in findings]
    assert ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"] == [finding.how_to_fix.split()[1] for finding in findings]


def test_missing_scopes_are_named() -> None:
    finding = scopes_finding({*scopes()} - {"im:write"})

    assert (False, "The bot lacks the scopes im:write.") == (finding.ok, finding.what)
    assert "askback manifest" in finding.how_to_fix


def test_enough_scopes_are_enough() -> None:
    assert scopes_finding({*scopes(), "files:read"}).ok


def test_what_follows_where_nobody_can_be_checked_is_said() -> None:
    finding = scopes_finding({*scopes()} - {"users:read"})

    assert "nobody is answered" in finding.what


async def test_whether_slack_says_who_is_in_a_group_is_said(playground: Playground, client: AsyncWebClient) -> None:
    playground.workspace.groups["S0PEOPLE"] = ["U0CHIARA", "U0DEV"]
    known, unknown = (await examine(client, playground.app_token, "C0PEOPLE", "U0ADA, S0PEOPLE, S0WRONG"))[-2:]

    assert (True, "Of the user group S0PEOPLE, 2 may decide reviews.") == (known.ok, known.what)
    assert (False, "Slack does not say who is in S0WRONG: no_such_subteam.") == (unknown.ok, unknown.what)


async def test_whether_the_bot_can_reach_its_reviewers_is_said(playground: Playground, client: AsyncWebClient) -> None:
    inside = (await examine(client, playground.app_token, "C0PEOPLE"))[-1]
    outside = (await examine(client, playground.app_token, "C0RANDOM"))[-1]

    assert (True, "The bot is in the reviewers' channel.") == (inside.ok, inside.what)
    assert not outside.ok
    assert "ASKBACK_REVIEW_CHANNEL" in outside.how_to_fix


@pytest.mark.parametrize("kind", NOT_SLACK)
async def test_what_is_not_slack_is_one_finding_about_the_address(kind: str) -> None:
    async with serving(NOT_SLACK[kind]) as address:
        findings = await examine(AsyncWebClient("xoxb-x", base_url=address), "xapp-x")

    assert [f"What answers at {address} is not Slack."] == [finding.what for finding in findings]
    assert "SLACK_API_URL" in findings[0].how_to_fix


async def test_a_server_that_does_not_know_the_method_is_not_slack() -> None:
    async with serving(NOT_SLACK["a page"], status=501) as address:
        findings = await examine(AsyncWebClient("xoxb-x", base_url=address), "xapp-x")

    assert [f"What answers at {address} is not Slack."] == [finding.what for finding in findings]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_slack_that_is_down_says_nothing_about_the_token(status: int) -> None:
    async with serving(NOT_SLACK["a page"], status=status) as address:
        findings = await examine(AsyncWebClient("xoxb-x", base_url=address), "xapp-x")

    assert [f"Slack does not answer just now (status {status})."] == [finding.what for finding in findings]


@pytest.mark.parametrize(
    ("address", "obstacle"),
    [
        ("http://127.0.0.1:9/", "the connection was refused"),
        ("http://slack.invalid/", "its name is not known"),
        ("https://", "is not an address"),
    ],
)
async def test_a_slack_that_cannot_be_reached_is_one_finding_about_the_address(address: str, obstacle: str) -> None:
    findings = await examine(AsyncWebClient("xoxb-x", base_url=address), "xapp-x")

    assert [False] == [finding.ok for finding in findings]
    assert obstacle in findings[0].what
    assert "SLACK_API_URL" in findings[0].how_to_fix
    assert "TOKEN" not in findings[0].how_to_fix


async def test_the_token_of_a_person_is_named() -> None:
    person = '{"ok": true, "team_id": "T1", "user_id": "U1", "user": "ada", "team": "Lumen"}'
    async with serving({"text": person, "content_type": "application/json"}) as address:
        finding = (await examine(AsyncWebClient("xoxp-1", base_url=address), "xapp-1"))[0]

    assert "the token of a person" in finding.what
