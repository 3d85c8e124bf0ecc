"""`reactions.*`: add, remove and list reactions."""

from playground.errors import SlackError
from playground.methods.arguments import joined_channel, page_of, required
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json


def add(slack: Slack, arguments: Json) -> Json:
    """React to a message."""
    channel, ts = _message(slack, arguments)
    slack.react(channel, ts, str(required(arguments, "name")), person=slack.workspace.bot_user_id)
    return {}


def remove(slack: Slack, arguments: Json) -> Json:
    """Remove a reaction."""
    channel, ts = _message(slack, arguments)
    slack.unreact(channel, ts, str(required(arguments, "name")), person=slack.workspace.bot_user_id)
    return {}


def get(slack: Slack, arguments: Json) -> Json:
    """Return a message with its reactions."""
    channel, ts = _message(slack, arguments)
    return {"type": "message", "channel": channel.id, "message": channel.messages[ts]}


def list_items(slack: Slack, arguments: Json) -> Json:
    """Return the messages to which a person reacted, the newest first; by default the bot's own."""
    person = str(arguments.get("user") or slack.workspace.bot_user_id)
    reacted = [
        {"type": "message", "channel": channel.id, "message": message}
        for channel in slack.workspace.channels.values()
        if slack.workspace.bot_is_in(channel)
        for message in channel.messages.values()
        if any(person in reaction["users"] for reaction in message.get("reactions", ()))
    ]
    items, page = page_of(sorted(reacted, key=lambda item: item["message"]["ts"], reverse=True), arguments)
    return {"items": items, **page}


def _message(slack: Slack, arguments: Json) -> tuple[Channel, str]:
    channel = joined_channel(slack, arguments)
    ts = str(arguments.get("timestamp", ""))
    if ts not in channel.messages:
        raise SlackError("message_not_found")
    return channel, ts


METHODS = {"reactions.add": add, "reactions.remove": remove, "reactions.get": get, "reactions.list": list_items}
