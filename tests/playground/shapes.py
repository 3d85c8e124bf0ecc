"""Compares the playground's payloads with the samples of Slack's Java SDK and with recorded sessions."""

from collections.abc import Generator, Iterable
from functools import cache
from typing import Any

from playground import Call, Delivery, Playground
from tests.playground.recordings import optional_sample, sequences

Payload = dict[str, Any]
EVENTS = {
    "file_share": "MessageFileSharePayload",
    "app_home_opened": "AppHomeOpenedPayload",
    "app_mention": "AppMentionPayload",
    "member_joined_channel": "MemberJoinedChannelPayload",
    "message": "MessagePayload",
    "message_changed": "MessageChangedPayload",
    "message_deleted": "MessageDeletedPayload",
    "reaction_added": "ReactionAddedPayload",
    "reaction_removed": "ReactionRemovedPayload",
}
INTERACTIONS = {
    "block_actions": "interactive-components/BlockActionPayload",
    "view_closed": "views/ViewClosedPayload",
    "view_submission": "views/ViewSubmissionPayload",
}
UNKNOWN_KINDS = {"agent_session_stopped"}
"""Payloads without any sample or recording."""
FAILED_SAMPLES = {"chat.stopStream"}
"""Methods whose sample is an error."""
OPEN = {"blocks", "fields", "metadata", "values", "view"}
"""Fields that are skipped: `slack_sdk`'s models check blocks, and the others have keys from the app or the team."""
OURS = {"streaming_state"}
"""Fields of streamed messages, which are undocumented."""
NEWER = {"action_token"}
"""Fields that are newer than the samples and recordings; slack-go describes this one (issue 1577)."""
BY_APPS = {"bot_id", "bot_profile", "app_id", "metadata"}
FROM_ELSEWHERE = {"user_team", "source_team"}
MESSAGE = BY_APPS | FROM_ELSEWHERE | {"parent_user_id", "thread_ts", "subtype", "client_msg_id", "edited", "reactions"}
"""Fields that the samples show only in other kinds of messages."""


def complaints(playground: Playground) -> list[str]:
    """Return the payloads and responses with shapes that Slack does not use."""
    sent = [complaint for delivery in playground.deliveries() for complaint in of_delivery(delivery)]
    return sent + [complaint for call in playground.calls() for complaint in of_answer(call)]


def of_delivery(delivery: Delivery) -> list[str]:
    """Return the unknown parts of an event or interaction, except for replayed recordings."""
    payload = delivery.payload
    if payload["token"] != "playground" or (kind := kind_of(payload)) in UNKNOWN_KINDS:
        return []
    return [f"{kind}{path}" for path in strange(payload, shapes_of(kind))]


def of_answer(call: Call) -> list[str]:
    """Return the unknown parts of a Web API response. A method without a sample passes."""
    shape = optional_sample(f"api/{call.method}")
    if shape is None or not call.ok or call.method in FAILED_SAMPLES:
        return []
    return [f"{call.method}{path}" for path in strange(call.answer, [shape])]


def kind_of(payload: Payload) -> str:
    """Return the event's subtype or type, the interaction's type."""
    event = payload.get("event", payload)
    return str(event.get("subtype") or event["type"])


@cache
def shapes_of(kind: str) -> list[Payload]:
    """Return every example of an event or interaction; empty without samples."""
    folder = f"events/{EVENTS[kind]}" if kind in EVENTS else f"app-backend/{INTERACTIONS[kind]}"
    envelopes = [{**one, "event": None} for one in recorded() if "event" in one] if kind in EVENTS else []
    return [example for example in (optional_sample(folder), *recorded(kind), *envelopes) if example]


def recorded(kind: str | None = None) -> list[Payload]:
    """Return the complete recordings, optionally of one event or interaction."""
    payloads = [payload for session in sequences().values() for payload in session if "command" not in payload]
    whole = [one for one in payloads if "event" not in one or "event_context" in one]
    return [one for one in whole if kind in (None, kind_of(one))]


def strange(sent: Any, examples: Iterable[Any], path: str = "") -> Generator[str]:
    """Yield the path of each part that no example has, or that has another type."""
    known = [example for example in examples if example is not None]
    if not known or sent is None:
        return
    if isinstance(sent, dict):
        objects = [example for example in known if isinstance(example, dict)]
        for name, value in sent.items():
            if not any(name in one for one in objects) and name not in OURS | NEWER | MESSAGE:
                yield f"{path}.{name}"
            elif name not in OPEN:
                yield from strange(value, [one[name] for one in objects if name in one], f"{path}.{name}")
    elif isinstance(sent, list):
        items = [item for example in known if isinstance(example, list) for item in example]
        for item in sent:
            yield from strange(item, items, f"{path}[]")
    elif type(sent) not in {type(example) for example in known}:
        yield f"{path}: {type(sent).__name__}"
