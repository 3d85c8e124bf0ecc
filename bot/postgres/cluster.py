"""A folder's database cluster: created once, then started and stopped.

data/      the cluster, 0700, of the service account
log        since the last start; log.previous is the one before
password   of the role postgres, 0600; password.app is the serving role's
port       on 127.0.0.1; kept until another program takes it
"""

import fcntl
import os
import pwd
import secrets
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import EmbeddedDatabaseError
from bot.postgres import server_process, service_account, serving_role

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A folder's database cluster, and the service account if it is not this account."""

    folder: Path
    account: pwd.struct_passwd | None

    @classmethod
    def of(cls, folder: Path) -> "Cluster":
        """Create the folder if it is missing. Raises `EmbeddedDatabaseError` if the server could not reach it."""
        folder = folder.resolve()
        account = service_account.account_for(folder / "data")
        for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            missing.mkdir(exist_ok=True)
            missing.chmod(0o755 if account else 0o700)
        if account:
            service_account.require_a_way(folder, account)
            folder.chmod(0o755)
        return cls(folder=folder, account=account)

    @property
    def data(self) -> Path:
        """PostgreSQL's data folder."""
        return self.folder / "data"

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the lock that processes take to start and stop the server."""
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def start(self, settings: Mapping[str, str]) -> str:
        """Start the server if needed, and return its URL. Raises `EmbeddedDatabaseError` with the end of its log."""
        if not self.data.exists():
            self._create(settings)
        self._require_our_version()
        server = server_process.wait_until_ready(self.data)
        port = server.port if server else self._serve(settings)
        password = (self.folder / "password").read_text()
        return f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"

    def stop(self) -> None:
        """Stop the server; after a minute, force it."""
        for mode in ("fast", "immediate"):
            if server_process.find(self.data) is None:
                return
            self._run("pg_ctl", "stop", "-D", self.data, "-m", mode, "-w", "-t", "60")

    def let_serve(self, url: str) -> str:
        """Return the running server's URL for the serving role, and create the role if it is missing."""
        file = self.folder / "password.app"
        if not file.exists():
            # Write the file atomically. If the start is killed before, the next one creates another password.
            unfinished = self._own("password.unfinished")
            unfinished.write_text(secrets.token_urlsafe(24))
            unfinished.rename(file)
        password = file.read_text()
        serving = serving_role.address(url, password)
        if not serving_role.can_log_in(serving):
            # This is the first start, or somebody moved another cluster into the folder.
            serving_role.create(url, password)
        return serving

    def _create(self, settings: Mapping[str, str]) -> None:
        # Create the cluster beside its place and then move it, so that a killed start leaves no incomplete cluster.
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        password = self._own("password")
        password.write_text(secrets.token_urlsafe(24))
        unfinished.mkdir(mode=0o700)
        self._give(unfinished)
        result = self._run(
            "initdb", "-D", unfinished, "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={password}",
            "--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
            *(["--no-sync"] if settings.get("fsync") == "off" else []),
        )  # fmt: skip
        if result.returncode != 0:
            raise EmbeddedDatabaseError(f"PostgreSQL could not create its files in {self.folder}:\n{result.stderr}")
        unfinished.rename(self.data)

    def _require_our_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        if found != service_account.MAJOR:
            raise EmbeddedDatabaseError(
                f"{self.data} was created by PostgreSQL {found}; this Askback brings {service_account.MAJOR}. "
                f"Move {self.folder} away to start afresh, or serve it with PostgreSQL {found} and set DATABASE_URL."
            )

    def _serve(self, settings: Mapping[str, str]) -> int:
        # Another program may take the free port, and processes of a killed server may live on for a moment.
        give_up_at = time.monotonic() + 10
        while True:
            port = self._free_port()
            log = self._launch({**_SETTINGS, **settings, "port": str(port)})
            if log is None:
                return port
            passing = "still in use" in log or "Address already in use" in log
            if not passing or time.monotonic() > give_up_at:
                raise EmbeddedDatabaseError(
                    f"The embedded PostgreSQL does not start. {self.folder / 'log'} ends with:\n{log}\n"
                    "Fix what it names, or set DATABASE_URL to use a PostgreSQL of your own."
                )
            time.sleep(0.2)

    def _launch(self, settings: Mapping[str, str]) -> str | None:
        """Wait for the server. Return `None` if it is ready, or else the end of its log."""
        log = self.folder / "log"
        if log.exists():
            log.replace(self.folder / "log.previous")
        self._own("log")
        options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items())
        # Crash recovery may take any time, so wait up to a day.
        arguments = "-D", self.data, "-l", log, "-w", "-t", "86400", "-o", options
        try:
            result = self._run("pg_ctl", "start", *arguments)
        except BaseException:
            self.stop()
            raise
        if result.returncode == 0:
            return None
        return "\n".join([*log.read_text().splitlines()[-10:], result.stderr.strip()])

    def _free_port(self) -> int:
        file = self.folder / "port"
        kept = file.read_text().strip() if file.exists() else ""
        # Where a disk is full, a file may be cut off.
        wanted = int(kept) if kept.isdecimal() else 0
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", wanted))
            except (OSError, OverflowError):
                probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        file.write_text(str(port))
        return port

    def _own(self, name: str) -> Path:
        """Create an empty file that only the service account can read."""
        file = self.folder / name
        file.touch(mode=0o600)
        self._give(file)
        return file

    def _give(self, path: Path) -> None:
        if self.account:
            os.chown(path, self.account.pw_uid, self.account.pw_gid, follow_symlinks=False)

    def _run(self, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        account = self.account
        return subprocess.run(
            [service_account.programs(account) / program, *arguments],
            check=False,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            user=account and account.pw_uid,
            group=account and account.pw_gid,
            extra_groups=account and [],
        )
