"""Many deliveries and many streams at once: order and counts; a benchmark measures times."""

import asyncio

from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient

from benchmarks.throughput.playground_load import CHANNEL, act, hear, stream, words
from playground import Playground

POSTS, THREADS, APPENDS = 300, 100, 3
PATIENCE = 120.0


async def test_nothing_is_lost_doubled_or_mixed_up_under_load(playground: Playground) -> None:
    ben = playground.person("U0BEN")
    roots = [await ben.post(CHANNEL, "Why?") for _ in range(THREADS)]
    events = THREADS + POSTS + THREADS
    async with ClientSession() as session:
        client = AsyncWebClient(playground.bot_token, base_url=playground.api_url, session=session)
        hearing = asyncio.create_task(hear(client, playground.app_token, events))
        await asyncio.gather(
            act(playground, rate=500, count=POSTS),
            *(stream(client, root, "U0BEN", playground.team_id, APPENDS) for root in roots),
        )
        heard = await asyncio.wait_for(hearing, PATIENCE)

    assert [one.payload["event"]["ts"] for one in playground.deliveries()] == heard
    assert events == len(set(heard))
    assert {1} == {len(one.attempts) for one in playground.deliveries()}
    answers = [playground.thread(CHANNEL, root)[1] for root in roots]
    assert {(words(APPENDS), "completed")} == {(one["text"], one["streaming_state"]) for one in answers}
