"""`python -m playground`."""

import asyncio
import sys
from pathlib import Path

from playground import Playground


async def test_a_taken_port_is_said_and_another_is_found(playground: Playground, tmp_path: Path) -> None:
    port = playground.url.rstrip("/").rsplit(":", 1)[1]
    command = [sys.executable, "-m", "playground", "--port", port, "--state", str(tmp_path / "slack.json")]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        said = [(await process.stdout.readline()).decode().strip() for _ in range(4)]
    process.terminate()
    await asyncio.wait_for(process.communicate(), 60)

    assert f"Port {port} is taken; here is another." == said[0]
    assert said[1].startswith("The playground is at http://127.0.0.1:")
    assert f":{port}/" not in said[1]
    assert said[2].startswith("SLACK_BOT_TOKEN=xoxb-")
