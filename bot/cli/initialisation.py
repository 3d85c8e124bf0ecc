"""`askback init`: asks for the Slack tokens, checks them with Slack, and writes them to `.env`."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import aiohttp
from rich.console import Console
from slack_sdk.web.async_client import AsyncWebClient

from bot import dotenv
from bot.cli.console import agrees, inert
from bot.errors import SettingsError, SlackSetupError, SlackUnreachableError
from bot.slack.api.tokens import identify, socket_address

BOT, APP = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"
_TRIES: Final = 3

Ask = Callable[[str], str]
"""Asks a person for a secret without showing it."""


async def initialise(console: Console, ask: Ask, *, slack_api_url: str, is_sure: bool) -> bool:
    """Write both tokens to the `.env` of this folder after Slack has accepted them. Return `False` if declined."""
    file = Path.cwd() / dotenv.NAME
    kept = _lines_of(file)
    if file.exists() and not is_sure and not _may_change(console, file):
        return False
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(base_url=slack_api_url, session=session)
        bot = await _bot_token(console, ask, client)
        app = await _app_token(console, ask, client)
    write(file, merged(kept, {BOT: bot, APP: app}))
    console.print(
        f"Both tokens are in {inert(str(file))}, which only you can read. Next: askback doctor", soft_wrap=True
    )
    return True


def merged(lines: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return the lines of a settings file with new values, each in its old place if it has one."""
    places = {line.partition("=")[0].removeprefix("export ").strip() for line in lines}
    told = [_with_value(line, values) for line in lines]
    return [*told, *(f"{name}={value}" for name, value in values.items() if name not in places)]


def write(file: Path, lines: Sequence[str]) -> None:
    """Replace the whole file, so that only its owner can read it at any time."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write("".join(f"{line}\n" for line in lines))
    fresh.replace(file)


def _with_value(line: str, values: Mapping[str, str]) -> str:
    name = line.partition("=")[0].removeprefix("export ").strip()
    return f"{name}={values[name]}" if name in values else line


def _lines_of(file: Path) -> list[str]:
    # `trusted` refuses an old file that another account may have written.
    return file.read_text(encoding="utf-8").splitlines() if dotenv.trusted() else []


def _may_change(console: Console, file: Path) -> bool:
    return agrees(console, f"{inert(str(file))} exists. Set the tokens in it and keep the rest?")


async def _bot_token(console: Console, ask: Ask, client: AsyncWebClient) -> str:
    async def check(token: str) -> None:
        client.token = token
        await identify(client)

    return await _good(console, ask, "The bot token (xoxb-…)", "xoxb-", check)


async def _app_token(console: Console, ask: Ask, client: AsyncWebClient) -> str:
    async def check(token: str) -> None:
        await socket_address(client, token)

    return await _good(console, ask, "The app-level token (xapp-…)", "xapp-", check)


async def _good(console: Console, ask: Ask, what: str, prefix: str, check: Callable[[str], Awaitable[None]]) -> str:
    """Ask up to three times until Slack accepts the token. Raises `SettingsError` if Slack accepts none."""
    for _ in range(_TRIES):
        token = ask(what).strip()
        if not token.startswith(prefix):
            console.print(f"That does not start with {prefix}")
            continue
        try:
            await check(token)
        except SlackUnreachableError:
            raise
        except SlackSetupError as error:
            console.print(inert(str(error)), soft_wrap=True)
        else:
            return token
    raise SettingsError("Slack accepted none of these tokens, so nothing was written.")
