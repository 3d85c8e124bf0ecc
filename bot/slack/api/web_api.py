"""Calls of Slack's Web API: at our pace, with retries if they are worth it, and with errors of ours."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, stop_after_delay

from bot.conversation.workers import permit
from bot.errors import (
    MessageKeptError,
    OutcomeUnknownError,
    PersonUnknownError,
    PostRefusedError,
    SlackBusyError,
    SlackError,
    StreamRefusedError,
    StreamStoppedError,
    ThreadGoneError,
)
from bot.slack.api.pace import Pace
from bot.slack.payloads.shapes import Payload
from bot.telemetry import metrics

_REFUSALS: Final = frozenset(
    {
        "not_in_channel",
        "channel_not_found",
        "is_archived",
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
        "user_disabled",
        "cannot_dm_bot",
    }
)
"""Slack's names for: not here, not (any more) in this message."""

_NAMED: Final[Mapping[str, type[SlackError]]] = {
    "ratelimited": SlackBusyError,
    "thread_not_found": ThreadGoneError,
    "user_not_found": PersonUnknownError,
    "user_not_visible": PersonUnknownError,
    "stopped_by_user": StreamStoppedError,
}

_STREAMING: Final = frozenset({"chat.startStream", "chat.appendStream", "chat.stopStream"})
_REPEATABLE: Final = frozenset({"chat.update", "chat.delete", "conversations.open"})
"""Methods that do no harm when Slack heard them the first time, besides those that only read."""

_BREAKDOWNS: Final = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})

PAUSE_SECONDS: Final = 600.0
"""How long a method is not called after a lasting refusal; somebody may grant a scope or buy a plan meanwhile."""

_NEVER_PAUSED: Final = frozenset({"chat.postMessage", "chat.update", "users.info", "views.open"})
"""What people wait for is tried each time, so that it works as soon as it is allowed."""

_OF_THE_WORKSPACE: Final = frozenset(
    {
        "access_denied",
        "deprecated_endpoint",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "feature_disabled",
        "feature_not_enabled",
        "method_deprecated",
        "missing_scope",
        "no_permission",
        "not_allowed",
        "not_allowed_token_type",
        "paid_only",
        "paid_teams_only",
        "team_access_not_granted",
        "unknown_method",
    }
)
_OF_THE_CHANNEL: Final = frozenset({"channel_type_not_supported", "method_not_supported_for_channel_type"})

_TRANSPORT = (aiohttp.ClientError, TimeoutError, OSError)


class _PausedMethods:
    """The methods of one workspace that Slack refuses for a lasting reason, some in one channel only."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._refused: dict[tuple[str, str], tuple[str, float]] = {}

    def refused(self, method: str, channel: str, code: str) -> bool:
        """Take note of a refusal, by Slack's name for it; return whether the method is paused from now on."""
        if method in _NEVER_PAUSED or code not in _OF_THE_WORKSPACE | _OF_THE_CHANNEL:
            return False
        place = channel if code in _OF_THE_CHANNEL else ""
        self._refused[method, place] = code, self._now() + PAUSE_SECONDS
        return True

    def reason(self, method: str, channel: str) -> str | None:
        """Return why a method is paused, by Slack's name for it; None if it may be called."""
        for place in ("", channel):
            code, until = self._refused.get((method, place), ("", 0.0))
            if code and self._now() < until:
                return code
            self._refused.pop((method, place), None)
        return None


class WebApi:
    """One workspace's Web API."""

    def __init__(self, client: AsyncWebClient, *, pace: Pace) -> None:
        # Without the library's own retries: they repeat a post whose answer was lost.
        self._client = AsyncWebClient(
            client.token,
            base_url=client.base_url,
            timeout=client.timeout,
            ssl=client.ssl,
            proxy=client.proxy,
            session=client.session,
            retry_handlers=[],
        )
        self.pace = pace
        self._paused = _PausedMethods(pace.now)

    def is_paused(self, method: str, channel: str) -> bool:
        """Tell whether Slack has just refused a method for a lasting reason, so that it is not called."""
        return self._paused.reason(method, channel) is not None

    async def call(
        self,
        method: str,
        arguments: Mapping[str, Any],
        *,
        is_patient: bool = True,
        is_read: bool = False,
        check: Callable[[], None] | None = None,
    ) -> Payload:
        """Call a method; arguments that are None are left out. An impatient call is made only once.

        `check` may raise an error at the last moment, because a call may wait for its turn, and for its run's permit.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        if not is_patient:
            return await self._attempt(method, given, is_read=is_read, check=check)
        again = (SlackBusyError, OutcomeUnknownError) if is_read or method in _REPEATABLE else SlackBusyError
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(again),
            stop=stop_after_attempt(6) | stop_after_delay(90),
            wait=self._growing_seconds,
            reraise=True,
        ):
            with attempt:
                await self.pace.wait(method, given.get("channel", ""))
                return await self._attempt(method, given, is_read=is_read, check=check)
        raise AssertionError("unreachable: the last attempt's error is raised")

    def _growing_seconds(self, state: RetryCallState) -> float:
        outcome = state.outcome
        if outcome is not None and isinstance(outcome.exception(), SlackBusyError):
            return 0.0  # Slack said how long, and the pace waits that long.
        return self.pace.scaled(min(2.0 ** (state.attempt_number - 1), 4.0))

    async def _attempt(
        self, method: str, arguments: dict[str, Any], *, is_read: bool, check: Callable[[], None] | None
    ) -> Payload:
        await permit.require()
        if check:
            check()
        place = str(arguments.get("channel") or arguments.get("channel_id") or "")
        if reason := self._paused.reason(method, place):
            raise _explained(method, reason)
        try:
            if is_read:
                response = await self._client.api_call(method, http_verb="GET", params=arguments)
            else:
                response = await self._client.api_call(method, json=arguments)
        except SlackApiError as error:
            code = _error_code(error.response)
            metrics.SLACK_CALLS.labels(method, "ratelimited" if code == "ratelimited" else "refused").inc()
            if code == "ratelimited":
                await self.pace.close(method, _retry_after_seconds(error.response))
            if self._paused.refused(method, place, code):
                structlog.get_logger().warning("method_paused", method=method, error=code, seconds=PAUSE_SECONDS)
            raise _explained(method, code) from error
        except (*_TRANSPORT, SlackClientError) as error:
            metrics.SLACK_CALLS.labels(method, "lost").inc()
            raise OutcomeUnknownError(f"{method}: {type(error).__name__}") from error
        metrics.SLACK_CALLS.labels(method, "ok").inc()
        return _content(response)


def _explained(method: str, code: str) -> SlackError:
    said = f"{method}: {code}"
    if code in _NAMED:
        return _NAMED[code](said)
    if code in _REFUSALS and not (method in _STREAMING and code == "message_not_found"):
        return PostRefusedError(said)
    if method in _STREAMING:
        return StreamRefusedError(said)
    if code in _BREAKDOWNS:
        return OutcomeUnknownError(said)
    # For whatever reason: a workspace may keep what was written, and no list of its reasons is complete.
    return MessageKeptError(said) if method == "chat.delete" else SlackError(said)


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
