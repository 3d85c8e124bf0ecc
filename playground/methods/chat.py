"""`chat.*` without streams: post, update and delete messages."""

from playground.errors import SlackError
from playground.methods.arguments import (
    author,
    content,
    own_message,
    readable_channel,
    required,
    thread_of,
    writable_channel,
)
from playground.methods.streaming import live_stream
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json

UPDATE_LONGEST = 4_000
KEPT_AS_GIVEN = ("metadata", "unfurl_links", "unfurl_media", "username", "icon_emoji", "icon_url")


def post_message(slack: Slack, arguments: Json) -> Json:
    """Write a message; in a thread by `thread_ts`."""
    channel = writable_channel(slack, arguments)
    given = {name: arguments[name] for name in KEPT_AS_GIVEN if name in arguments}
    written = {**author(slack), **content(arguments), **thread_of(channel, arguments), **given}
    message = slack.post(channel, written)
    return {"channel": channel.id, "ts": message["ts"], "message": message}


def update(slack: Slack, arguments: Json) -> Json:
    """Update the bot's own message, but not while it is streamed."""
    channel = writable_channel(slack, arguments)
    ts = str(required(arguments, "ts"))
    before = own_message(slack, channel, ts, refusal="cant_update_message")
    _refuse_open_stream(slack, channel, ts)
    changed = content(arguments, longest=UPDATE_LONGEST)
    if "blocks" not in arguments and "markdown_text" not in arguments:
        changed["blocks"] = []
    message = slack.change(channel, ts, changed, editor=before["user"])
    shown = {name: value for name, value in message.items() if name != "ts"}
    return {"channel": channel.id, "ts": ts, "text": message["text"], "message": shown}


def delete(slack: Slack, arguments: Json) -> Json:
    """Delete the bot's own message, but not while it is streamed."""
    channel = writable_channel(slack, arguments)
    ts = str(required(arguments, "ts"))
    own_message(slack, channel, ts, refusal="cant_delete_message")
    _refuse_open_stream(slack, channel, ts)
    slack.remove(channel, ts)
    return {"channel": channel.id, "ts": ts}


def post_ephemeral(slack: Slack, arguments: Json) -> Json:
    """Show a message to one person in a channel."""
    if "metadata" in arguments:
        raise SlackError("invalid_arguments", messages=["[ERROR] metadata is not supported"])
    channel = writable_channel(slack, arguments)
    person = str(required(arguments, "user"))
    if person not in channel.members:
        raise SlackError("user_not_in_channel")
    written = {**author(slack), **content(arguments), **thread_of(channel, arguments)}
    message = slack.post_privately(channel, written, person=person)
    return {"message_ts": message["ts"]}


def get_permalink(slack: Slack, arguments: Json) -> Json:
    """Return the address of a message on the playground's page."""
    channel = readable_channel(slack, arguments)
    ts = str(required(arguments, "message_ts"))
    if ts not in channel.messages:
        raise SlackError("message_not_found")
    return {"channel": channel.id, "permalink": f"{slack.url}archives/{channel.id}/p{ts.replace('.', '')}"}


def _refuse_open_stream(slack: Slack, channel: Channel, ts: str) -> None:
    if live_stream(slack, channel, ts):
        raise SlackError("streaming_state_conflict")


METHODS = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.postEphemeral": post_ephemeral,
    "chat.getPermalink": get_permalink,
}
