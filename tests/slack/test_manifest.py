"""The manifest requests exactly what the code uses."""

import re
from pathlib import Path

import bot.slack
from bot.slack.manifest import EVENTS, SCOPES, manifest, scopes

METHOD = re.compile(
    r'"((?:agents|auth|apps|assistant|chat|conversations|views|team|usergroups|users|reactions)\.[a-zA-Z.]+)"'
)


def methods_in_the_code() -> set[str]:
    folder = Path(bot.slack.__file__).parent
    code = "".join(path.read_text() for path in folder.rglob("*.py") if path.name != "manifest.py")
    return set(METHOD.findall(code)) | {"auth.test", "apps.connections.open", "bots.info"}


def test_every_method_that_is_called_is_known_and_no_other() -> None:
    assert set(SCOPES) == methods_in_the_code()


def test_the_scopes_are_those_of_methods_and_events() -> None:
    of_shortcuts = {"commands", "files:read"}
    of_calls = {scope for scope in (*SCOPES.values(), *EVENTS.values()) if scope}
    assert of_calls | of_shortcuts == set(scopes(reads_groups=True))
    assert scopes() == manifest()["oauth_config"]["scopes"]["bot"]


def test_user_groups_are_read_only_where_reviewers_are_some() -> None:
    assert {"usergroups:read"} == set(scopes(reads_groups=True)) - set(scopes())
    assert "usergroups:read" in manifest(reads_groups=True)["oauth_config"]["scopes"]["bot"]
    heard = manifest(reads_groups=True)["settings"]["event_subscriptions"]["bot_events"]
    assert ["subteam_members_changed", "subteam_updated"] == [one for one in heard if one.startswith("subteam")]


def test_sockets_and_buttons_are_on() -> None:
    settings = manifest()["settings"]

    assert (True, True) == (settings["socket_mode_enabled"], settings["interactivity"]["is_enabled"])
    assert [
        "agent_session_stopped",
        "app_mention",
        "member_joined_channel",
        "member_left_channel",
        "message.channels",
        "message.groups",
        "message.im",
        "message.mpim",
        "reaction_added",
    ] == settings["event_subscriptions"]["bot_events"]


def test_texts_fit_slack() -> None:
    named = manifest("Askback")

    assert len(named["features"]["agent_view"]["agent_description"]) <= 300
    assert len(named["display_information"]["description"]) <= 140
