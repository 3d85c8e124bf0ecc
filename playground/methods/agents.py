"""`assistant.threads.*` and `agents.sessions.*`: status lines and sessions."""

from playground.errors import SlackError
from playground.methods.arguments import required, thread_of, writable_channel
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Json

SESSION_STATUSES = {"active", "processing", "suspended", "closed"}
MOST_LOADING_MESSAGES = 10


def set_status(slack: Slack, arguments: Json) -> Json:
    """Set a thread's status line; an empty status removes it."""
    channel = writable_channel(slack, arguments, "channel_id")
    thread = thread_of(channel, {"thread_ts": required(arguments, "thread_ts")})
    loading: list[str] = arguments.get("loading_messages") or []
    if len(loading) > MOST_LOADING_MESSAGES:
        raise SlackError("invalid_arguments", messages=["[ERROR] loading_messages"])
    status = str(arguments.get("status") or "")
    slack.set_status(channel, thread["thread_ts"], {"status": status, "loading_messages": loading})
    return {}


def set_session_status(slack: Slack, arguments: Json) -> Json:
    """Set the status of a thread's agent session."""
    channel = writable_channel(slack, arguments, "channel_id")
    set_session(slack, channel, arguments)
    return {}


def set_session(slack: Slack, channel: Channel, arguments: Json) -> None:
    """Store a session's status. Raises `invalid_status` if Slack does not know it."""
    status = arguments.get("status")
    if status not in SESSION_STATUSES:
        raise SlackError("invalid_status")
    thread_ts = str(arguments.get("thread_ts") or "")
    slack.sessions[channel.id, thread_ts] = status
    slack.changes.publish({"type": "session", "channel": channel.id, "thread_ts": thread_ts, "status": status})


METHODS = {
    "assistant.threads.setStatus": set_status,
    "agents.sessions.setStatus": set_session_status,
}
