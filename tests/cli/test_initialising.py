"""The tokens are written to `.env` after Slack has accepted them, readable by the owner only."""

import asyncio
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.initialisation import initialise, merged
from bot.errors import SettingsError, SlackUnreachableError
from playground import Playground
from tests.cli.test_starting import PATIENCE, running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saying(*answers: str) -> Callable[[str], str]:
    """Return a function that gives these answers in order."""
    left = list(answers)
    return lambda _what: left.pop(0)


def names_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


async def test_good_tokens_are_written_for_their_owner_only(folder: Path) -> None:
    async with Playground.open() as playground:
        ask = saying(playground.bot_token, f" {playground.app_token} ")
        assert await initialise(Console(file=io.StringIO()), ask, slack_api_url=playground.api_url, is_sure=False)
        wanted = f"SLACK_BOT_TOKEN={playground.bot_token}\nSLACK_APP_TOKEN={playground.app_token}\n"

    assert wanted == (folder / ".env").read_text()
    assert 0o600 == (folder / ".env").stat().st_mode & 0o777
    assert [".env"] == names_in(folder)


async def test_wrong_tokens_are_asked_for_again_and_said_without_the_token(folder: Path) -> None:
    said = io.StringIO()
    async with Playground.open() as playground:
        ask = saying("hunter2", "xoxb-wrong", playground.bot_token, "xapp-wrong", playground.app_token)
        await initialise(Console(file=said), ask, slack_api_url=playground.api_url, is_sure=False)

    for part in ("does not start with xoxb-", "Slack refuses the bot token", "Slack opens no socket"):
        assert part in said.getvalue()
    for secret in ("hunter2", "xoxb-wrong", playground.bot_token):
        assert secret not in said.getvalue()


async def test_nothing_is_written_if_slack_takes_none_or_is_not_there(folder: Path) -> None:
    console = Console(file=io.StringIO())
    async with Playground.open() as playground:
        with pytest.raises(SettingsError, match="nothing was written"):
            await initialise(console, saying("a", "b", "xoxb-c"), slack_api_url=playground.api_url, is_sure=False)
    with pytest.raises(SlackUnreachableError):
        await initialise(console, saying("xoxb-a"), slack_api_url="http://127.0.0.1:9/api/", is_sure=False)

    assert [] == names_in(folder)


@pytest.mark.parametrize(("said", "changes"), [("n", False), ("", False), ("y", True)])
async def test_a_file_that_is_there_changes_only_if_that_is_wanted(tmp_path: Path, said: str, *, changes: bool) -> None:
    before = "# ours\nSLACK_BOT_TOKEN=xoxb-old\nGROQ_API_KEY=gsk_1\n"
    (tmp_path / ".env").write_text(before)
    async with Playground.open() as playground:
        async with running("init", tmp_path, SLACK_API_URL=playground.api_url) as process:
            typed = f"{said}\n{playground.bot_token}\n{playground.app_token}\n".encode()
            heard, _ = await asyncio.wait_for(process.communicate(typed), PATIENCE)
        after = before.replace("xoxb-old", playground.bot_token) + f"SLACK_APP_TOKEN={playground.app_token}\n"

    assert (after if changes else before) == (tmp_path / ".env").read_text()
    assert playground.bot_token not in heard.decode()
    assert "Warning" not in heard.decode()
    assert "which only you can read. Next: askback doctor" in heard.decode() or not changes
    assert (0 if changes else 1) == process.returncode


def test_a_value_takes_the_place_it_has() -> None:
    lines = ["export A=1", "B = 2", "# C=3", "D=4"]

    assert ["A=x", "B=y", "# C=3", "D=4", "C=z"] == merged(lines, {"A": "x", "B": "y", "C": "z"})
