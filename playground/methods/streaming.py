"""`chat.startStream`, `chat.appendStream`, `chat.stopStream`: a message that grows."""

from playground.blocks import block_kit
from playground.errors import SlackError
from playground.methods.agents import set_session
from playground.methods.arguments import author, own_message, required, thread_of, writable_channel
from playground.state.slack import Slack
from playground.state.streams import LIFE_SECONDS, Stream
from playground.state.workspace import Channel
from playground.wire import Json


def start_stream(slack: Slack, arguments: Json) -> Json:
    """Open a stream in a thread. In a channel it needs a recipient."""
    channel = writable_channel(slack, arguments)
    thread = thread_of(channel, {"thread_ts": required(arguments, "thread_ts")})
    _check_recipient(slack, channel, arguments)
    if "metadata" in arguments:
        raise SlackError("invalid_arguments", messages=["[ERROR] metadata is not supported"])
    mode = arguments.get("task_display_mode") or "timeline"
    if mode not in {"timeline", "plan"}:
        raise SlackError("invalid_arguments", messages=["[ERROR] task_display_mode"])
    stream = Stream(opened_at=slack.clock.now(), mode=mode)
    stream.write(arguments)
    message = slack.post(channel, {**author(slack), **_shown(stream, "in_progress"), **thread})
    slack.streams[channel.id, message["ts"]] = stream
    return {"channel": channel.id, "ts": message["ts"]}


def append_stream(slack: Slack, arguments: Json) -> Json:
    """Add to an open stream."""
    channel, ts, stream = _open_stream(slack, arguments)
    required(arguments, "chunks" if "chunks" in arguments else "markdown_text")
    stream.write(arguments)
    channel.messages[ts] = {**channel.messages[ts], **_shown(stream, "in_progress")}
    slack.show(channel, ts)
    return {"channel": channel.id, "ts": ts}


def stop_stream(slack: Slack, arguments: Json) -> Json:
    """Finish a stream, optionally with a last text and blocks below."""
    channel, ts, stream = _open_stream(slack, arguments)
    blocks: list[Json] = arguments.get("blocks") or []
    block_kit.check_message(blocks)
    stream.write(arguments)
    stream.closing_blocks = blocks
    del slack.streams[channel.id, ts]
    given = {"metadata": arguments["metadata"]} if "metadata" in arguments else {}
    message = channel.messages[ts] = {**channel.messages[ts], **_shown(stream, "completed"), **given}
    slack.show(channel, ts)
    if status := arguments.get("session_status"):
        set_session(slack, channel, {"status": status, "thread_ts": message["thread_ts"]})
    return {"channel": channel.id, "ts": ts, "message": message}


def _check_recipient(slack: Slack, channel: Channel, arguments: Json) -> None:
    if channel.kind == "im":
        return
    for name in ("recipient_user_id", "recipient_team_id"):
        if not arguments.get(name):
            raise SlackError(f"missing_{name}")
    if arguments["recipient_user_id"] not in slack.workspace.members:
        raise SlackError("user_not_found")
    if arguments["recipient_team_id"] != slack.workspace.team_id:
        raise SlackError("team_not_found")


def _open_stream(slack: Slack, arguments: Json) -> tuple[Channel, str, Stream]:
    channel = writable_channel(slack, arguments)
    ts = str(required(arguments, "ts"))
    own_message(slack, channel, ts, refusal="message_not_owned_by_app")
    stream = live_stream(slack, channel, ts)
    if stream is None:
        raise SlackError("message_not_in_streaming_state")
    if stream.is_stopped_by_person:
        _end(slack, channel, ts)
        raise SlackError("stopped_by_user")
    return channel, ts, stream


def live_stream(slack: Slack, channel: Channel, ts: str) -> Stream | None:
    """Return the message's open stream, unless it has expired."""
    stream = slack.streams.get((channel.id, ts))
    if stream and slack.clock.now() - stream.opened_at > LIFE_SECONDS:
        _end(slack, channel, ts)
        return None
    return stream


def _end(slack: Slack, channel: Channel, ts: str) -> None:
    stream = slack.streams.pop((channel.id, ts))
    channel.messages[ts] = {**channel.messages[ts], **_shown(stream, "errored")}
    slack.show(channel, ts)


def _shown(stream: Stream, state: str) -> Json:
    return {"text": stream.text, "blocks": block_kit.completed(stream.blocks()), "streaming_state": state}


METHODS = {
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
}
