"""The Web API's methods, called by the real client."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from playground import Playground, SlackError
from playground.state.workspace import Member
from tests.playground.bots import WebApi, web_api


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(label: str, value: str = "oslo") -> dict[str, Any]:
    return {"type": "button", "text": {"type": "plain_text", "text": label}, "value": value}


async def refusal(call: Awaitable[AsyncSlackResponse]) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def test_the_bot_learns_who_it_is(playground: Playground, client: WebApi) -> None:
    answer = await client.auth_test()

    assert (playground.team_id, playground.bot_user_id) == (answer["team_id"], answer["user_id"])
    assert "chat:write" in answer.headers["x-oauth-scopes"]


async def test_a_posted_message_is_in_its_thread(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "hello", mention_bot=True)

    answer = await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="hi")

    assert ["<@U0ASKBACK> hello", "hi"] == [message["text"] for message in playground.thread("C0GENERAL", root)]
    assert root == answer["message"]["thread_ts"]
    assert answer["ts"] > root


async def test_messages_are_changed_and_deleted_by_their_author_only(playground: Playground, client: WebApi) -> None:
    theirs = await playground.person("U0ADA").post("C0GENERAL", "mine")
    own = (await client.chat_postMessage(channel="C0GENERAL", text="first"))["ts"]

    await client.chat_update(channel="C0GENERAL", ts=own, text="second")
    assert "second" == playground.thread("C0GENERAL", own)[0]["text"]
    await client.chat_delete(channel="C0GENERAL", ts=own)

    assert [] == playground.thread("C0GENERAL", own)
    assert "cant_update_message" == await refusal(client.chat_update(channel="C0GENERAL", ts=theirs, text="no"))
    assert "cant_delete_message" == await refusal(client.chat_delete(channel="C0GENERAL", ts=theirs))
    assert "message_not_found" == await refusal(client.chat_delete(channel="C0GENERAL", ts=own))


async def test_a_deleted_root_leaves_a_tombstone(playground: Playground, client: WebApi) -> None:
    ada = playground.person("U0ADA")
    root = await ada.post("C0GENERAL", "question")
    await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="answer")

    await ada.delete("C0GENERAL", root)

    tombstone, answer = playground.thread("C0GENERAL", root)
    assert ("tombstone", "answer") == (tombstone["subtype"], answer["text"])


async def test_places_the_bot_cannot_reach(playground: Playground, client: WebApi) -> None:
    playground.workspace.channels["C0PEOPLE"].is_archived = True
    secret = playground.workspace.channels["C0RANDOM"]

    assert "channel_not_found" == await refusal(client.chat_postMessage(channel="C0NOWHERE", text="hi"))
    assert "not_in_channel" == await refusal(client.chat_postMessage(channel="C0RANDOM", text="hi"))
    assert "is_archived" == await refusal(client.chat_postMessage(channel="C0PEOPLE", text="hi"))
    secret.kind = "private"
    assert "channel_not_found" == await refusal(client.conversations_info(channel="C0RANDOM"))
    gone = client.chat_postMessage(channel="C0GENERAL", text="hi", thread_ts="1.000001")
    assert "thread_not_found" == await refusal(gone)


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"text": ""}, "no_text"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"blocks": [{"type": "divider"}] * 51}, "invalid_blocks"),
        ({"blocks": [section("x" * 3001)]}, "invalid_blocks"),
        ({"blocks": [section("x" * 2900)] * 5}, "msg_blocks_too_long"),
        ({"blocks": [{"type": "markdown", "text": "x" * 6001}] * 2}, "invalid_blocks"),
        ({"blocks": [{"type": "script", "text": "x"}]}, "invalid_blocks"),
        ({"blocks": [{"type": "divider", "block_id": "same"}] * 2}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [button("x" * 76)]}]}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [button("x", "x" * 2001)]}]}, "invalid_blocks"),
        ({"blocks": [{"type": "actions", "elements": [button("x")] * 26}]}, "invalid_blocks"),
    ],
)
async def test_messages_that_slack_refuses(client: WebApi, message: dict[str, Any], name: str) -> None:
    assert name == await refusal(client.api_call("chat.postMessage", json={"channel": "C0GENERAL", **message}))


async def test_the_longest_message_that_slack_takes(client: WebApi) -> None:
    actions = {"type": "actions", "elements": [button("x" * 75, "x" * 2000)]}
    markdown = {"type": "markdown", "text": "x" * 12_000}

    assert (await client.chat_postMessage(channel="C0GENERAL", text="x" * 41_000, blocks=[actions, markdown]))["ok"]


async def test_an_update_is_no_longer_than_4000_characters(client: WebApi) -> None:
    ts = (await client.chat_postMessage(channel="C0GENERAL", text="first"))["ts"]

    assert "msg_too_long" == await refusal(client.chat_update(channel="C0GENERAL", ts=ts, text="x" * 4001))


async def test_threads_and_channels_are_read_page_by_page(playground: Playground, client: WebApi) -> None:
    ada = playground.person("U0ADA")
    root = await ada.post("C0GENERAL", "root")
    replies = [await ada.post("C0GENERAL", str(number), thread_ts=root) for number in range(4)]

    first = await client.conversations_replies(channel="C0GENERAL", ts=root, limit=3)
    rest = await client.conversations_replies(
        channel="C0GENERAL", ts=root, limit=3, cursor=first["response_metadata"]["next_cursor"]
    )
    history = await client.conversations_history(channel="C0GENERAL")

    assert [root, *replies] == [message["ts"] for message in [*first["messages"], *rest["messages"]]]
    assert (True, False) == (first["has_more"], rest["has_more"])
    assert [(root, 4)] == [(message["ts"], message["reply_count"]) for message in history["messages"]]
    assert "thread_not_found" == await refusal(client.conversations_replies(channel="C0GENERAL", ts="1.000001"))


async def test_who_somebody_is_and_what_others_read_is_told(playground: Playground, client: WebApi) -> None:
    workspace = playground.workspace
    eve: dict[str, Any] = {"id": "U0EVE", "name": "eve", "real_name": "Eve", "team_id": "T0ACME"}
    for member in (
        Member(**eve),
        Member(id="U0GIL", name="gil", real_name="Gil", is_guest=True),
        Member(id="U0OLD", name="old", real_name="Old", is_deactivated=True),
    ):
        workspace.members[member.id] = member
    workspace.channels["C0SUPPORT"].is_shared = True

    stranger = (await client.users_info(user="U0EVE"))["user"]
    workspace.channels["C0SUPPORT"].members.append("U0EVE")
    met, guest, gone = [(await client.users_info(user=who))["user"] for who in ("U0EVE", "U0GIL", "U0OLD")]
    await playground.person("U0EVE").post("C0SUPPORT", "How long?", mention_bot=True)
    await playground.person("U0ADA").post("C0GENERAL", "How long?")

    assert ("T0ACME", True) == (stranger["team_id"], stranger["is_stranger"])
    assert ("T0ACME", "is_stranger" in met) == (met["team_id"], False)
    assert (True, True) == (guest["is_restricted"], gone["deleted"])
    told = [one.payload for one in playground.deliveries()]
    assert [True, True, False] == [one["is_ext_shared_channel"] for one in told]
    assert [None, "T0ACME", None] == [one["event"].get("user_team") for one in told]
    assert (await client.conversations_info(channel="C0SUPPORT"))["channel"]["is_ext_shared"]


async def test_a_profile_has_the_fields_of_the_workspace_and_what_was_filled_in(
    playground: Playground, client: WebApi
) -> None:
    workspace = playground.workspace
    bare = (await client.users_profile_get(user="U0ADA"))["profile"]
    workspace.profile_fields = [{"id": "Xf01", "label": "Office"}, {"id": "Xf02", "label": "Pay", "is_hidden": True}]
    workspace.members["U0ADA"] = replace(workspace.members["U0ADA"], fields={"Xf01": "Porto"})

    told = (await client.users_profile_get(user="U0ADA"))["profile"]
    fields = (await client.team_profile_get())["profile"]["fields"]

    assert [] == bare["fields"]
    assert {"Xf01": {"value": "Porto", "alt": ""}} == told["fields"]
    assert "fields" not in (await client.users_info(user="U0ADA"))["user"]["profile"]
    assert [("Xf01", "Office", False), ("Xf02", "Pay", True)] == [
        (one["id"], one["label"], one["is_hidden"]) for one in fields
    ]
    assert "user_not_found" == await refusal(client.users_profile_get(user="U0NOBODY"))


async def test_people_and_places_are_described(playground: Playground, client: WebApi) -> None:
    ada = (await client.users_info(user="U0ADA"))["user"]
    channel = (await client.conversations_info(channel="C0GENERAL"))["channel"]
    listed = await client.conversations_list(types="public_channel,im")

    assert ("Ada Okafor", False, "Europe/Berlin") == (ada["profile"]["real_name"], ada["is_bot"], ada["tz"])
    assert ("general", True, False) == (channel["name"], channel["is_member"], channel["is_private"])
    assert 8 == len(listed["channels"])
    assert "U0ADA" in (await client.conversations_members(channel="C0GENERAL"))["members"]
    assert "D0ADA" == (await client.conversations_open(users="U0ADA"))["channel"]["id"]
    assert 5 == len((await client.users_list())["members"])
    assert "U0ASKBACK" == (await client.bots_info(bot="B0ASKBACK"))["bot"]["user_id"]
    assert "user_not_found" == await refusal(client.users_info(user="U0NOBODY"))


async def test_a_group_message_is_opened_once_and_heard(playground: Playground, client: WebApi) -> None:
    opened_id = (await client.conversations_open(users="U0ADA,U0BEN"))["channel"]["id"]
    opened = (await client.conversations_info(channel=opened_id))["channel"]
    again = (await client.conversations_open(users="U0BEN,U0ADA"))["channel"]
    await playground.person("U0BEN").post(opened["id"], "hello")
    await client.chat_postMessage(channel=opened["id"], text="hi, both")

    assert (opened["id"], True, True) == (again["id"], opened["is_mpim"], opened["is_private"])
    assert "mpim" == playground.deliveries()[0].payload["event"]["channel_type"]
    assert [opened["id"]] == [one["id"] for one in (await client.conversations_list(types="mpim"))["channels"]]
    with pytest.raises(SlackError, match="not_in_channel"):
        await playground.person("U0DEV").post(opened["id"], "may I?")


async def test_the_bot_learns_where_somebody_is_and_who(client: WebApi) -> None:
    everywhere = await client.users_conversations(types="public_channel,im")
    with_ada = await client.users_conversations(user="U0ADA", types="public_channel,im")

    assert {"C0GENERAL", "C0SUPPORT", "C0PEOPLE"} == {one["id"] for one in everywhere["channels"] if not one["is_im"]}
    assert ["D0ADA"] == [one["id"] for one in with_ada["channels"] if one["is_im"]]
    assert "Support lead" == (await client.users_profile_get(user="U0ADA"))["profile"]["title"]
    assert "user_not_found" == await refusal(client.users_conversations(user="U0NOBODY"))


async def test_a_status_and_session_states_are_checked(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("D0ADA", "hello")
    session = {"channel_id": "D0ADA", "thread_ts": root}

    assert (await client.api_call("agents.sessions.setStatus", json={**session, "status": "processing"}))["ok"]
    assert "processing" == playground.session("D0ADA", root)
    asleep = client.api_call("agents.sessions.setStatus", json={**session, "status": "asleep"})
    assert "invalid_status" == await refusal(asleep)
    told = client.assistant_threads_setStatus(
        channel_id="D0ADA", thread_ts=root, status="…", loading_messages=["x"] * 11
    )
    assert "invalid_arguments" == await refusal(told)


async def test_metadata_is_refused_where_a_method_has_none(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("D0ADA", "hello")
    metadata = {"event_type": "asked", "event_payload": {}}
    started = {"channel": "D0ADA", "thread_ts": root, "metadata": metadata}
    ephemeral = {"channel": "C0GENERAL", "user": "U0ADA", "text": "psst", "metadata": metadata}

    assert "invalid_arguments" == await refusal(client.api_call("chat.startStream", json=started))
    assert "invalid_arguments" == await refusal(client.api_call("chat.postEphemeral", json=ephemeral))
    posted = await client.chat_postMessage(channel="C0GENERAL", text="hi", metadata=metadata)
    assert metadata == posted["message"]["metadata"]


async def test_a_home_tab_and_a_modal_are_changed_by_their_hash(playground: Playground, client: WebApi) -> None:
    home = {"type": "home", "blocks": [section("Welcome")]}
    first = (await client.views_publish(user_id="U0ADA", view=home))["view"]
    await client.views_publish(user_id="U0ADA", view=home, hash=first["hash"])

    assert "hash_conflict" == await refusal(client.views_publish(user_id="U0ADA", view=home, hash=first["hash"]))
    assert "not_found" == await refusal(client.views_update(view_id="V0NONE", view=home))
    assert "user_not_found" == await refusal(client.views_publish(user_id="U0NOBODY", view=home))
    assert "invalid_trigger_id" == await refusal(client.views_open(trigger_id="1.2.x", view={**home, "type": "home"}))


async def test_a_message_for_one_person_is_seen_by_nobody_else(playground: Playground, client: WebApi) -> None:
    await client.chat_postEphemeral(channel="C0GENERAL", user="U0BEN", text="psst")

    assert ["psst"] == [message["text"] for message in playground.person("U0BEN").ephemerals()]
    assert [] == playground.person("U0ADA").ephemerals()
    assert [] == playground.messages("C0GENERAL")
    nobody = client.chat_postEphemeral(channel="C0GENERAL", user="U0NOBODY", text="psst")
    assert "user_not_in_channel" == await refusal(nobody)


async def test_a_status_stands_until_the_bot_posts(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "hello")

    await client.assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=root, status="is searching…")
    assert "is searching…" == playground.status("C0GENERAL", root)
    await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="found")

    assert "" == playground.status("C0GENERAL", root)


async def test_a_status_is_gone_after_two_minutes(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "hello")
    await client.assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=root, status="is searching…")

    playground.clock.advance(121)

    assert "" == playground.status("C0GENERAL", root)


async def test_a_status_goes_with_its_thread(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "hello")
    await client.assistant_threads_setStatus(channel_id="C0GENERAL", thread_ts=root, status="is searching…")

    await playground.person("U0ADA").delete("C0GENERAL", root)

    assert "" == playground.status("C0GENERAL", root)


async def test_a_home_tab_is_published_and_shown(playground: Playground, client: WebApi) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "Welcome"}}]
    await client.views_publish(user_id="U0ADA", view={"type": "home", "blocks": blocks})

    await playground.person("U0ADA").open_home()

    event = playground.deliveries()[-1].payload["event"]
    assert ("app_home_opened", "home", "D0ADA") == (event["type"], event["tab"], event["channel"])
    assert "Welcome" == event["view"]["blocks"][0]["text"]["text"]


async def test_wrong_tokens_and_unknown_methods(playground: Playground) -> None:
    stranger = web_api(playground, "xoxb-guess")
    confused = web_api(playground, playground.app_token)
    client = web_api(playground)

    assert "invalid_auth" == await refusal(stranger.auth_test())
    assert "not_allowed_token_type" == await refusal(confused.auth_test())
    assert "unknown_method" == await refusal(client.api_call("chat.shout"))


async def test_every_call_is_on_record(playground: Playground, client: WebApi) -> None:
    await client.chat_postMessage(channel="C0GENERAL", text="hi")
    await refusal(client.chat_postMessage(channel="C0NOWHERE", text="hi"))

    assert [True, False] == [call.ok for call in playground.calls("chat.postMessage")]
    assert {"channel": "C0GENERAL", "text": "hi"} == playground.calls("chat.postMessage")[0].arguments


async def test_history_is_read_between_two_messages(playground: Playground, client: WebApi) -> None:
    ada = playground.person("U0ADA")
    first, second, third = [await ada.post("C0GENERAL", str(number)) for number in range(3)]

    between = await client.conversations_history(channel="C0GENERAL", oldest=first, latest=third)
    including = await client.conversations_history(channel="C0GENERAL", oldest=first, latest=third, inclusive=True)

    assert [second] == [message["ts"] for message in between["messages"]]
    assert [third, second, first] == [message["ts"] for message in including["messages"]]


@pytest.mark.parametrize(
    ("argument", "name"), [({"limit": "few"}, "invalid_limit"), ({"cursor": "?"}, "invalid_cursor")]
)
async def test_a_page_that_is_no_page(client: WebApi, argument: dict[str, str], name: str) -> None:
    assert name == await refusal(client.api_call("conversations.history", params={"channel": "C0GENERAL", **argument}))
