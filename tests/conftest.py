"""Real PostgreSQL for every test: one server a session, one migrated template, one clone a test."""

import gc
import os
import uuid
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, contextmanager
from itertools import chain

import psycopg
import pytest
import structlog
from hypothesis import settings
from psycopg import sql

from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from bot.runtime import NEW_OBJECTS
from tests.support.databases import administered, as_app, drop_database, make_database, make_roles, short_lived
from tests.support.fork_server import ADDRESS, WORKER, ForkServer, serving

# The same examples each time, as long as they may take: a change is refused for what it changes, not by chance.
settings.load_profile("ci")

# structlog's own traceback prints all local variables, in colours, which takes seconds for each error.
in_short = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], in_short])

WHOLE = (
    "permissions/test_plan.py",
    "benchmarks/test_benchmarks.py",
    "benchmarks/test_ingesting.py",
    "conversations/test_demos.py",
)
"""Files whose first test takes more than a minute, or whose fixture does."""
SLOW = (
    *("/crashes/", "/simulation/", "/mutants/", "/journeys/"),
    *("/knowledge/test_hostile_sources.py", "/cli/test_ingesting.py", "/test_supervision.py"),
)
"""Folders and files with tests that take half a minute, which must not begin last."""


def pytest_configure(config: pytest.Config) -> None:
    """Start the fork server that all processes of the session share. It collects tests itself."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        server = ExitStack()
        ignored = (f"--ignore={path}" for path in config.option.ignore or ())
        os.environ[ADDRESS] = server.enter_context(serving(*config.args, *ignored))
        config.add_cleanup(server.close)
        # Otherwise each process loads the same for several seconds.
        config.option.tx = [spec.replace("popen", f"popen//python={WORKER}") for spec in config.option.tx]
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        # Collecting makes modules and tests, and no garbage. The collector would visit them again and again.
        gc.disable()


def pytest_collection_finish() -> None:
    """Leave the modules and the thousands of tests out of each later garbage collection; collect as a command does."""
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each process its share of the slow tests first, so that no process has all of them at the end."""
    whole: dict[str, list[pytest.Item]] = {}
    slow: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        path = item.path.as_posix()
        if path.endswith(WHOLE):
            whole.setdefault(path, []).append(item)
        else:
            (slow if any(part in path for part in SLOW) else others).append(item)
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    lanes: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for number, ours in enumerate([*whole.values(), *([item] for item in slow)]):
        lanes[number % processes] += ours
    # pytest-xdist first deals out an equal number to each process, in their order.
    for left, lane in enumerate(lanes):
        share = (len(items) - sum(map(len, lanes[:left]))) // (processes - left) - len(lane)
        lane.extend(others[: max(0, share)])
        del others[: max(0, share)]
    items[:] = [*chain.from_iterable(lanes), *others]


@pytest.fixture(scope="session")
def server_url() -> Generator[str]:
    """The session's PostgreSQL server, as its superuser."""
    with short_lived() as url:
        make_roles(url)
        with administered(url):
            yield url


@pytest.fixture(scope="session")
def template_url(server_url: str) -> str:
    """A database that is migrated once and cloned for each test, as its owner."""
    url = make_database(server_url, "askback_template")
    migrate(url)
    return url


@pytest.fixture(scope="session")
def fork_server() -> ForkServer:
    """The fork server, which starts bots as child processes."""
    return ForkServer()


@pytest.fixture
def database_url(server_url: str, template_url: str) -> Generator[str]:
    """The URL of the test's own migrated database, for its owner."""
    with cloned(server_url, template_url) as url:
        yield url


@pytest.fixture
def app_url(database_url: str) -> str:
    """The URL of the same database, for the serving role."""
    return as_app(database_url)


@pytest.fixture
async def database(app_url: str) -> AsyncGenerator[Database]:
    """The test's database, as the serving role."""
    async with Database.open(app_url, size=10, workspace="one") as database:
        yield database


@contextmanager
def cloned(server_url: str, template_url: str) -> Generator[str]:
    """Clone a database without connections, yield the clone's URL for its owner, and drop the clone afterwards."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    url = make_database(server_url, name, template_url.rsplit("/", 1)[1])
    yield url
    drop_database(server_url, name)


@contextmanager
def unreachable(server_url: str, database_url: str) -> Generator[None]:
    """Cut all connections to a database, and refuse new ones, while the context is open."""
    name = database_url.rsplit("/", 1)[1]
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(allow.format(sql.Identifier(name), sql.SQL("false")))
        owner.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,))
        yield
        owner.execute(allow.format(sql.Identifier(name), sql.SQL("true")))
