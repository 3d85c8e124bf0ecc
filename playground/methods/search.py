"""`assistant.search.context`: searches the messages of public channels in a person's name."""

import re

from playground.methods.arguments import required
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json

MOST = 20
_WORD = re.compile(r"\w{3,}")


def search_context(slack: Slack, arguments: Json) -> Json:
    """Return the messages that share most words with the query, newer ones first among equals."""
    slack.triggers.searcher(str(required(arguments, "action_token")))
    words = _words(str(required(arguments, "query")))
    before = float(arguments.get("before") or "inf")
    found = [
        (len(words & _words(message.get("text", ""))), float(ts), _described(slack, channel, message))
        for channel in slack.workspace.channels.values()
        if channel.kind == "public"
        for ts, message in channel.messages.items()
        if message.get("subtype") != "tombstone" and float(ts) < before
    ]
    best = sorted((one for one in found if one[0]), key=lambda one: one[:2], reverse=True)
    limit = min(int(arguments.get("limit") or MOST), MOST)
    return {"results": {"messages": [described for *_, described in best[:limit]]}}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _described(slack: Slack, channel: Channel, message: Json) -> Json:
    author = slack.workspace.members.get(str(message.get("user", "")))
    return {
        "author_name": author.name if author else "",
        "author_user_id": message.get("user", ""),
        "team_id": message.get("user_team") or slack.workspace.team_id,
        "channel_id": channel.id,
        "channel_name": channel.name,
        "message_ts": message["ts"],
        "content": message.get("text", ""),
        "is_author_bot": "bot_id" in message,
        "permalink": f"{slack.url}archives/{channel.id}/p{message['ts'].replace('.', '')}",
    }


METHODS = {"assistant.search.context": search_context}
