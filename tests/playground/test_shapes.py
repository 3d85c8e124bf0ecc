"""The playground's payloads compared with the samples of Slack's Java SDK and recorded webhooks.

Every test of the folder makes this comparison (see `conftest.py`). Here, everything is sent once.
"""

import asyncio
from typing import Any

from playground import Playground
from tests.playground.bots import WebApi
from tests.playground.shapes import EVENTS, INTERACTIONS, UNKNOWN_KINDS, complaints, kind_of, recorded, strange
from tests.playground.test_person import MODAL

Payload = dict[str, Any]
ABSENT = {
    "app_mention": {"assistant_thread", "files", "upload", "display_as_bot"},
    "app_home_opened": {"context"},
    "block_actions": set[str](),
    "member_joined_channel": {"enterprise", "enterprise_id"},
}
"""Fields that depend on the circumstances of a recording: a file, an assistant, an enterprise."""


async def everything(playground: Playground, client: WebApi) -> None:
    """Send every event and interaction."""
    ada = playground.person("U0ADA")
    root = await ada.post("C0GENERAL", "question", mention_bot=True)
    await ada.post("C0GENERAL", "more", thread_ts=root)
    await ada.share("C0GENERAL", "rules.md", "# Rules", thread_ts=root)
    await ada.edit("C0GENERAL", root, "a question")
    await ada.react("C0GENERAL", root, "eyes")
    await ada.unreact("C0GENERAL", root, "eyes")
    await ada.stop("C0GENERAL", root)
    await ada.delete("C0GENERAL", root)
    await ada.invite("C0RANDOM", playground.bot_user_id)
    await ada.open_home()
    elements = [{"type": "button", "text": {"type": "plain_text", "text": "Oslo"}, "action_id": "oslo"}]
    blocks = [{"type": "actions", "elements": elements}]
    card = await client.chat_postMessage(channel="C0GENERAL", text="?", blocks=blocks)
    click = await ada.click("C0GENERAL", card["ts"], label="Oslo")
    view = (await client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL))["view"]
    submission = asyncio.create_task(ada.submit(view["id"], {"text": "Turin"}))
    await playground.until(lambda: playground.deliveries("view_submission"))
    submission.cancel()
    await ada.close_view(view["id"])


async def test_what_is_sent_has_only_what_slack_sends(playground: Playground, client: WebApi) -> None:
    await everything(playground, client)

    assert EVENTS.keys() | INTERACTIONS.keys() | UNKNOWN_KINDS == {
        kind_of(one.payload) for one in playground.deliveries()
    }
    assert "" == "\n".join(complaints(playground))


async def test_what_is_sent_has_all_that_recordings_have(playground: Playground, client: WebApi) -> None:
    await everything(playground, client)

    for delivery in playground.deliveries():
        kind = kind_of(delivery.payload)
        for part in ("event", "envelope"):
            sent = delivery.payload.get("event", {}) if part == "event" else delivery.payload
            examples = [one.get("event", {}) if part == "event" else one for one in recorded(kind)]
            always = set.intersection(*(set(one) for one in examples)) if examples else set[str]()
            assert set() == always - sent.keys() - ABSENT.get(kind, set()), kind


def test_a_strange_shape_is_noticed() -> None:
    example = {"user": {"id": "U1"}, "items": [{"ts": "1.2"}], "count": 1, "maybe": None}

    assert [] == list(strange({"user": {"id": "U2"}, "items": [], "count": 2, "maybe": "x"}, [example]))
    assert [".user.name"] == list(strange({"user": {"name": "ada"}}, [example]))
    assert [".items[].ts: int"] == list(strange({"items": [{"ts": 1}]}, [example]))
    assert [".count: bool"] == list(strange({"count": True}, [example]))


async def test_answers_have_the_fields_that_clients_read(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "question")
    place = {"channel": "C0GENERAL", "ts": root}
    await playground.person("U0ADA").share("C0GENERAL", "rules.md", "# Rules")
    await client.auth_test()
    await client.bots_info()
    await client.users_info(user="U0ADA")
    await client.users_list()
    await client.users_profile_get(user="U0ADA")
    await client.team_profile_get()
    await client.conversations_info(channel="C0GENERAL")
    await client.conversations_history(channel="C0GENERAL")
    await client.conversations_replies(**place)
    await client.conversations_members(channel="C0GENERAL")
    await client.conversations_open(users="U0ADA", return_im=True)
    posted = await client.chat_postMessage(channel="C0GENERAL", text="hello")
    await client.chat_update(channel="C0GENERAL", ts=posted["ts"], text="hello")
    await client.chat_delete(channel="C0GENERAL", ts=posted["ts"])
    await client.chat_postEphemeral(channel="C0GENERAL", user="U0ADA", text="psst")
    await client.chat_getPermalink(channel="C0GENERAL", message_ts=root)
    await client.users_conversations()
    await client.views_publish(user_id="U0ADA", view={"type": "home", "blocks": [{"type": "divider"}]})

    assert all(call.ok for call in playground.calls())
    assert "" == "\n".join(complaints(playground))
