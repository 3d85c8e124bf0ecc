"""The Web API's methods, called by the real client."""

from collections.abc import Awaitable

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from playground import Playground


async def refusal(call: Awaitable[AsyncSlackResponse]) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def test_the_bot_learns_who_it_is(playground: Playground, client: AsyncWebClient) -> None:
    answer = await client.auth_test()

    assert (playground.team_id, playground.bot_user_id) == (answer["team_id"], answer["user_id"])
    assert "chat:write" in answer.headers["x-oauth-scopes"]


async def test_a_posted_message_is_in_its_thread(playground: Playground, client: AsyncWebClient) -> None:
    root = await playground.person("U0ADA").post("C0GENERAL", "hello", mention_bot=True)

    answer = await client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="hi")

    assert ["<@U0ASKBACK> hello", "hi"] == [message["text"] for message in playground.thread("C0GENERAL", root)]
    assert root == answer["message"]["thread_ts"]
    assert answer["ts"] > root
