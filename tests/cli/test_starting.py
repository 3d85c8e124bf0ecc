"""A command that cannot start says why in one sentence, and exits."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from playground import Playground
from tests.slack.strangers import NOT_SLACK, serving
from tests.support.fork_server import ADDRESS, COMMAND, ForkServer

LOADS = sys.executable, "-c", "from bot.cli.commands import main; main()"
"""A command that loads everything by itself, as it does outside of tests."""
PATIENCE = 600.0
"""Timeout in seconds. Only a failing test waits so long."""


@asynccontextmanager
async def running(
    command: str, folder: Path, *, askback: Sequence[str] = COMMAND, **environment: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run a command in a folder without other settings; end it with the context."""
    process = await asyncio.create_subprocess_exec(
        *askback,
        *command.split(),
        env={"PATH": "/usr/bin:/bin", ADDRESS: os.environ[ADDRESS], **environment},
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        stdin=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        # It also waits for the end of both pipes.
        await asyncio.wait_for(process.wait(), PATIENCE)


async def run(fork_server: ForkServer, command: str, folder: Path, **environment: str) -> tuple[int | None, str]:
    """Run a command to its end; return its exit code and output."""
    given = {"PATH": "/usr/bin:/bin", **environment}
    return await asyncio.to_thread(fork_server.run, command, folder, **given)


async def until_said(process: asyncio.subprocess.Process, what: str) -> list[str]:
    """Wait for a line with this text, and return all lines so far."""
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(PATIENCE):
        async for line in process.stdout:
            lines.append(line.decode())
            if what in lines[-1]:
                return lines
    raise AssertionError(f"It ended without saying {what}: {lines}")


@pytest.fixture
def tokens(app_url: str) -> dict[str, str]:
    """The settings that a serving command needs."""
    given = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "ASKBACK_LOG_LEVEL": "warning"}
    return given | {"DATABASE_URL": app_url}


@pytest.mark.parametrize("command", ["ask hello", "ingest .", "doctor"])
async def test_who_waits_at_a_terminal_is_told_so_at_once(
    fork_server: ForkServer, tmp_path: Path, command: str
) -> None:
    nowhere = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing", "TTY_COMPATIBLE": "1", "NO_COLOR": "1"}
    _, at_terminal = await run(fork_server, command, tmp_path, **nowhere)
    _, in_a_pipe = await run(fork_server, command, tmp_path, **nowhere | {"TTY_COMPATIBLE": "0"})

    assert [True, False] == [said.startswith("· ") for said in (re.sub(r"\x1b\[[0-9;]*m", "", at_terminal), in_a_pipe)]


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_wrong_token_is_named_in_one_sentence(
    fork_server: ForkServer, tmp_path: Path, tokens: dict[str, str], name: str
) -> None:
    async with Playground.open() as playground:
        right = {"SLACK_BOT_TOKEN": playground.bot_token, "SLACK_APP_TOKEN": playground.app_token}
        given = tokens | right | {name: tokens[name], "SLACK_API_URL": playground.api_url}
        code, said = await run(fork_server, "receive", tmp_path, **given)

    assert 1 == code
    assert f"Set {name} to " in said
    assert "invalid_auth" in said
    assert 1 == len(said.splitlines())


async def test_a_slack_that_is_not_there_is_one_sentence(
    fork_server: ForkServer, tmp_path: Path, tokens: dict[str, str]
) -> None:
    code, said = await run(fork_server, "receive", tmp_path, **tokens, SLACK_API_URL="http://127.0.0.1:9/api/")

    assert 1 == code
    assert "the connection was refused" in said
    assert "TOKEN" not in said
    assert 1 == len(said.splitlines())


@pytest.mark.parametrize("kind", ["a page", "plain text"])
async def test_what_is_not_slack_is_one_sentence(
    fork_server: ForkServer, tmp_path: Path, tokens: dict[str, str], kind: str
) -> None:
    async with serving(NOT_SLACK[kind]) as address:
        code, said = await run(fork_server, "receive", tmp_path, **tokens, SLACK_API_URL=address)

    assert 1 == code
    assert f"What answers at {address} is not Slack." in said
    assert 1 == len(said.splitlines())


async def test_a_start_that_goes_well_warns_of_nothing(tmp_path: Path, tokens: dict[str, str]) -> None:
    async with Playground.open() as playground:
        right = {"SLACK_BOT_TOKEN": playground.bot_token, "SLACK_APP_TOKEN": playground.app_token}
        given = tokens | right | {"SLACK_API_URL": playground.api_url, "ASKBACK_LOG_LEVEL": "info"}
        async with running("receive", tmp_path, askback=LOADS, **given) as process:
            said = await until_said(process, "slack_connected")

    assert ["settings_read", "slack_connected"] == [line.split("]")[1].split()[0] for line in said]


async def test_the_file_that_settings_come_from_is_named_with_its_slack(
    fork_server: ForkServer, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.write_text("SLACK_API_URL=http://127.0.0.1:9/api/\n")
    file.chmod(0o600)
    code, said = await run(fork_server, "manifest", tmp_path)

    assert 0 == code
    assert f"Settings are read from {file}; Slack is at http://127.0.0.1:9/api/." in said


async def test_a_receiver_names_the_file_too(fork_server: ForkServer, tmp_path: Path, tokens: dict[str, str]) -> None:
    (tmp_path / ".env").touch(0o600)
    given = tokens | {"SLACK_API_URL": "http://127.0.0.1:9/api/", "ASKBACK_LOG_LEVEL": "info"}
    _, said = await run(fork_server, "receive", tmp_path, **given)

    assert f"{tmp_path}/.env" in said
    assert "http://127.0.0.1:9/api/" in said


async def test_a_file_that_others_may_write_is_one_sentence(fork_server: ForkServer, tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    (tmp_path / ".env").chmod(0o666)
    code, said = await run(fork_server, "doctor", tmp_path)

    assert (1, 1) == (code, len(said.splitlines()))
    assert "chmod 600" in said


def test_a_question_without_words_is_refused() -> None:
    refused = CliRunner().invoke(app, ["ask", " \u200b"])

    assert 2 == refused.exit_code
    assert "it is empty: write what you want to know." in refused.output


async def test_a_thread_that_nobody_began_is_refused(fork_server: ForkServer, tmp_path: Path, app_url: str) -> None:
    given = {"DATABASE_URL": app_url, "ASKBACK_EMBEDDING": "english"}
    code, said = await run(fork_server, "ask --thread nope Why?", tmp_path, **given)

    assert 2 == code
    assert "there is no conversation “nope”" in said

    code, said = await run(fork_server, "ask --json --thread nope Why?", tmp_path, **given)
    told = json.loads(said)

    assert (2, "error", "nope") == (code, told["response_type"], told["thread"])
    assert "there is no conversation “nope”" in told["message"]
