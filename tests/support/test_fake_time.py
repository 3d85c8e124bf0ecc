"""On a fake clock waiting takes no time, and nothing that is on its way comes too late."""

import asyncio
import time
from itertools import pairwise

import aiohttp
import pytest
from aiohttp import web

from tests.support.fake_time import BEGAN, LoopClock, on_fake_time
from tests.support.serving import answering


@on_fake_time
async def test_waiting_takes_exactly_as_long_as_it_says() -> None:
    async with asyncio.timeout(3600) as limit:
        await asyncio.sleep(0.1)
        await asyncio.gather(asyncio.sleep(1000), asyncio.sleep(2000))
    assert not limit.expired()
    assert 2000.1 == pytest.approx(asyncio.get_running_loop().time())
    assert 2000.1 == pytest.approx((LoopClock().now() - BEGAN).total_seconds())


@on_fake_time
async def test_computing_takes_no_time_here_or_on_a_thread() -> None:
    async with asyncio.timeout(0.001):
        time.sleep(0.01)  # noqa: ASYNC251 - it computes.
        assert 1 == await asyncio.to_thread(lambda: time.sleep(0.01) or 1)
    assert 0.0 == asyncio.get_running_loop().time()


@on_fake_time
async def test_what_a_thread_raises_arrives() -> None:
    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(lambda: 1 / 0)


@on_fake_time
async def test_megabytes_arrive_before_the_next_timer_and_pauses_of_the_server_count() -> None:
    loop = asyncio.get_running_loop()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(3):
            await response.write(b"x" * 1_000_000)
            await asyncio.sleep(5)
        return response

    seen = [0.0]
    async with (
        answering(answer) as url,
        aiohttp.ClientSession() as client,
        asyncio.timeout(15.001),
        client.get(url) as said,
    ):
        seen += [loop.time() async for _ in said.content.iter_chunked(1_000_000)]
    assert {0.0, 5.0} == {later - earlier for earlier, later in pairwise(seen)}
    assert 15.0 == loop.time()


@on_fake_time
async def test_where_nobody_answers_a_connection_is_refused() -> None:
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.get("http://127.0.0.1:9")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", 9)


def test_waiting_for_nothing_fails_instead_of_hanging() -> None:
    @on_fake_time
    async def wait() -> None:
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match="Nothing will happen any more"):
        wait()
