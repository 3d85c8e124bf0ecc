"""Whatever people and machines do, the promises hold whenever nothing is in progress."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Generator
from typing import ClassVar

import pytest
import structlog
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from bot.postgres.pool import Database
from tests.simulation.examples import Life
from tests.simulation.orders import Orders
from tests.simulation.reviews import Reviews
from tests.simulation.stops import Stops
from tests.support.databases import as_app

IS_SOAK = "SIMULATIONS" in os.environ
"""A run of `make check` always tries the same lives. Only a run of many lives varies them."""
SHARES = 8 if IS_SOAK else 1
"""Lives at a time, because a life mostly waits."""
RUNS = int(os.environ.get("SIMULATIONS", "25")) // SHARES
SHRINKING = (Phase.shrink,) if "SHRINK" in os.environ else ()
"""A failed life is shrunk only on request, because that takes minutes."""


@pytest.fixture
def life(database_url: str) -> Generator[type[Life]]:
    """Lives in one database, on one event loop."""
    with asyncio.Runner() as runner:
        # Stopped actions keep their connections, and a life stops many.
        opened = Database.open(as_app(database_url), size=50, workspace="nobody")

        class Here(Stops, Reviews, Orders):
            tally: ClassVar = Counter[str]()

        usual = structlog.get_config()
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
        Here.runner, Here.database, Here.database_url = runner, runner.run(opened.__aenter__()), database_url
        yield Here
        runner.run(opened.__aexit__(None, None, None))
        structlog.configure(**usual)


@pytest.mark.parametrize("share", range(SHARES))
def test_whatever_happens_every_question_gets_one_current_answer(life: type[Life], share: int) -> None:
    calm = settings(
        max_examples=RUNS,
        stateful_step_count=30,
        deadline=None,
        database=None,
        print_blob=True,
        derandomize=not IS_SOAK,
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType] - its own iterator says less
        phases=(Phase.explicit, Phase.generate, *SHRINKING),
    )
    try:
        run_state_machine_as_test(life, settings=calm)
    finally:
        sys.stdout.writelines(f"{times:8} {what}\n" for what, times in sorted(life.tally.items()))
