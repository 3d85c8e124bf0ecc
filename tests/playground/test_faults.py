"""Injected faults, and Slack's rate limits."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError

from playground import Playground
from playground.methods import all_methods
from playground.protocol.rate_limits import METHOD_TIERS, SPECIAL
from tests.playground.bots import WebApi, bolt, running, web_api
from tests.playground.recordings import optional_sample


async def test_a_method_fails_as_often_as_it_was_told(playground: Playground, client: WebApi) -> None:
    playground.faults.fail("chat.postMessage", "internal_error", times=2)

    for _ in range(2):
        with pytest.raises(SlackApiError, match="internal_error"):
            await client.chat_postMessage(channel="C0GENERAL", text="hi")

    assert (await client.chat_postMessage(channel="C0GENERAL", text="hi"))["ok"]


async def test_an_answer_may_have_another_shape() -> None:
    async with Playground.open() as playground:
        client = web_api(playground)
        playground.faults.answer("chat.postMessage", {"message": 7})

        assert 7 == (await client.chat_postMessage(channel="C0GENERAL", text="hi"))["message"]
        assert "hi" == (await client.chat_postMessage(channel="C0GENERAL", text="hi"))["message"]["text"]


async def test_a_rate_limit_says_when_to_come_back(playground: Playground, client: WebApi) -> None:
    playground.faults.fail("chat.postMessage", "ratelimited")

    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0GENERAL", text="hi")

    assert (429, "1") == (caught.value.response.status_code, caught.value.response.headers["Retry-After"])


async def test_a_lost_answer_hides_what_was_done(playground: Playground, client: WebApi) -> None:
    client.retry_handlers.clear()
    playground.faults.lose_answer("chat.postMessage")

    with pytest.raises(ClientError):
        await client.chat_postMessage(channel="C0GENERAL", text="hi")

    assert ["hi"] == [message["text"] for message in playground.messages("C0GENERAL")]


async def test_streaming_can_be_refused_for_good(playground: Playground, client: WebApi) -> None:
    root = await playground.person("U0ADA").post("D0ADA", "Why?")
    playground.faults.refuse_streaming()

    for _ in range(3):
        with pytest.raises(SlackApiError, match="unknown_method"):
            await client.chat_startStream(channel="D0ADA", thread_ts=root)


async def test_a_channel_takes_a_message_a_second_after_a_burst() -> None:
    async with Playground.open(limits="slack") as playground:
        client = web_api(playground)
        for number in range(5):
            await client.chat_postMessage(channel="C0GENERAL", text=str(number))
        with pytest.raises(SlackApiError) as caught:
            await without_end(lambda: client.chat_postMessage(channel="C0GENERAL", text="too much"))
        await client.chat_postMessage(channel="C0SUPPORT", text="another channel")
        playground.clock.advance(1)
        await client.chat_postMessage(channel="C0GENERAL", text="again")

        assert (429, "ratelimited", "1") == (
            caught.value.response.status_code,
            caught.value.response["error"],
            caught.value.response.headers["Retry-After"],
        )


async def test_streams_are_started_twenty_times_a_minute() -> None:
    async with Playground.open(limits="slack") as playground:
        client = web_api(playground)
        root = await playground.person("U0ADA").post("D0ADA", "Why?")
        for _ in range(20):
            await client.chat_startStream(channel="D0ADA", thread_ts=root)

        with pytest.raises(SlackApiError, match="ratelimited"):
            await without_end(lambda: client.chat_startStream(channel="D0ADA", thread_ts=root))


async def without_end(call: Callable[[], Awaitable[object]]) -> None:
    """Call again and again: on a slow machine there is room for a call meanwhile."""
    for _ in range(1000):
        await call()


async def test_deliveries_can_come_in_the_wrong_order(playground: Playground) -> None:
    app, heard = bolt(playground), list[str]()

    @app.event("message")
    async def hear(event: dict[str, Any]) -> None:
        heard.append(event["text"])

    async with running(app, playground):
        playground.faults.reorder(3)
        for number in range(5):
            await playground.person("U0ADA").post("C0GENERAL", str(number))
        await playground.until(lambda: len(heard) == 5)

    assert ["2", "1", "0", "3", "4"] == heard


def test_methods_have_the_tiers_that_slack_gives_them() -> None:
    tiers = optional_sample("rate_limit_tiers")
    if tiers is None:
        pytest.skip("the list of tiers is not here")

    given = {method: f"Tier{tier}" for method, tier in METHOD_TIERS.items() if method in tiers}
    assert {"apps.connections.open"} == {method for method, tier in given.items() if tier != tiers[method]}
    assert all_methods().keys() <= METHOD_TIERS.keys() | SPECIAL.keys()


async def test_limits_are_scaled_for_tests() -> None:
    async with Playground.open(limits=0.1) as playground:
        client = web_api(playground)
        for _ in range(2):
            await client.users_conversations()

        with pytest.raises(SlackApiError, match="ratelimited"):
            await client.users_conversations()


async def test_a_method_fails_with_a_status(playground: Playground, client: WebApi) -> None:
    playground.faults.fail("chat.postMessage", "fatal_error", status=503)

    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0GENERAL", text="hi")

    assert (503, "fatal_error") == (caught.value.response.status_code, caught.value.response["error"])


async def test_an_answer_and_a_delivery_come_late_by_the_playgrounds_clock(
    playground: Playground, client: WebApi
) -> None:
    playground.faults.delay("users.info", 600)
    playground.faults.delay_deliveries(600)
    late = asyncio.ensure_future(client.users_info(user="U0ADA"))

    def ten_minutes_later() -> bool:
        playground.clock.advance(600)
        return late.done() and bool(playground.deliveries()[0].attempts)

    async with running(bolt(playground), playground):
        await playground.person("U0ADA").post("C0GENERAL", "late")
        await playground.person("U0ADA").post("C0GENERAL", "in time")
        await playground.until(lambda: playground.deliveries()[1].attempts)
        assert not playground.deliveries()[0].attempts
        assert not late.done()
        await playground.until(ten_minutes_later)

    assert (await late)["ok"]
