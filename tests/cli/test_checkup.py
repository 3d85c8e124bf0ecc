"""`askback doctor` names its checks, and how to fix each problem."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pydantic import SecretStr
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
            slack_bot_token=SecretStr(playground.bot_token),
            slack_app_token=SecretStr(playground.app_token),
            slack_api_url=playground.api_url,
            database_url=SecretStr(app_url),
        )
        is_well, said = await said_of(settings)
        (folder / ".env").chmod(0o600)
        _, said_later = await said_of(settings)

    assert is_well
    assert f"ok   Settings are read from {folder}/.env" in said
    assert f"warn Other accounts on this machine may read the secrets in {folder}/.env." in said
    assert f"chmod 600 {folder}/.env" in said
    assert "warn" not in said_later


def secret_in(folder: Path, mode: int, folders_mode: int) -> Path:
    """Put a key into a file of a folder."""
    folder.chmod(folders_mode)
    key = folder / "groq"
    key.write_text("gsk_secret")
    key.chmod(mode)
    return key


@pytest.mark.parametrize(
    ("mode", "folders_mode", "is_told"),
    [(0o644, 0o755, True), (0o640, 0o755, True), (0o600, 0o755, False), (0o644, 0o700, False)],
)
async def test_so_are_readable_files_of_secrets(
    app_url: str, monkeypatch: pytest.MonkeyPatch, mode: int, folders_mode: int, *, is_told: bool
) -> None:
    # pytest's own folders are closed to others.
    with TemporaryDirectory() as place:
        key = secret_in(Path(place), mode, folders_mode)
        monkeypatch.setenv("GROQ_API_KEY_FILE", str(key))
        _, said = await said_of(Settings(groq_base_url="http://127.0.0.1:9/", database_url=SecretStr(app_url)))

    assert is_told is (f"warn Other accounts on this machine may read the secrets in {key}." in said)
    assert "gsk_secret" not in said


async def test_a_slack_that_hears_tokens_unencrypted_is_a_warning(folder: Path, app_url: str) -> None:
    settings = Settings(slack_api_url="http://slack.invalid/api/", database_url=SecretStr(app_url))
    _, said = await said_of(settings)

    assert "warn The Slack tokens go to http://slack.invalid/api/ without encryption." in said
