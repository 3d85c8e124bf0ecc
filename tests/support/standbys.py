"""A streaming standby of the session's server."""

import asyncio
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from bot.postgres import embedded, service_account
from tests.support.databases import SETTINGS, as_app
from tests.support.waiting import PATIENCE


@dataclass(frozen=True, kw_only=True)
class Servers:
    """A primary and its standby, as their superuser."""

    primary_url: str
    standby_url: str

    def copy_of(self, url: str) -> str:
        """Return the address of the standby's copy of a database, for the serving role."""
        return as_app(f"{self.standby_url.rsplit('/', 1)[0]}/{url.rsplit('/', 1)[1]}")

    async def catch_up(self) -> None:
        """Wait until the standby has repeated all that was committed on its primary."""
        with (
            psycopg.connect(self.primary_url) as primary,
            psycopg.connect(self.standby_url, autocommit=True) as standby,
        ):
            due = primary.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
            repeated = "SELECT 1 WHERE pg_last_wal_replay_lsn() >= %s"
            async with asyncio.timeout(PATIENCE):
                while not standby.execute(repeated, due).fetchone():  # noqa: ASYNC110 - Nobody tells.
                    await asyncio.sleep(0.02)

    @contextmanager
    def apart(self) -> Generator[None]:
        """Let the standby repeat nothing while the context is open."""
        with psycopg.connect(self.standby_url, autocommit=True) as superuser:
            superuser.execute("SELECT pg_wal_replay_pause()")
            try:
                yield
            finally:
                superuser.execute("SELECT pg_wal_replay_resume()")


@contextmanager
def standing_by(server_url: str) -> Generator[Servers]:
    """Copy a server, and repeat its changes while the context is open."""
    # pytest's own folder is closed to the service account that replaces root.
    with TemporaryDirectory(prefix="askback-standby-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        _copy(server_url, folder / "data")
        (folder / "password").write_text(str(conninfo_to_dict(server_url)["password"]))
        with embedded.running(folder, SETTINGS) as url:
            yield Servers(primary_url=server_url, standby_url=url)


def _copy(server_url: str, data: Path) -> None:
    account = service_account.account_for(data)
    program = service_account.programs(account) / "pg_basebackup"
    if not program.exists():
        pytest.skip("The embedded PostgreSQL has no pg_basebackup.")
    data.mkdir(0o700)
    if account:
        os.chown(data, account.pw_uid, account.pw_gid)
    subprocess.run(
        [program, "--pgdata", data, "--dbname", server_url, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
        check=True,
        cwd=data.parent,
        user=account and account.pw_uid,
        group=account and account.pw_gid,
        extra_groups=account and [],
    )
