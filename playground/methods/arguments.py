"""Reads a call's arguments, and checks that what they name exists and that the bot may reach it."""

from typing import Any

from playground.blocks import block_kit
from playground.errors import SlackError
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json

TEXT_KEPT = 40_000
"""Slack cuts a longer text."""
MARKDOWN_LONGEST = 12_000


def required(arguments: Json, name: str) -> Any:
    """Return the argument. Raises `invalid_arguments` if it is missing."""
    if arguments.get(name) in (None, "", []):
        raise SlackError("invalid_arguments", messages=[f"[ERROR] missing required field: {name}"])
    return arguments[name]


def readable_channel(slack: Slack, arguments: Json, name: str = "channel") -> Channel:
    """Return a channel that the bot can see: public, or with the bot as a member."""
    channel = slack.workspace.channels.get(str(arguments.get(name, "")))
    if channel is None or (channel.kind != "public" and not slack.workspace.bot_is_in(channel)):
        raise SlackError("channel_not_found")
    return channel


def joined_channel(slack: Slack, arguments: Json, name: str = "channel") -> Channel:
    """Return a channel that the bot is a member of."""
    channel = readable_channel(slack, arguments, name)
    if not slack.workspace.bot_is_in(channel):
        raise SlackError("not_in_channel")
    return channel


def writable_channel(slack: Slack, arguments: Json, name: str = "channel") -> Channel:
    """Return a channel in which the bot may write. A person's id means the direct message with them."""
    member = slack.workspace.members.get(str(arguments.get(name, "")))
    if member and not member.is_bot:
        return slack.workspace.direct_channel(member.id)
    channel = joined_channel(slack, arguments, name)
    if channel.is_archived:
        raise SlackError("is_archived")
    return channel


def own_message(slack: Slack, channel: Channel, ts: str, *, refusal: str) -> Json:
    """Return the bot's message with this ts. `refusal` is Slack's error if the message is somebody else's."""
    message = channel.messages.get(ts)
    if message is None or message.get("subtype") == "tombstone":
        raise SlackError("message_not_found")
    if message.get("bot_id") != slack.workspace.bot_id:
        raise SlackError(refusal)
    return message


def thread_of(channel: Channel, arguments: Json) -> Json:
    """Return the `thread_ts` as a field, if given. That the thread must exist is our assumption."""
    thread_ts = arguments.get("thread_ts")
    if not thread_ts:
        return {}
    if thread_ts not in channel.messages:
        raise SlackError("thread_not_found")
    return {"thread_ts": channel.root_of(str(thread_ts))}


def content(arguments: Json, *, longest: int | None = None) -> Json:
    """Return a message's text and blocks. Raises Slack's error if they are too long, wrong or missing."""
    text, markdown = str(arguments.get("text") or ""), str(arguments.get("markdown_text") or "")
    blocks: list[Json] = arguments.get("blocks") or []
    attachments: list[Json] = arguments.get("attachments") or []
    if not (text or markdown or blocks or attachments):
        raise SlackError("no_text")
    if markdown and (text or blocks):
        raise SlackError("markdown_text_conflict")
    if len(markdown) > MARKDOWN_LONGEST or (longest and len(text) > longest):
        raise SlackError("msg_too_long")
    if markdown:
        blocks = [{"type": "markdown", "text": markdown}]
    block_kit.check_message(blocks)
    extra = {"attachments": attachments} if attachments else {}
    return {"text": (text or markdown)[:TEXT_KEPT], "blocks": block_kit.completed(blocks), **extra}


def author(slack: Slack) -> Json:
    """Return the fields of a message by the app."""
    workspace = slack.workspace
    return {
        "user": workspace.bot_user_id,
        "bot_id": workspace.bot_id,
        "app_id": workspace.app_id,
        "bot_profile": {
            "id": workspace.bot_id,
            "app_id": workspace.app_id,
            "name": workspace.bot.real_name,
            "icons": {},
            "deleted": False,
            "updated": 1,
            "team_id": workspace.team_id,
        },
    }


def page_of(items: list[Json], arguments: Json, *, most: int = 1000) -> tuple[list[Json], Json]:
    """Return a page of a list by `limit` and `cursor`, and the fields for the next page."""
    start = whole(str(arguments.get("cursor") or "0").removeprefix("next:"), refusal="invalid_cursor")
    limit = max(1, min(whole(str(arguments.get("limit") or 100), refusal="invalid_limit"), most))
    cursor = f"next:{start + limit}" if start + limit < len(items) else ""
    return items[start : start + limit], {"response_metadata": {"next_cursor": cursor}}


def whole(value: str, *, refusal: str) -> int:
    """Return an integer. Raises the error if it is none."""
    if not value.isdecimal():
        raise SlackError(refusal)
    return int(value)


def is_true(value: Any) -> bool:
    """Return a flag from JSON or a form."""
    return str(value).lower() in {"true", "1"}
