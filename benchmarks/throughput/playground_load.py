"""Measures the playground's capacity: deliveries a second, streaming threads, and its own cost.

    python -m benchmarks.throughput.playground_load [--rate 500] [--seconds 10] [--threads 100] [--appends 40]

The playground runs in this process and the bot in another one. The printed cost is this process's time only.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from typing import Any

from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient

from playground import Playground

CHANNEL = "C0GENERAL"


async def hear(client: AsyncWebClient, app_token: str, count: int) -> list[str]:
    """Open a socket, acknowledge everything, and return the ts of the first `count` events in order of arrival."""
    opened: Any = await client.apps_connections_open(app_token=app_token)
    heard: list[str] = []
    async with ClientSession() as session, session.ws_connect(opened["url"]) as socket:
        await socket.receive_json()
        while len(heard) < count:
            envelope = await socket.receive_json()
            await socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"]}))
            heard.append(envelope["payload"]["event"]["ts"])
    return heard


async def stream(client: AsyncWebClient, root: str, person: str, team: str, appends: int) -> None:
    """Stream numbered words into a thread, one call after another."""
    recipient: dict[str, Any] = {"recipient_user_id": person, "recipient_team_id": team}
    started: Any = await client.chat_startStream(channel=CHANNEL, thread_ts=root, **recipient)
    place: dict[str, Any] = {"channel": CHANNEL, "ts": started["ts"]}
    for number in range(appends):
        await client.chat_appendStream(**place, markdown_text=f"word{number} ")
    await client.chat_stopStream(**place)


def words(appends: int) -> str:
    """Return the text of a whole stream."""
    return "".join(f"word{number} " for number in range(appends))


async def act(playground: Playground, *, rate: float, count: int) -> None:
    """Post at this rate, one delivery each."""
    ada, begun = playground.person("U0ADA"), time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
        await ada.post(CHANNEL, f"message {number}")


async def measure(options: argparse.Namespace) -> None:
    """Serve, load and print."""
    async with Playground.open() as playground:
        posts, streams = int(options.rate * options.seconds), options.threads
        roots = [await playground.person("U0BEN").post(CHANNEL, "Why?") for _ in range(streams)]
        # Roots, posts, and the start of every stream are events.
        load = {"roots": roots, "appends": options.appends, "events": streams + posts + streams}
        reach = {"api_url": playground.api_url, "bot": playground.bot_token, "app": playground.app_token}
        command = [
            sys.executable,
            "-m",
            "benchmarks.throughput.playground_load",
            "--bot",
            json.dumps({**load, **reach, "team": playground.team_id}),
        ]
        bot = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        await playground.until(lambda: playground.sockets.connection_count > 0, 30)
        begun, busy = time.monotonic(), time.process_time()
        await act(playground, rate=options.rate, count=posts)
        behind = time.monotonic() - begun - options.seconds
        await playground.until(lambda: all(one.settled for one in playground.deliveries()), 300)
        await playground.until(lambda: len(playground.calls("chat.stopStream")) == streams, 300)
        busy, took = time.process_time() - busy, time.monotonic() - begun
        heard: list[str] = json.loads((await bot.communicate())[0])
        report(playground, options, heard=heard, roots=roots, busy=busy, took=took, behind=behind)


def report(
    playground: Playground,
    options: argparse.Namespace,
    *,
    heard: list[str],
    roots: list[str],
    busy: float,
    took: float,
    behind: float,
) -> None:
    """Print the results; times are in seconds unless stated."""
    deliveries, calls = playground.deliveries(), len(playground.calls())
    waits = sorted((one.acknowledged_at or 0) - one.attempts[0].at for one in deliveries)
    each = busy / (len(deliveries) + calls)
    texts = [playground.thread(CHANNEL, root)[1]["text"] for root in roots]
    whole = sum(text == words(options.appends) for text in texts)
    print(f"deliveries        {len(deliveries)} at {options.rate:.0f}/s, {behind:.2f} s behind at the end")
    print(f"in order          {heard == sorted(heard)}, each once: {len(set(heard)) == len(deliveries)}")
    print(
        f"acknowledged      p50 {statistics.median(waits) * 1000:.1f} ms, p99 {waits[-len(waits) // 100] * 1000:.1f} ms"
    )
    print(f"streams           {whole} of {len(roots)} whole, {calls} calls, {calls / took:.0f} calls/s")
    print(f"own cost          {busy:.2f} s in {took:.2f} s, {each * 1e6:.0f} µs a delivery or call")


async def be_bot(load: dict[str, Any]) -> None:
    """Receive everything and stream into every thread at once, in a child process."""
    async with ClientSession() as session:
        client = AsyncWebClient(load["bot"], base_url=load["api_url"], session=session)
        hearing = asyncio.create_task(hear(client, load["app"], load["events"]))
        await asyncio.gather(*(stream(client, root, "U0BEN", load["team"], load["appends"]) for root in load["roots"]))
        print(json.dumps(await hearing))


def main() -> None:
    """Measure, or run the bot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=500.0, help="deliveries a second")
    parser.add_argument("--seconds", type=float, default=10.0, help="for how long")
    parser.add_argument("--threads", type=int, default=100, help="threads that stream at once")
    parser.add_argument("--appends", type=int, default=40, help="calls in each stream")
    parser.add_argument("--bot", help=argparse.SUPPRESS)
    options = parser.parse_args()
    asyncio.run(be_bot(json.loads(options.bot)) if options.bot else measure(options))


if __name__ == "__main__":
    main()
