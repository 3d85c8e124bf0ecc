"""One nursery for all: loading everything takes seconds, and forking a bot a fraction of one."""

import os
import subprocess
import sys
from collections.abc import Generator

import pytest


@pytest.fixture(scope="session")
def nursery() -> Generator["subprocess.Popen[str]"]:
    """The process that bears bots."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.kills.nursery"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    ) as process:  # fmt: skip
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=30)
