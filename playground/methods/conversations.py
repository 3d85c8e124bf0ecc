"""`conversations.*`: read channels and their messages."""

from playground.errors import SlackError
from playground.methods.arguments import is_true, joined_channel, page_of, readable_channel, required
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json

KINDS = {"public_channel": "public", "private_channel": "private", "im": "im", "mpim": "mpim"}


def info(slack: Slack, arguments: Json) -> Json:
    """One channel."""
    channel = readable_channel(slack, arguments)
    return {"channel": _described(slack, channel)}


def list_channels(slack: Slack, arguments: Json) -> Json:
    """Return the channels that the bot can see, by `types`."""
    types = str(arguments.get("types") or "public_channel").split(",")
    kinds = {KINDS[name.strip()] for name in types if name.strip() in KINDS}
    seen = [
        _described(slack, channel)
        for channel in slack.workspace.channels.values()
        if channel.kind in kinds
        and (channel.kind == "public" or slack.workspace.bot_is_in(channel))
        and not (channel.is_archived and is_true(arguments.get("exclude_archived")))
    ]
    channels, page = page_of(seen, arguments)
    return {"channels": channels, **page}


def list_joined(slack: Slack, arguments: Json) -> Json:
    """Return a person's channels, or the bot's, by `types`."""
    person = str(arguments.get("user") or slack.workspace.bot_user_id)
    if person not in slack.workspace.members:
        raise SlackError("user_not_found")
    everywhere = list_channels(slack, {**arguments, "cursor": "", "limit": 1000})["channels"]
    joined = [one for one in everywhere if person in slack.workspace.channels[one["id"]].members]
    channels, page = page_of(joined, arguments)
    unsaid = {"is_member", "num_members"}
    return {"channels": [{name: one[name] for name in one.keys() - unsaid} for one in channels], **page}


def members(slack: Slack, arguments: Json) -> Json:
    """Return the ids of a channel's members."""
    channel = readable_channel(slack, arguments)
    page, fields = page_of([{"id": member} for member in channel.members], arguments)
    return {"members": [member["id"] for member in page], **fields}


def history(slack: Slack, arguments: Json) -> Json:
    """Return a channel's messages without replies, the newest first."""
    channel = joined_channel(slack, arguments)
    roots = [
        channel.shown(ts)
        for ts in reversed(channel.messages)
        if channel.root_of(ts) == ts and _is_between(ts, arguments)
    ]
    messages, page = page_of(roots, arguments, most=999)
    return {"messages": messages, "has_more": _goes_on(page), **page}


def replies(slack: Slack, arguments: Json) -> Json:
    """Return a thread's messages, the oldest first, always with the root."""
    channel = joined_channel(slack, arguments)
    ts = str(required(arguments, "ts"))
    if ts not in channel.messages:
        raise SlackError("thread_not_found")
    thread = [
        message
        for message in channel.thread(channel.root_of(ts))
        if message["ts"] == channel.root_of(ts) or _is_between(message["ts"], arguments)
    ]
    messages, page = page_of(thread, {"limit": 1000, **arguments})
    return {"messages": messages, "has_more": _goes_on(page), **page}


def open_conversation(slack: Slack, arguments: Json) -> Json:
    """Return the direct message with a person, or the group message with several."""
    if channel_id := arguments.get("channel"):
        channel = readable_channel(slack, {"channel": channel_id})
    else:
        people = str(required(arguments, "users")).split(",")
        if not set(people) <= slack.workspace.members.keys():
            raise SlackError("user_not_found")
        workspace = slack.workspace
        channel = workspace.direct_channel(people[0]) if len(people) == 1 else workspace.group_channel(set(people))
        slack.changes.publish({"type": "channels"})
    described = _described(slack, channel) if is_true(arguments.get("return_im")) else {"id": channel.id}
    return {"channel": described}


def _goes_on(page: Json) -> bool:
    return bool(page["response_metadata"]["next_cursor"])


def _is_between(ts: str, arguments: Json) -> bool:
    oldest, latest = str(arguments.get("oldest") or "0"), str(arguments.get("latest") or "9" * 12)
    if is_true(arguments.get("inclusive")):
        return float(oldest) <= float(ts) <= float(latest)
    return float(oldest) < float(ts) < float(latest)


def _described(slack: Slack, channel: Channel) -> Json:
    common = {
        "id": channel.id,
        "created": 1_700_000_000,
        "is_archived": channel.is_archived,
        "is_im": channel.kind == "im",
        "context_team_id": slack.workspace.team_id,
        "is_org_shared": False,
    }
    if channel.kind == "im":
        person = next((member for member in channel.members if member != slack.workspace.bot_user_id), "")
        return {**common, "user": person, "is_open": True}
    return {
        **common,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind == "public",
        "is_group": channel.kind in {"private", "mpim"},
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "public",
        "is_general": channel.name == "general",
        "is_shared": channel.is_shared,
        "is_ext_shared": channel.is_shared,
        "is_pending_ext_shared": channel.is_shared_soon,
        "is_member": slack.workspace.bot_is_in(channel),
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "num_members": len(channel.members),
    }


METHODS = {
    "conversations.info": info,
    "conversations.list": list_channels,
    "conversations.members": members,
    "conversations.history": history,
    "conversations.replies": replies,
    "conversations.open": open_conversation,
    "users.conversations": list_joined,
}
