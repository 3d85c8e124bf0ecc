"""The only module that calls Slack to show something: paced, patient with rate limits, its errors ours."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, stop_after_delay

from bot.address import Address, ChannelId, PersonId, Ts
from bot.errors import PostRefusedError, SlackBusyError, SlackError, StreamRefusedError
from bot.slack.blocks import Block
from bot.slack.inbound import Payload
from bot.slack.pace import Pace

_REFUSALS: Final = frozenset(
    {
        "not_in_channel",
        "channel_not_found",
        "is_archived",
        "thread_not_found",
        "cannot_reply_to_message",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "restricted_action_non_threadable_channel",
        "restricted_action_thread_locked",
        "message_not_found",
        "cant_update_message",
        "edit_window_closed",
        "user_not_in_channel",
    }
)
"""Slack's names for: not here, not (any more) in this message."""

_STREAMING: Final = frozenset({"chat.startStream", "chat.appendStream", "chat.stopStream"})
_REPEATABLE: Final = frozenset({"chat.update", "conversations.open", "conversations.replies", "chat.getPermalink"})
"""Methods that do no harm when Slack heard them the first time."""

_BREAKDOWNS: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})

_TRANSPORT = (aiohttp.ClientError, TimeoutError, OSError)


class _MaybeHeardError(SlackError):
    """The connection broke, or Slack did; nobody knows whether the call was heard."""


