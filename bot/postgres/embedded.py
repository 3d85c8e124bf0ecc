"""The embedded PostgreSQL: a server from a wheel, on loopback, with a password.

A process that starts or stops a folder's server holds the folder's `lock` exclusively. A process that uses the server
shares the lock `users`. The kernel releases both when a process ends, even by kill −9. So the last user knows that it
is the last, and stops the server; and the next process finds a server that a killed one left running.
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
    """Return the folder of this checkout's server, or of this account's."""
    home = Path(__file__).resolve().parents[2]
    if not (home / "pyproject.toml").exists():
        home = Path.home()
    if os.geteuid() != 0:
        return home / ".askback" / "postgres"
    digest = hashlib.sha256(bytes(home)).hexdigest()[:8]
    return Path("/var/lib/askback") / f"{home.name}-{digest}"


@contextmanager
def running(folder: Path, settings: Mapping[str, str] = _NOTHING) -> Generator[str]:
    """Use the server of `folder`, start it with `settings` if needed, and yield its URL.

    The last user stops it. Raises `EmbeddedDatabaseError`.
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
    """Return the running server's URL for the serving role, and create the role if it is missing."""
    with _explained(folder):
        cluster = Cluster.of(folder)
        with cluster.locked():
            return cluster.let_serve(url)


def start(folder: Path, settings: Mapping[str, str] = _NOTHING) -> str:
    """Start the server of `folder` if needed, and return its URL. Only `stop` ends it."""
    with _explained(folder):
        cluster = Cluster.of(folder)
        with cluster.locked():
            return cluster.start(settings)


def stop(folder: Path) -> None:
    """Stop the server of `folder`, even if it is in use."""
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
