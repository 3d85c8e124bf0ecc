"""A folder has one server, and it stops after its last user, however that user ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier

import psutil
import psycopg
import pytest

from bot.errors import EmbeddedDatabaseError
from bot.postgres import embedded, server_process
from tests.support.databases import keep_port

IN_HASTE = {"fsync": "off"}
USE_UNTIL_TOLD = """
import sys
from pathlib import Path
from bot.postgres import embedded
with embedded.running(Path(sys.argv[1]), {"fsync": "off"}) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def made_once() -> Generator[Path]:
    """A folder with a created and stopped cluster."""
    with TemporaryDirectory(prefix="askback-") as folder:
        with embedded.running(Path(folder), IN_HASTE) as url, psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE remembered AS SELECT 42 AS number")
        yield Path(folder)


@pytest.fixture
def folder(made_once: Path) -> Generator[Path]:
    """The test's own copy of it."""
    with TemporaryDirectory(prefix="askback-") as parent:
        Path(parent).chmod(0o711)
        folder = Path(parent, "postgres")
        subprocess.run(["cp", "-a", made_once, folder], check=True)
        yield folder
        embedded.stop(folder)


def remembered(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT number FROM remembered").fetchone()
    assert row is not None
    return row[0]


def use(folder: Path) -> "subprocess.Popen[str]":
    """Start a process that uses the server until its standard input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", USE_UNTIL_TOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def pid_of(folder: Path) -> int:
    server = server_process.find(folder / "data")
    assert server
    return server.pid


def url_of(user: "subprocess.Popen[str]") -> str:
    assert user.stdout
    return user.stdout.readline().strip()


def leave(user: "subprocess.Popen[str]") -> None:
    user.communicate(timeout=60)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_server_brings_pgvector_and_remembers(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE) as url, psycopg.connect(url) as connection:
        connection.execute("CREATE EXTENSION vector")
        row = connection.execute("SELECT '[1,0]'::halfvec <=> '[0,1]'::halfvec").fetchone()

        assert (1.0,) == row
        assert 42 == remembered(url)


def test_a_server_listens_on_loopback_only_and_has_no_socket_file(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE):
        process = psutil.Process(pid_of(folder))
        try:
            connections = process.net_connections()
        except psutil.AccessDenied:
            pytest.skip("Nobody may see here what another account's process listens on.")
        listening = {(c.family, c.laddr[0]) for c in connections if c.status == psutil.CONN_LISTEN}

    assert {(socket.AF_INET, "127.0.0.1")} == listening


def test_a_wrong_password_is_refused(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE) as url, pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(url, password="wrong")


def test_nobody_else_can_read_the_password_the_log_or_the_data(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE):
        modes = {name: (folder / name).stat().st_mode & 0o777 for name in ("password", "log", "data")}

    assert {"password": 0o600, "log": 0o600, "data": 0o700} == modes


def test_a_server_keeps_its_port(folder: Path) -> None:
    keep_port(folder)
    with embedded.running(folder, IN_HASTE) as first:
        pass
    with embedded.running(folder, IN_HASTE) as second:
        assert first == second


def test_a_server_whose_port_is_taken_takes_another(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE) as first:
        port = int((folder / "port").read_text())
    with socket.create_server(("127.0.0.1", port)), embedded.running(folder, IN_HASTE) as second:
        assert first != second
        assert 42 == remembered(second)


@pytest.mark.parametrize("kept", ["", "54\x00", "-1", "99999"])
def test_a_port_that_was_not_written_whole_is_no_fault(folder: Path, kept: str) -> None:
    (folder / "port").write_text(kept)

    with embedded.running(folder, IN_HASTE) as url:
        assert 42 == remembered(url)


def test_a_restarted_server_is_found_at_the_same_url(folder: Path) -> None:
    keep_port(folder)
    with embedded.running(folder, IN_HASTE) as url:
        embedded.stop(folder)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url)

        assert url == embedded.start(folder, IN_HASTE)
        assert 42 == remembered(url)


def test_processes_that_start_at_once_share_a_server_and_the_last_one_stops_it(folder: Path) -> None:
    users = [use(folder) for _ in range(3)]
    urls = {url_of(user) for user in users}

    assert 1 == len(urls)
    for user in users[:2]:
        leave(user)
    assert 42 == remembered(urls.pop())
    leave(users[2])
    assert server_process.find(folder / "data") is None


@pytest.mark.parametrize("exists", [True, False], ids=["a made folder", "a new folder"])
def test_those_who_start_a_server_at_the_same_instant_get_the_same(folder: Path, *, exists: bool) -> None:
    shared = folder if exists else folder.with_name("new")
    together = Barrier(4)

    def start() -> str:
        together.wait()
        return embedded.start(shared, IN_HASTE)

    with ThreadPoolExecutor(4) as threads:
        urls = {started.result() for started in [threads.submit(start) for _ in range(4)]}
    with psycopg.connect(urls.pop()) as connection:
        connection.execute("SELECT 1")
    embedded.stop(shared)

    assert not urls


def test_a_server_left_behind_by_a_killed_process_is_adopted_and_stopped(folder: Path) -> None:
    user = use(folder)
    url = url_of(user)
    user.kill()
    leave(user)
    left_behind = server_process.find(folder / "data")

    with embedded.running(folder, IN_HASTE) as adopted:
        assert url == adopted
        assert left_behind == server_process.find(folder / "data")
    assert server_process.find(folder / "data") is None


def test_a_killed_server_recovers_at_the_next_start(folder: Path) -> None:
    with embedded.running(folder, IN_HASTE) as url:
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE remembered SET number = 43")
        os.kill(pid_of(folder), signal.SIGKILL)
        wait_until(lambda: server_process.find(folder / "data") is None)

        with embedded.running(folder, IN_HASTE) as again:
            assert 43 == remembered(again)


@pytest.mark.parametrize("command", ["exec sleep 60", "exit"], ids=["another program", "a zombie"])
def test_a_process_that_only_has_the_dead_servers_number_is_no_server(folder: Path, command: str) -> None:
    embedded.start(folder, IN_HASTE)
    pidfile = folder / "data" / "postmaster.pid"
    dead = pid_of(folder)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: server_process.find(folder / "data") is None)
    # PostgreSQL accepts any process of its own account as the server.
    owner = (folder / "data").stat().st_uid if os.geteuid() == 0 else None
    with subprocess.Popen(["sh", "-c", command], user=owner) as other:
        wait_until(lambda: command != "exit" or psutil.Process(other.pid).status() == psutil.STATUS_ZOMBIE)
        pidfile.write_text(pidfile.read_text().replace(str(dead), str(other.pid), 1))

        with embedded.running(folder, IN_HASTE) as url:
            assert 42 == remembered(url)
        other.kill()


def test_a_half_made_cluster_is_made_anew() -> None:
    with TemporaryDirectory(prefix="askback-") as name:
        folder = Path(name)
        (folder / "data.unfinished").mkdir()
        (folder / "data.unfinished" / "PG_VERSION").write_text("18\n")

        with embedded.running(folder, IN_HASTE) as url:
            psycopg.connect(url).close()


def test_files_of_another_major_version_are_refused_with_what_to_do(folder: Path) -> None:
    (folder / "data" / "PG_VERSION").write_text("16\n")

    with (
        pytest.raises(EmbeddedDatabaseError, match=r"(?s)created by PostgreSQL 16.*DATABASE_URL"),
        embedded.running(folder, IN_HASTE),
    ):
        pass


def test_a_server_that_does_not_start_says_why(folder: Path) -> None:
    with (
        pytest.raises(EmbeddedDatabaseError, match='invalid value for parameter "max_connections"'),
        embedded.running(folder, {"max_connections": "none"}),
    ):
        pass
    assert server_process.find(folder / "data") is None


def test_a_folder_that_cannot_be_one_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(EmbeddedDatabaseError, match=r"cannot keep its files in .*Not a directory"):
        embedded.start(tmp_path / "file" / "postgres")


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root serves as another account.")
def test_root_leaves_a_folder_alone_that_belongs_to_somebody_else(folder: Path) -> None:
    os.chown(folder, 65534, -1)

    with pytest.raises(EmbeddedDatabaseError, match="belongs to another account"):
        embedded.start(folder, IN_HASTE)
    os.chown(folder, 0, -1)


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root serves as another account.")
def test_root_names_the_parent_that_is_closed_to_the_server_and_leaves_it_closed() -> None:
    with TemporaryDirectory(prefix="askback-") as closed:
        with pytest.raises(EmbeddedDatabaseError, match=f"may not enter {closed}"):
            embedded.start(Path(closed, "postgres"))

        assert 0o700 == Path(closed).stat().st_mode & 0o777
