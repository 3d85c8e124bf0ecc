"""Deliveries over sockets, to the real Bolt."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from playground import Playground
from tests.playground.bots import WebApi, bolt, running
from tests.playground.conftest import ACK_SECONDS

Payload = dict[str, Any]


async def test_a_mention_in_a_channel_comes_as_a_mention_and_as_a_message(playground: Playground) -> None:
    app, heard = bolt(playground), list[Payload]()

    @app.event("app_mention")
    @app.event("message")
    async def hear(body: Payload) -> None:
        heard.append(body)

    async with running(app, playground):
        ts = await playground.person("U0ADA").post("C0GENERAL", "hello", mention_bot=True)
        await playground.until(lambda: len(heard) == 2)

    assert {"app_mention", "message"} == {body["event"]["type"] for body in heard}
    assert {ts} == {body["event"]["ts"] for body in heard}
    assert len({body["event_id"] for body in heard}) == 2
    message = next(body for body in heard if body["event"]["type"] == "message")
    assert ("channel", "U0ADA") == (message["event"]["channel_type"], message["event"]["user"])
    assert message["event"]["blocks"][0]["elements"][0]["elements"][0] == {"type": "user", "user_id": "U0ASKBACK"}


async def test_a_direct_message_is_no_mention(playground: Playground) -> None:
    await playground.person("U0BEN").post("D0BEN", "hello", mention_bot=True)

    assert ["message"] == [delivery.about for delivery in playground.deliveries()]
    assert "im" == playground.deliveries()[0].payload["event"]["channel_type"]


async def test_the_bot_hears_nothing_of_channels_it_is_not_in(playground: Playground) -> None:
    await playground.person("U0BEN").post("C0RANDOM", "hello", mention_bot=True)

    assert [] == playground.deliveries()


async def test_an_event_that_is_not_acknowledged_comes_again_with_its_reason(playground: Playground) -> None:
    app, retries = bolt(playground), list[Payload]()

    @app.event("message")
    async def fail(request: Any) -> None:
        retries.append(dict(request.headers))
        if len(retries) < 2:
            raise RuntimeError("not this time")

    async with running(app, playground):
        await playground.person("U0ADA").post("C0GENERAL", "hello")
        await playground.until(lambda: retries)
        playground.clock.advance(ACK_SECONDS)
        await playground.until(lambda: playground.deliveries()[0].state == "acknowledged")

    first, second = playground.deliveries()[0].attempts
    assert ("", "timeout") == (first.reason, second.reason)
    assert ["1"] == retries[1]["x-slack-retry-num"]


async def test_slack_gives_up_after_three_retries() -> None:
    async with Playground.open(ack_seconds=0.1, retry_pauses=(0, 0, 0)) as playground:
        app = bolt(playground)

        @app.event("message")
        async def fail() -> None:
            raise RuntimeError("never")

        async with running(app, playground):
            await playground.person("U0ADA").post("C0GENERAL", "hello")
            await playground.until(lambda: playground.deliveries()[0].settled)

        assert ("given_up", 4) == (playground.deliveries()[0].state, len(playground.deliveries()[0].attempts))


async def test_what_a_cut_socket_did_not_acknowledge_goes_to_the_next(playground: Playground) -> None:
    app, heard, wait = bolt(playground), list[str](), asyncio.Event()

    @app.event("message")
    async def hear(event: Payload) -> None:
        heard.append(event["text"])
        if len(heard) == 1:
            await wait.wait()

    async with running(app, playground):
        await playground.person("U0ADA").post("C0GENERAL", "hello")
        await playground.until(lambda: playground.deliveries()[0].state == "sent")
        playground.cut_sockets()
        await playground.until(lambda: playground.deliveries()[0].state == "acknowledged", 20)
        wait.set()

    assert ["", "connection_failed"] == [attempt.reason for attempt in playground.deliveries()[0].attempts]


async def test_each_payload_goes_to_one_socket_and_all_sockets_get_some(playground: Playground) -> None:
    app, heard = bolt(playground), list[str]()

    @app.event("message")
    async def hear(event: Payload) -> None:
        heard.append(event["text"])

    async with running(app, playground, sockets=3):
        for number in range(9):
            await playground.person("U0ADA").post("C0GENERAL", str(number))
        await playground.until(lambda: all(delivery.settled for delivery in playground.deliveries()))

    assert [str(number) for number in range(9)] == sorted(heard)
    assert {1, 2, 3} == {delivery.attempts[0].connection for delivery in playground.deliveries()}


async def test_a_bot_that_is_told_to_reconnect_does(playground: Playground) -> None:
    app, heard = bolt(playground), list[str]()

    @app.event("message")
    async def hear(event: Payload) -> None:
        heard.append(event["text"])

    async with running(app, playground):
        await playground.sockets.refresh()
        await playground.person("U0ADA").post("C0GENERAL", "after")
        await playground.until(lambda: heard == ["after"])

    assert 2 == playground.deliveries()[0].attempts[0].connection


async def test_what_comes_while_nobody_listens_waits_in_order(playground: Playground) -> None:
    app, heard = bolt(playground), list[str]()

    @app.event("message")
    async def hear(event: Payload) -> None:
        heard.append(event["text"])

    for number in range(5):
        await playground.person("U0ADA").post("C0GENERAL", str(number))
    async with running(app, playground):
        await playground.until(lambda: len(heard) == 5)

    assert ["0", "1", "2", "3", "4"] == heard


async def test_lost_and_doubled_deliveries(playground: Playground) -> None:
    app, heard = bolt(playground), list[str]()

    @app.event("message")
    async def hear(event: Payload) -> None:
        heard.append(event["text"])

    async with running(app, playground):
        playground.faults.duplicate()
        await playground.person("U0ADA").post("C0GENERAL", "twice")
        await playground.until(lambda: heard == ["twice", "twice"])
        playground.faults.drop_deliveries()
        await playground.person("U0ADA").post("C0GENERAL", "lost at first")
        await playground.until(lambda: playground.deliveries()[1].attempts)
        playground.clock.advance(ACK_SECONDS)
        await playground.until(lambda: "lost at first" in heard)

    assert [0, 1] == [attempt.connection for attempt in playground.deliveries()[1].attempts]


async def test_a_warning_comes_before_the_socket_is_taken_away(playground: Playground, client: WebApi) -> None:
    url = (await client.apps_connections_open(app_token=playground.app_token))["url"]
    async with ClientSession() as session, session.ws_connect(url) as socket:
        hello = await socket.receive_json()
        await playground.sockets.refresh("warning")
        warning = await socket.receive_json()
        await playground.person("U0ADA").post("C0GENERAL", "still here")
        event = await socket.receive_json()

    assert ("hello", 1, "A0ASKBACK") == (hello["type"], hello["num_connections"], hello["connection_info"]["app_id"])
    assert ("disconnect", "warning") == (warning["type"], warning["reason"])
    assert ("events_api", False) == (event["type"], event["accepts_response_payload"])


async def test_no_more_than_ten_sockets_are_open(playground: Playground, client: WebApi) -> None:
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(ClientSession())
        for _ in range(10):
            url = (await client.apps_connections_open(app_token=playground.app_token))["url"]
            await stack.enter_async_context(session.ws_connect(url))
        await playground.until(lambda: playground.sockets.connection_count == 10)
        url = (await client.apps_connections_open(app_token=playground.app_token))["url"]

        with pytest.raises(WSServerHandshakeError):
            await session.ws_connect(url)


async def test_a_click_is_sent_once_even_if_nobody_acknowledges_it(playground: Playground, client: WebApi) -> None:
    buttons = [{"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}]
    ts = (await client.chat_postMessage(channel="D0ADA", text="?", blocks=[{"type": "actions", "elements": buttons}]))[
        "ts"
    ]
    url = (await client.apps_connections_open(app_token=playground.app_token))["url"]
    async with ClientSession() as session, session.ws_connect(url):
        click = await playground.person("U0ADA").click("D0ADA", ts, label="Go")
        await playground.until(lambda: click.attempts)
        playground.clock.advance(ACK_SECONDS)
        await playground.until(lambda: click.settled)

    assert ("given_up", 1) == (click.state, len(click.attempts))
