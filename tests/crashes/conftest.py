"""Databases for several lives at a time."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial

import pytest

from tests.conftest import cloned

LANES = 2
"""How many points of a story are tried at the same time: most of a life is waiting."""


@pytest.fixture
def database_urls(server_url: str, template_url: str) -> Iterator[list[str]]:
    """A migrated database for each lane, as its owner."""
    one_more: partial[AbstractContextManager[str]] = partial(cloned, server_url, template_url)
    with ExitStack() as stack:
        yield [stack.enter_context(one_more()) for _ in range(LANES)]
