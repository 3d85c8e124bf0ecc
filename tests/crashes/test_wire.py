"""The proxy of the crash tests leaves nothing open."""

import asyncio
import gc
from urllib.parse import urlsplit

from tests.crashes.wire import wire


def test_no_connection_is_left_of_a_client_that_is_killed_while_it_connects(database_url: str) -> None:
    async def come_and_go() -> None:
        async with wire(database_url, lambda *_: False) as url:
            _, writer = await asyncio.open_connection(urlsplit(url).hostname, urlsplit(url).port)
            writer.close()

    for _ in range(20):
        asyncio.run(come_and_go())
    gc.collect()