class Messenger:
    """Slack's Web API as we use it, in one workspace; every method may raise `SlackError`.

    `PostRefusedError` says that nothing can be written there, `StreamRefusedError` that it cannot be streamed, and
    `SlackBusyError` that a call met a rate limit and was not worth waiting for.
    """

    def __init__(self, client: AsyncWebClient, *, pace: Pace) -> None:
        self._client = client
        self.pace = pace

    async def post(self, channel: str, *, text: str, blocks: Sequence[Block], thread_ts: str | None = None) -> Ts:
        """Write a message and return its id; `text` is for notifications."""
        answer = await self._call(
            "chat.postMessage",
            {
                "channel": channel,
                "thread_ts": thread_ts,
                "text": text,
                "blocks": blocks,
                "unfurl_links": False,
                "unfurl_media": False,
            },
        )
        return Ts(answer["ts"])

    async def update(
        self, channel: str, ts: str, *, text: str, blocks: Sequence[Block], is_draft: bool = False
    ) -> None:
        """Replace a message's content; a draft does not wait for its turn."""
        content = {"channel": channel, "ts": ts, "text": text, "blocks": blocks}
        await self._call("chat.update", content, is_patient=not is_draft)

    async def start_stream(self, address: Address, chunks: Sequence[Block]) -> Ts:
        """Open a stream in the address's thread and return its message's id."""
        opening = {
            "channel": address.channel,
            "thread_ts": address.thread_ts,
            "recipient_team_id": address.person_team,
            "recipient_user_id": address.person,
            "task_display_mode": "timeline",
            "chunks": chunks,
        }
        answer = await self._call("chat.startStream", opening, is_patient=False)
        return Ts(answer["ts"])

    async def append(self, channel: str, ts: str, chunks: Sequence[Block]) -> None:
        """Add to a stream; does not wait for its turn."""
        await self._call("chat.appendStream", {"channel": channel, "ts": ts, "chunks": chunks}, is_patient=False)

    async def stop_stream(
        self, channel: str, ts: str, *, chunks: Sequence[Block] = (), blocks: Sequence[Block] = ()
    ) -> None:
        """Close a stream, adding `chunks` to its text and `blocks` below."""
        closing = {"channel": channel, "ts": ts, "chunks": chunks or None, "blocks": blocks or None}
        await self._call("chat.stopStream", closing)

    async def set_status(self, address: Address, status: str) -> None:
        """Say in the thread what is going on; empty takes it away. Does not wait for its turn."""
        shown = {"channel_id": address.channel, "thread_ts": address.thread_ts, "status": status}
        await self._call("assistant.threads.setStatus", shown, is_patient=False)

    async def whisper(self, address: Address, text: str) -> None:
        """Tell the address's person something, in mrkdwn, that nobody else sees."""
        shown = {
            "channel": address.channel,
            "user": address.person,
            "thread_ts": address.thread_ts or None,
            "text": text,
        }
        await self._call("chat.postEphemeral", shown)

    async def open_modal(self, trigger_id: str, view: Block) -> None:
        """Open a modal; a trigger lives for three seconds, so this never waits."""
        await self._call("views.open", {"trigger_id": trigger_id, "view": view}, is_patient=False)

    async def open_direct(self, person: PersonId) -> ChannelId:
        """Return the direct-message channel with a person."""
        answer = await self._call("conversations.open", {"users": person})
        return ChannelId(answer["channel"]["id"])

    async def permalink(self, channel: str, ts: str) -> str:
        """Return the address of a message."""
        answer = await self._call("chat.getPermalink", {"channel": channel, "message_ts": ts}, is_form=True)
        return str(answer["permalink"])

    async def replies(self, channel: str, thread_ts: str, *, latest: str, limit: int) -> list[Payload]:
        """Return up to `limit` messages of a thread up to `latest`, its root first."""
        page = {"channel": channel, "ts": thread_ts, "latest": latest, "limit": limit, "inclusive": "true"}
        answer = await self._call("conversations.replies", page, is_form=True)
        return list(answer["messages"])

    async def _call(
        self, method: str, arguments: dict[str, Any], *, is_patient: bool = True, is_form: bool = False
    ) -> Payload:
        given = {name: value for name, value in arguments.items() if value is not None}
        if not is_patient:
            return await self._attempt(method, given, is_form=is_form)
        again = (SlackBusyError, _MaybeHeardError) if method in _REPEATABLE else SlackBusyError
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(again),
            stop=stop_after_attempt(6) | stop_after_delay(90),
            wait=_growing_seconds,
            reraise=True,
        ):
            with attempt:
                await self.pace.wait(method, given.get("channel", ""))
                return await self._attempt(method, given, is_form=is_form)
        raise AssertionError("unreachable: the last attempt's error is raised")

    async def _attempt(self, method: str, arguments: dict[str, Any], *, is_form: bool) -> Payload:
        try:
            if is_form:
                response = await self._client.api_call(method, http_verb="GET", params=arguments)
            else:
                response = await self._client.api_call(method, json=arguments)
        except SlackApiError as error:
            raise self._explained(method, error.response) from error
        except (*_TRANSPORT, SlackClientError) as error:
            raise _MaybeHeardError(f"{method}: {type(error).__name__}") from error
        return _content(response)

    def _explained(self, method: str, response: Any) -> SlackError:
        code = _error_code(response)
        said = f"{method}: {code}"
        if code == "ratelimited":
            self.pace.close(method, _retry_after_seconds(response))
            return SlackBusyError(said)
        if code in _REFUSALS and not (method in _STREAMING and code == "message_not_found"):
            return PostRefusedError(said)
        if method in _STREAMING:
            return StreamRefusedError(said)
        return _MaybeHeardError(said) if code in _BREAKDOWNS else SlackError(said)


def _content(response: Any) -> Payload:
    return response.data


def _error_code(response: Any) -> str:
    # Where Slack breaks down it may answer with no JSON, and the library with a response of another kind.
    status: int = getattr(response, "status_code", HTTPStatus.BAD_GATEWAY)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "ratelimited"
    return "internal_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else str(response.get("error", ""))


def _retry_after_seconds(response: Any) -> float:
    headers: dict[str, str] = {name.lower(): value for name, value in response.headers.items()}
    return min(float(headers.get("retry-after", 1)), 60.0)


def _growing_seconds(state: RetryCallState) -> float:
    outcome = state.outcome
    if outcome is not None and isinstance(outcome.exception(), SlackBusyError):
        return 0.0  # Slack said how long, and the pace waits that long.
    return min(2.0 ** (state.attempt_number - 1), 4.0)
