"""Several demos at once: each demo answers its own questions only."""

import asyncio
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from playground import RemotePlayground
from playground.state.snapshot import load
from tests.cli.test_starting import run, running, until_said
from tests.journeys.harness import ADA, SUPPORT, is_answer, until
from tests.support.fork_server import ForkServer

QUESTIONS = 4


async def demo_of(stack: AsyncExitStack, folder: Path, **given: str) -> tuple[str, RemotePlayground]:
    """Start a demo; return its address, and a client to act in it."""
    process = await stack.enter_async_context(
        running("demo --port 0", folder, **given, ASKBACK_DATA_FOLDER=str(folder))
    )
    said = await until_said(process, "Askback is at ")
    url = re.search(r"http://[^/ ]+/", said[-1])
    kept = load(folder / "playground.json")
    assert url
    assert kept
    return url[0], await stack.enter_async_context(RemotePlayground.open(url[0], kept[1].control))


async def answered(playground: RemotePlayground, root: str) -> list[dict[str, Any]]:
    """Return the answers in a thread."""
    return [one for one in await playground.thread(SUPPORT, root) if is_answer(one)]


async def test_of_several_demos_each_answers_what_it_was_asked(
    fork_server: ForkServer, tmp_path: Path, app_url: str
) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    # By default, the larger multilingual model would embed the handbook, for each demo.
    given = {"DATABASE_URL": app_url, "ASKBACK_EMBEDDING": "english"}
    async with AsyncExitStack() as stack:
        for folder in folders:
            folder.mkdir()
        demos = await asyncio.gather(*(demo_of(stack, folder, **given) for folder in folders))
        code, said = await run(fork_server, "demo --port 0", folders[0], **given, ASKBACK_DATA_FOLDER=str(folders[0]))
        asked = [
            (demo, await demo.person(ADA).post(SUPPORT, "What does a night in a hotel cost?", mention_bot=True))
            for _ in range(QUESTIONS)
            for _, demo in demos
        ]

        async def all_are_answered() -> bool:
            return all([await answered(demo, root) for demo, root in asked])

        await until(all_are_answered)
        counts = [len(await answered(demo, root)) for demo, root in asked]

    assert 1 == code
    assert f"A demo already runs on {folders[0]}. Open {demos[0][0]}" in said
    assert [1] * QUESTIONS * 2 == counts
