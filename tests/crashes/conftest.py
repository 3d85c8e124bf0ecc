"""Databases for several runs of a story at a time."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial

import pytest

from tests.conftest import cloned

LANES = 2
"""Points of a story that are tried at the same time, because a run mostly waits."""


@pytest.fixture
def database_urls(server_url: str, template_url: str) -> Iterator[list[str]]:
    """The URL of a migrated database for each lane, for its owner."""
    one_more: partial[AbstractContextManager[str]] = partial(cloned, server_url, template_url)
    with ExitStack() as stack:
        yield [stack.enter_context(one_more()) for _ in range(LANES)]
