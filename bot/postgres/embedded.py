"""The embedded PostgreSQL: a server of its own out of a wheel, on loopback, with a password.

Who starts or stops the server of a folder holds the folder's `lock` alone; who uses it shares the lock on `users`. The
kernel drops both when a process ends, in whatever way. So the last to leave knows that it is the last and stops the
server, and a server that a killed process left behind is found by the next to come.
"""

import fcntl
import hashlib
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bot.errors import EmbeddedDatabaseError
from bot.postgres.cluster import Cluster

_NOTHING: Mapping[str, str] = {}


def default_folder() -> Path:
    """Return where the server of this checkout, or else of this account, keeps its files."""
    home = Path(__file__).resolve().parents[2]
    if not (home / "pyproject.toml").exists():
        home = Path.home()
    if os.geteuid() != 0:
        return home / ".askback" / "postgres"
    digest = hashlib.sha256(bytes(home)).hexdigest()[:8]
    return Path("/var/lib/askback") / f"{home.name}-{digest}"


@contextmanager
def running(folder: Path, settings: Mapping[str, str] = _NOTHING) -> Generator[str]:
    """Share the server of `folder`, started with `settings` if it does not run, and yield its URL.

    Whoever leaves last stops it. Raises `EmbeddedDatabaseError`.
    """
    with _explained(folder):
        cluster = Cluster.of(folder)
        with cluster.locked():
            url = cluster.start(settings)
            users = os.open(cluster.folder / "users", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(users, fcntl.LOCK_SH)
    try:
        yield url
    finally:
        with cluster.locked():
            if _nobody_else(users):
                cluster.stop()
            os.close(users)


def serving_url(folder: Path, url: str) -> str:
    """Return the URL of the running server of `folder` as the role that serves, which is made if it is not there."""
    with _explained(folder):
        cluster = Cluster.of(folder)
        with cluster.locked():
            return cluster.let_serve(url)


def start(folder: Path, settings: Mapping[str, str] = _NOTHING) -> str:
    """Start the server of `folder` unless it runs, and return its URL; nobody but `stop` need end it."""
    with _explained(folder):
        cluster = Cluster.of(folder)
        with cluster.locked():
            return cluster.start(settings)


def stop(folder: Path) -> None:
    """Stop the server of `folder`, whoever uses it."""
    cluster = Cluster.of(folder)
    with cluster.locked():
        cluster.stop()


@contextmanager
def _explained(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddedDatabaseError(f"The embedded PostgreSQL cannot keep its files in {folder}: {error}") from error


def _nobody_else(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
