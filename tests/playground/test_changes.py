"""Waiting for conditions."""

import asyncio

import pytest

from playground import Playground


async def test_a_wait_ends_with_the_change_that_makes_it_true(playground: Playground) -> None:
    waiting = asyncio.create_task(playground.until(lambda: playground.messages("C0GENERAL")))
    await playground.person("U0ADA").post("C0GENERAL", "hello")

    assert ["hello"] == [message["text"] for message in await waiting]


async def test_a_wait_sees_what_is_no_change_of_the_playground(playground: Playground) -> None:
    heard = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, heard.set)

    assert await playground.until(heard.is_set)


async def test_a_wait_in_vain_ends(playground: Playground) -> None:
    with pytest.raises(TimeoutError):
        await playground.until(lambda: None, 0.05)
