"""Ctrl-C ends a command at once that waits for what a person types."""

import asyncio
import signal
from pathlib import Path

import pytest

from tests.cli.test_starting import PATIENCE, running


@pytest.mark.parametrize(("is_there", "prompt"), [(True, "(y/n) "), (False, "The bot token (xoxb-…): ")])
async def test_who_is_asked_may_go(tmp_path: Path, prompt: str, *, is_there: bool) -> None:
    if is_there:
        (tmp_path / ".env").touch(0o600)
    async with running("init", tmp_path) as process:
        assert process.stdout is not None
        await asyncio.wait_for(process.stdout.readuntil(prompt.encode()), PATIENCE)
        process.send_signal(signal.SIGINT)

        assert 130 == await asyncio.wait_for(process.wait(), 60)
