"""`auth.*`, `apps.*`, `users.*`, `usergroups.*`, `bots.*`, `team.*`: people, the team, and opening sockets."""

from playground.errors import SlackError
from playground.methods.arguments import page_of, required
from playground.state.slack import Slack
from playground.state.workspace import Member
from playground.wire import Json


def auth_test(slack: Slack, _arguments: Json) -> Json:
    """Return the token's identity."""
    workspace = slack.workspace
    return {
        "url": f"https://{workspace.domain}.slack.com/",
        "team": workspace.team_name,
        "user": workspace.bot.name,
        "team_id": workspace.team_id,
        "user_id": workspace.bot_user_id,
        "bot_id": workspace.bot_id,
        "is_enterprise_install": False,
    }


def connections_open(slack: Slack, _arguments: Json) -> Json:
    """Return the address of a new socket."""
    socket_url = slack.url.replace("http://", "ws://", 1)
    ticket = slack.sockets.give_ticket()
    return {"url": f"{socket_url}link/?ticket={ticket}&app_id={slack.workspace.app_id}"}


def users_info(slack: Slack, arguments: Json) -> Json:
    """Return a person."""
    member = slack.workspace.members.get(str(arguments.get("user", "")))
    if member is None:
        raise SlackError("user_not_found")
    return {"user": _described(slack, member)}


def users_profile(slack: Slack, arguments: Json) -> Json:
    """Return a person's profile, or the bot's, with their own fields, which no other method returns."""
    person = str(arguments.get("user") or slack.workspace.bot_user_id)
    profile: Json = users_info(slack, {"user": person})["user"]["profile"]
    held = {id_: {"value": value, "alt": ""} for id_, value in slack.workspace.members[person].fields.items()}
    named = {name: value for name, value in profile.items() if name != "team"}
    return {"profile": {**named, "fields": held or []}}


def team_profile(slack: Slack, _arguments: Json) -> Json:
    """Return the fields that the workspace has added to profiles."""
    fields = [
        {
            "id": field["id"],
            "ordering": place,
            "field_name": "",
            "label": field["label"],
            "hint": "",
            "type": "text",
            "possible_values": None,
            "options": {"is_scim": False, "is_protected": False},
            "is_hidden": False,
            **field,
        }
        for place, field in enumerate(slack.workspace.profile_fields)
    ]
    return {"profile": {"fields": fields, "sections": []}}


def users_list(slack: Slack, arguments: Json) -> Json:
    """Return all people."""
    everybody = [_described(slack, member) for member in slack.workspace.members.values()]
    members, page = page_of(everybody, arguments)
    return {"members": members, "cache_ts": int(slack.clock.now()), **page}


def bots_info(slack: Slack, arguments: Json) -> Json:
    """Return the app's bot."""
    workspace = slack.workspace
    if arguments.get("bot") not in (None, workspace.bot_id):
        raise SlackError("bot_not_found")
    named = {"id": workspace.bot_id, "name": workspace.bot.real_name}
    ids = {"app_id": workspace.app_id, "user_id": workspace.bot_user_id}
    return {"bot": {**named, **ids, "deleted": False, "updated": 1, "icons": {}}}


def usergroups_users_list(slack: Slack, arguments: Json) -> Json:
    """Return the members of a user group."""
    group = slack.workspace.groups.get(str(required(arguments, "usergroup")))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": group}


def _described(slack: Slack, member: Member) -> Json:
    team = member.team_id or slack.workspace.team_id
    met = (channel for channel in slack.workspace.channels.values() if slack.workspace.bot_is_in(channel))
    is_stranger = bool(member.team_id) and not any(member.id in channel.members for channel in met)
    profile = {
        "title": member.title,
        "real_name": member.real_name,
        "real_name_normalized": member.real_name,
        "display_name": member.name,
        "display_name_normalized": member.name,
        "team": team,
    }
    return {
        "id": member.id,
        "team_id": team,
        "name": member.name,
        "real_name": member.real_name,
        "deleted": member.is_deactivated,
        "tz": member.timezone,
        "tz_label": member.timezone,
        "tz_offset": 0,
        "locale": member.locale,
        "profile": profile,
        "is_bot": member.is_bot,
        "is_app_user": False,
        "is_admin": member.is_admin,
        "is_restricted": member.is_guest,
        "is_ultra_restricted": False,
        "updated": 1,
        **({"is_stranger": True} if is_stranger else {}),
    }


METHODS = {
    "auth.test": auth_test,
    "apps.connections.open": connections_open,
    "users.info": users_info,
    "users.list": users_list,
    "users.profile.get": users_profile,
    "bots.info": bots_info,
    "team.profile.get": team_profile,
    "usergroups.users.list": usergroups_users_list,
}
