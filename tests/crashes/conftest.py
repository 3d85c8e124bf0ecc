"""One nursery for all: loading everything takes seconds, and forking a bot a fraction of one."""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial

import pytest

from tests.conftest import cloned
from tests.crashes.fork_client import Midwife

LANES = 2
"""How many points of a story are tried at the same time: most of a life is waiting."""


@pytest.fixture(scope="session")
def midwife() -> Generator[Midwife]:
    """Whoever asks the nursery for bots."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crashes.fork_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=environment,
    ) as process:  # fmt: skip
        yield Midwife(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=30)


@pytest.fixture
def database_urls(server_url: str, template_url: str) -> Iterator[list[str]]:
    """A migrated database for each lane, as its owner."""
    one_more: partial[AbstractContextManager[str]] = partial(cloned, server_url, template_url)
    with ExitStack() as stack:
        yield [stack.enter_context(one_more()) for _ in range(LANES)]
