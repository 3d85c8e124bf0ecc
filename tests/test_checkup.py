"""`askback doctor` names its checks, and how to fix each problem."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.doctor import examine
from bot.settings import Settings
from playground import Playground


async def said_of(settings: Settings) -> tuple[bool, str]:
    said = io.StringIO()
    is_well = await examine(settings, Console(file=said, width=200))
    return is_well, said.getvalue()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of settings that others may read."""
    monkeypatch.chdir(tmp_path)
    Path(".env").touch(0o644)
    return tmp_path


async def test_readable_secrets_are_a_warning_and_no_fault(folder: Path, app_url: str) -> None:
    async with Playground.open() as playground:
        settings = Settings(
            slack_bot_token=playground.bot_token, slack_app_token=playground.app_token,
            slack_api_url=playground.api_url, database_url=app_url,
        )  # fmt: skip
        is_well, said = await said_of(settings)
        (folder / ".env").chmod(0o600)
        _, said_later = await said_of(settings)

    assert is_well
    assert f"ok   Settings are read from {folder}/.env" in said
    assert f"warn Other accounts on this machine may read the secrets in {folder}/.env." in said
    assert f"chmod 600 {folder}/.env" in said
    assert "warn" not in said_later


async def test_a_slack_that_hears_tokens_unencrypted_is_a_warning(folder: Path, app_url: str) -> None:
    settings = Settings(slack_api_url="http://slack.invalid/api/", database_url=app_url)
    _, said = await said_of(settings)

    assert "warn The Slack tokens go to http://slack.invalid/api/ without encryption." in said
