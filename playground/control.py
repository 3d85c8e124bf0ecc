"""The control API over HTTP: act as a person, read the state, serve the page."""

import asyncio
import contextlib
import hmac
import json
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aiohttp import web

from playground.errors import SlackError
from playground.person import Person
from playground.protocol.interactions import NotThereError
from playground.state.slack import Slack
from playground.state.workspace import Channel
from playground.wire import Delivery, Json

PAGE = Path(__file__).with_name("page")
ACTS = {
    "choose",
    "click",
    "click_in_view",
    "close_view",
    "delete",
    "edit",
    "invite",
    "open_home",
    "post",
    "react",
    "share",
    "stop",
    "submit",
    "unreact",
}
FAULTS = {
    "clear",
    "delay",
    "delay_deliveries",
    "drop_deliveries",
    "duplicate",
    "fail",
    "lose_answer",
    "refuse_streaming",
    "reorder",
}
SHOWN_RECORDS = 200
HEARTBEAT_SECONDS = 15.0


class Control:
    """The handlers. Each requires the control token, which the page has as a cookie."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    async def page(self, request: web.Request) -> web.StreamResponse:
        """Serve the page if the address or the cookie has the key."""
        if self._is_right(request.query.get("key", "")):
            # Redirect, so that the key does not stay in the address bar and the browser's history.
            response = web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": request.path})
            response.set_cookie(self._cookie, self._slack.tokens.control, httponly=True, samesite="Strict")
            return response
        if not self._is_right(self._given(request)):
            raise web.HTTPUnauthorized(text="Open the address that was printed at the start: it carries the key.")
        return web.Response(text=(PAGE / "index.html").read_text(encoding="utf-8"), content_type="text/html")

    async def state(self, request: web.Request) -> web.StreamResponse:
        """Return the whole state."""
        self._check(request)
        slack = self._slack
        statuses = [{"channel": at, "thread_ts": ts, **status} for (at, ts), status in slack.statuses.items()]
        return web.json_response(
            {
                "workspace": {
                    **slack.workspace.to_json(),
                    "channels": [_shown(one) for one in slack.workspace.channels.values()],
                },
                "statuses": statuses,
                "views": list(slack.views.values()),
                "homes": slack.homes,
                "connections": slack.sockets.connection_count,
                "calls": [call.to_json() for call in list(slack.calls)[-SHOWN_RECORDS:]],
                "deliveries": [delivery.to_json() for delivery in list(slack.deliveries)[-SHOWN_RECORDS:]],
            }
        )

    async def thread(self, request: web.Request) -> web.StreamResponse:
        """Return a thread's messages."""
        self._check(request)
        channel = self._slack.workspace.channels[request.query["channel"]]
        return web.json_response(channel.thread(request.query["root_ts"]))

    async def calls(self, request: web.Request) -> web.StreamResponse:
        """Return the recorded calls."""
        self._check(request)
        return web.json_response([call.to_json() for call in self._slack.calls])

    async def deliveries(self, request: web.Request) -> web.StreamResponse:
        """Return the recorded deliveries."""
        self._check(request)
        return web.json_response([delivery.to_json() for delivery in self._slack.deliveries])

    async def act(self, request: web.Request) -> web.StreamResponse:
        """Act as a person. The body holds the arguments."""
        self._check(request)
        name, member = request.match_info["act"], self._slack.workspace.members.get(request.match_info["person"])
        if name not in ACTS or member is None:
            raise web.HTTPNotFound(text="no such act or person")
        try:
            result = await getattr(Person(self._slack, member), name)(**await request.json())
        except (SlackError, NotThereError, TimeoutError, TypeError) as error:
            return web.json_response({"ok": False, "error": str(error)}, status=400)
        return web.json_response({"ok": True, "result": _plain(result)})

    async def fault(self, request: web.Request) -> web.StreamResponse:
        """Inject a fault."""
        self._check(request)
        name = request.match_info["fault"]
        if name == "cut_sockets":
            self._slack.sockets.cut()
        elif name == "cut_pages":
            self._slack.changes.publish({"type": "cut"})
        elif name == "refresh":
            await self._slack.sockets.refresh()
        elif name in FAULTS:
            getattr(self._slack.faults, name)(**await request.json())
        else:
            raise web.HTTPNotFound(text="no such fault")
        return web.json_response({"ok": True})

    async def advance(self, request: web.Request) -> web.StreamResponse:
        """Move the clock ahead by `seconds`."""
        self._check(request)
        self._slack.clock.advance(float((await request.json())["seconds"]))
        return web.json_response({"ok": True})

    async def changes(self, request: web.Request) -> web.StreamResponse:
        """Stream all changes from now on, as server-sent events."""
        self._check(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        with self._slack.changes.follow() as changes, contextlib.suppress(ConnectionError):
            await response.prepare(request)
            await response.write(b": listening\n\n")
            while not self._slack.sockets.is_closed and (event := await _next_event(changes)):
                await response.write(event)
        return response

    def _check(self, request: web.Request) -> None:
        if not self._is_right(self._given(request)):
            raise web.HTTPUnauthorized(text="The control token is missing or wrong.")

    def _given(self, request: web.Request) -> str:
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return bearer or request.cookies.get(self._cookie, "")

    def _is_right(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self._slack.tokens.control.encode())

    @property
    def _cookie(self) -> str:
        # Cookies ignore ports, so the name must differ between two playgrounds.
        return "playground-" + self._slack.url.rstrip("/").rsplit(":", 1)[-1]


async def _next_event(changes: asyncio.Queue[Json]) -> bytes:
    try:
        change = await asyncio.wait_for(changes.get(), HEARTBEAT_SECONDS)
    except TimeoutError:
        return b": still here\n\n"
    if change["type"] == "cut":
        return b""
    return b"data: " + json.dumps(change, ensure_ascii=False).encode() + b"\n\n"


def _shown(channel: Channel) -> Json:
    messages = [channel.shown(ts) for ts in channel.messages]
    return {**asdict(channel), "messages": messages, "ephemerals": list(channel.ephemerals.values())}


def _plain(result: Any) -> Any:
    return result.to_json() if isinstance(result, Delivery) else result
