"""What the playground sends, against the shapes that Slack's own Java SDK and recorded webhooks show.

The samples are no part of the repository; without them the test skips.
"""

import gzip
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from playground import Playground

SAMPLES = Path(os.environ.get("ASKBACK_EVALS", "../shared/evals")) / "slack_payloads"
EVENTS = {
    "app_mention": "AppMentionPayload",
    "message": "MessagePayload",
    "message_changed": "MessageChangedPayload",
    "message_deleted": "MessageDeletedPayload",
    "reaction_added": "ReactionAddedPayload",
    "member_joined_channel": "MemberJoinedChannelPayload",
    "app_home_opened": "AppHomeOpenedPayload",
}
RECORDED_ONLY = {"parent_user_id", "context_team_id", "context_enterprise_id", "enterprise"}
OURS = {"streaming_state"}
"""How a stream shows in a message is documented nowhere."""
MESSAGE_FIELDS = {"team", "parent_user_id", "event_ts", "channel_type", "ts", "channel", "previous_message", "user"}


def sample(folder: str, name: str) -> dict[str, Any]:
    plain, packed = SAMPLES / folder / f"{name}.json", SAMPLES / folder / f"{name}.json.gz"
    if not plain.exists() and not packed.exists():
        pytest.skip("the samples are not here")
    return json.loads(plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()))


def unknown(sent: dict[str, Any], shape: dict[str, Any], allowed: Iterable[str] = ()) -> set[str]:
    return set(sent) - set(shape) - RECORDED_ONLY - OURS - set(allowed)


async def test_events_have_no_field_that_slack_does_not_send(playground: Playground) -> None:
    ada = playground.person("U0ADA")
    root = await ada.post("C0GENERAL", "question", mention_bot=True)
    await ada.post("C0GENERAL", "more", thread_ts=root)
    await ada.edit("C0GENERAL", root, "a question")
    await ada.react("C0GENERAL", root, "eyes")
    await ada.delete("C0GENERAL", root)
    await ada.invite("C0RANDOM", playground.bot_user_id)
    await ada.open_home()

    sent = [delivery.payload for delivery in playground.deliveries()]
    assert set(EVENTS) == {payload["event"].get("subtype") or payload["event"]["type"] for payload in sent}
    for payload in sent:
        event = payload["event"]
        shape = sample("java_sdk_samples/events", EVENTS[event.get("subtype") or event["type"]])
        assert set() == unknown(payload, shape)
        assert set() == unknown(event, shape["event"], MESSAGE_FIELDS | {"view"})


async def test_interactions_have_no_field_that_slack_does_not_send(
    playground: Playground, client: AsyncWebClient
) -> None:
    elements = [{"type": "button", "text": {"type": "plain_text", "text": "Oslo"}, "action_id": "oslo"}]
    card = await client.chat_postMessage(
        channel="C0GENERAL", text="?", blocks=[{"type": "actions", "elements": elements}]
    )
    click = await playground.person("U0ADA").click("C0GENERAL", card["ts"], label="Oslo")

    shape = sample("java_sdk_samples/app-backend/interactive-components", "BlockActionPayload")
    assert set() == unknown(click.payload, shape)
    assert set() == unknown(click.payload["container"], shape["container"])
    assert {"id", "username", "name", "team_id"} == set(click.payload["user"])


async def test_answers_have_the_fields_that_clients_read(playground: Playground, client: AsyncWebClient) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "question")
    answers = {
        "auth.test": await client.auth_test(),
        "bots.info": await client.bots_info(),
        "users.info": await client.users_info(user="U0ADA"),
        "conversations.info": await client.conversations_info(channel="C0GENERAL"),
        "conversations.replies": await client.conversations_replies(channel="C0GENERAL", ts=root),
        "conversations.members": await client.conversations_members(channel="C0GENERAL"),
        "chat.postEphemeral": await client.chat_postEphemeral(channel="C0GENERAL", user="U0ADA", text="psst"),
        "chat.getPermalink": await client.chat_getPermalink(channel="C0GENERAL", message_ts=root),
    }

    for method, answer in answers.items():
        assert isinstance(answer.data, dict)
        assert set() == unknown(answer.data, sample("java_sdk_samples/api", method), {"has_more", "response_metadata"})
    user = answers["users.info"]["user"]
    assert set() == unknown(user, sample("java_sdk_samples/api", "users.info")["user"])
