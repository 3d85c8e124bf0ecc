"""Asks Slack what a channel holds: at half its rate limit, patiently, and with one sentence for each failure."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import MissingError
from bot.knowledge.connectors.slack.thread import Payload

_PER_MINUTE: Final = {"conversations.history": 25, "conversations.replies": 25, "users.info": 50}
"""Half of what Slack allows: the other half is for answers. https://docs.slack.dev/apis/web-api/rate-limits."""
_OTHERS_PER_MINUTE: Final = 10
_MINUTE: Final = 60.0
_AT_ONCE: Final = 200
"""Entries of a page; Slack recommends no more."""
_TRIES: Final = 6
_LONGEST_WAIT: Final = 120.0
_FIRST_WAIT: Final = 0.5
_SECONDS: Final = 60
_FILES: Final = ("https", "files.slack.com")
"""Where Slack keeps files, says https://docs.slack.dev/reference/objects/file-object."""
_CHUNK: Final = 65_536
_FOR_A_WHILE: Final = ("ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout")
_WHY: Final = {
    "not_in_channel": "Askback is not in the channel: write /invite @Askback there.",
    "channel_not_found": "Askback sees no such channel: write /invite @Askback there, or give another id.",
    "missing_scope": "The bot token lacks a scope: paste the output of `askback manifest`, and install the app again.",
    "ratelimited": "Slack accepts no more requests for now: read it less often.",
    **dict.fromkeys(
        ("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"),
        "Slack does not accept SLACK_BOT_TOKEN: copy it again.",
    ),
}


class HiddenError(KnowledgeError):
    """Slack shows the bot no such channel: it is gone, or private without the bot."""


class SlackClient:
    """The Web API, seen by the bot."""

    def __init__(self, url: str, token: str) -> None:
        self._web = AsyncWebClient(token, base_url=url, timeout=_SECONDS, retry_handlers=[])
        self._calls: dict[str, deque[float]] = {}

    async def identity(self) -> Payload:
        """Return who the bot is, and the workspace's address."""
        return await self._ask("auth.test", {})

    async def channel(self, channel: str) -> Payload:
        """Return a channel. Raises `HiddenError` if the bot cannot see it."""
        return (await self._ask("conversations.info", {"channel": channel}))["channel"]

    async def joined(self) -> AsyncGenerator[Payload]:
        """Yield the channels that the bot is in."""
        query = {"types": "public_channel,private_channel", "exclude_archived": "true"}
        async for channel in self._all("users.conversations", "channels", query):
            yield channel

    async def history(self, channel: str) -> AsyncGenerator[Payload]:
        """Yield the messages of a channel, without replies, the newest first."""
        async for message in self._all("conversations.history", "messages", {"channel": channel}):
            yield message

    async def replies(self, channel: str, ts: str) -> AsyncGenerator[Payload]:
        """Yield the messages of a thread, its root first. Raises `MissingError` if it is gone."""
        async for message in self._all("conversations.replies", "messages", {"channel": channel, "ts": ts}):
            yield message

    async def user(self, person: str) -> Payload:
        """Return a person. Raises `MissingError` if Slack does not show them."""
        return (await self._ask("users.info", {"user": person}))["user"]

    async def download(self, url: str, *, largest: int) -> bytes:
        """Return up to `largest` + 1 bytes of a file. Raises `MissingError` if it is gone."""
        if urlsplit(url)[:2] not in (_FILES, urlsplit(self._web.base_url)[:2]):
            raise KnowledgeError("The file lies on another server than Slack's: the token is not sent there.")
        await self._turn("download")
        headers = {"Authorization": f"Bearer {self._web.token}"}
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS)) as session,
                # Without a scope, Slack leads to a page on which people log in.
                session.get(url, headers=headers, allow_redirects=False) as response,
            ):
                if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
                    raise MissingError("file_not_found")
                if response.status in (HTTPStatus.FOUND, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                    raise KnowledgeError(_WHY["missing_scope"])
                if response.status != HTTPStatus.OK:
                    raise KnowledgeError(f"Slack answers a download with status {response.status}: try again later.")
                content = bytearray()
                async for chunk in response.content.iter_chunked(_CHUNK):
                    content += chunk
                    if len(content) > largest:
                        break
                return bytes(content)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise KnowledgeError(f"Slack does not send the file ({type(error).__name__}): try again later.") from error

    async def _all(self, method: str, what: str, query: Payload) -> AsyncGenerator[Payload]:
        cursor = ""
        while True:
            page = await self._ask(method, {**query, "limit": _AT_ONCE, **({"cursor": cursor} if cursor else {})})
            for one in page[what]:
                yield one
            after: Payload = page.get("response_metadata") or {}
            cursor = str(after.get("next_cursor") or "")
            if not cursor:
                return

    async def _ask(self, method: str, query: Payload) -> Payload:
        code = ""
        for tried in range(_TRIES):
            await self._turn(method)
            try:
                answer = await self._web.api_call(method, http_verb="GET", params=dict(query))
                return cast("Payload", answer.data)
            except SlackApiError as error:
                code, wait = _refusal(error)
            except (aiohttp.ClientError, TimeoutError, OSError, SlackClientError) as error:
                code, wait = type(error).__name__, 0.0
            if wait is None or wait > _LONGEST_WAIT:
                break
            await asyncio.sleep(wait or _FIRST_WAIT * 2**tried)
        if code in ("thread_not_found", "user_not_found", "user_not_visible"):
            raise MissingError(code)
        if code == "channel_not_found":
            raise HiddenError(_WHY[code])
        raise KnowledgeError(_WHY.get(code) or f"Slack answers {method} with {code}: try again later.")

    async def _turn(self, method: str) -> None:
        """Wait until a minute has passed since the call that filled the last minute."""
        most = _PER_MINUTE.get(method, _OTHERS_PER_MINUTE)
        calls = self._calls.setdefault(method, deque(maxlen=most))
        begins = max(time.monotonic(), calls[0] + _MINUTE if len(calls) == most else 0.0)
        calls.append(begins)
        await asyncio.sleep(begins - time.monotonic())


def _refusal(error: SlackApiError) -> tuple[str, float | None]:
    """Return Slack's name for a refusal, and the seconds to wait; `None` if waiting does not help."""
    response: Any = error.response
    status: int = getattr(response, "status_code", HTTPStatus.BAD_GATEWAY)
    headers = {name.lower(): value for name, value in getattr(response, "headers", {}).items()}
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "ratelimited", float(headers.get("retry-after", 1))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return f"status {status}", 0.0
    code = str(response.get("error", ""))
    return code, 0.0 if code in _FOR_A_WHILE else None
