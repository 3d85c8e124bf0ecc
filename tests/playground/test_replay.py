"""Recorded sessions of a real workspace, sent again to the real Bolt."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from slack_bolt import BoltResponse

from playground import Playground
from tests.playground.bots import bolt, running
from tests.playground.recordings import sequences

Payload = dict[str, Any]


async def test_recorded_sessions_arrive_as_they_were(playground: Playground) -> None:
    recorded = sequences()
    if not recorded:
        pytest.skip("the recordings are not here")
    app, heard = bolt(playground), list[Payload]()

    @app.middleware
    async def hear(body: Payload, next: Callable[[], Awaitable[None]]) -> BoltResponse:  # noqa: A002 -- Bolt's name.
        heard.append(body)
        return BoltResponse(status=200)

    async with running(app, playground):
        for name, payloads in recorded.items():
            heard.clear()
            assert payloads, name
            deliveries = [playground.deliver(payload) for payload in payloads]
            await playground.until(lambda sent=deliveries: all(one.state == "acknowledged" for one in sent))
            assert payloads == heard, name

    assert {"events_api", "interactive", "slash_commands"} == {one.kind for one in playground.deliveries()}
