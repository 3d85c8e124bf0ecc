"""Slack's Web API over HTTP: reads arguments, applies limits and faults, calls a method, records the response."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from playground.errors import SlackError
from playground.methods import Method
from playground.methods.arguments import content
from playground.state.slack import SCOPES, Slack
from playground.state.triggers import ResponseUrl
from playground.state.workspace import Channel
from playground.wire import Call, Json

JSON_ARGUMENTS = {"blocks", "chunks", "attachments", "metadata", "view", "loading_messages"}
APP_TOKEN_METHODS = {"apps.connections.open"}


class WebApi:
    """The HTTP handlers."""

    def __init__(self, slack: Slack, methods: Mapping[str, Method]) -> None:
        self._slack = slack
        self._methods = methods

    async def call(self, request: web.Request) -> web.StreamResponse:
        """Answer one call. A refused call is recorded too."""
        method = request.match_info["method"]
        arguments = await read_arguments(request)
        if seconds := self._slack.faults.delay_seconds(method):
            await self._slack.clock.sleep(seconds)
        token = _token(request, arguments)
        if self._slack.faults.caller_is_gone(method, "before"):
            return web.Response(status=503)
        answer, status, headers = self._answer(method, arguments, token)
        record = Call(method=method, arguments=arguments, answer=answer, status=status, at=self._slack.clock.now())
        self._slack.log(record)
        self._slack.faults.caller_is_gone(method, "after")
        if self._slack.faults.loses_answer(method) and request.transport:
            request.transport.abort()
        return web.json_response(answer, status=status, headers={"x-oauth-scopes": SCOPES, **headers})

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """Handle a request to a response URL."""
        arguments = await read_arguments(request)
        try:
            response = self._slack.triggers.take_response(request.match_info["token"])
            self._respond(response, arguments)
        except SlackError as error:
            self._log_response(arguments, {"ok": False, "error": error.name}, error.status)
            return web.Response(text=error.name, status=max(error.status, 400))
        self._log_response(arguments, {"ok": True}, 200)
        return web.Response(text="ok")

    def _answer(self, method: str, arguments: Json, token: str) -> tuple[Json, int, dict[str, str]]:
        try:
            self._check_token(method, token)
            self._slack.faults.check(method)
            perform = self._methods.get(method, _refuse_unknown)
            self._slack.rate_limits.check(method, str(arguments.get("channel", "")))
            injected = self._slack.faults.answer_to(method)
            return {"ok": True, **(perform(self._slack, arguments) if injected is None else injected)}, 200, {}
        except SlackError as error:
            details = {"response_metadata": {"messages": error.messages}} if error.messages else {}
            return {"ok": False, "error": error.name, **details}, error.status, error.headers

    def _check_token(self, method: str, token: str) -> None:
        tokens = self._slack.tokens
        if not token:
            raise SlackError("not_authed")
        if token not in {tokens.bot, tokens.app}:
            raise SlackError("invalid_auth")
        if (token == tokens.app) != (method in APP_TOKEN_METHODS):
            raise SlackError("not_allowed_token_type")

    def _respond(self, response: ResponseUrl, arguments: Json) -> None:
        slack, channel = self._slack, self._slack.workspace.channels[response.channel]
        message = channel.messages.get(response.message_ts) or channel.ephemerals.get(response.message_ts)
        if arguments.get("delete_original"):
            _delete_original(slack, channel, response.message_ts)
        elif arguments.get("replace_original") and message:
            self._replace_original(channel, message, content(arguments))
        else:
            self._add(channel, response, arguments)

    def _replace_original(self, channel: Channel, message: Json, changed: Json) -> None:
        if message["ts"] in channel.messages:
            self._slack.change(channel, message["ts"], changed, editor=self._slack.workspace.bot_user_id)
            return
        replaced = channel.ephemerals[message["ts"]] = {**message, **changed}
        self._slack.changes.publish({"type": "message", "channel": channel.id, "message": replaced})

    def _add(self, channel: Channel, response: ResponseUrl, arguments: Json) -> None:
        thread = {"thread_ts": arguments["thread_ts"]} if arguments.get("thread_ts") else {}
        author = {"user": self._slack.workspace.bot_user_id, "bot_id": self._slack.workspace.bot_id}
        message = {**author, **content(arguments), **thread}
        if arguments.get("response_type") == "in_channel":
            self._slack.post(channel, message)
        else:
            self._slack.post_privately(channel, message, person=response.person)

    def _log_response(self, arguments: Json, answer: Json, status: int) -> None:
        now = self._slack.clock.now()
        self._slack.log(Call(method="response_url", arguments=arguments, answer=answer, status=status, at=now))


async def read_arguments(request: web.Request) -> Json:
    """Return a call's arguments from the query, a form or JSON, without `token`."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        arguments.update(await request.json() if request.can_read_body else {})
    elif request.can_read_body:
        arguments.update(await request.post())
    for name in JSON_ARGUMENTS & arguments.keys():
        arguments[name] = _parsed(arguments[name])
    return arguments


def _refuse_unknown(_slack: Slack, _arguments: Json) -> Json:
    raise SlackError("unknown_method")


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _token(request: web.Request, arguments: Json) -> str:
    given = arguments.pop("token", "")
    return request.headers.get("Authorization", "").removeprefix("Bearer ").strip() or str(given)


def _delete_original(slack: Slack, channel: Channel, ts: str) -> None:
    if ts in channel.messages:
        slack.remove(channel, ts)
    elif channel.ephemerals.pop(ts, None):
        slack.changes.publish({"type": "removed", "channel": channel.id, "ts": ts})
