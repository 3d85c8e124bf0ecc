"""Socket Mode: sends each payload to one of the app's connections, and repeats it until it is acknowledged."""

import asyncio
import contextlib
import itertools
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from playground.protocol.faults import Faults
from playground.state.changes import Changes
from playground.state.clock import Clock
from playground.wire import Attempt, Delivery, DeliveryKind, Json

MOST_CONNECTIONS = 10


@dataclass(eq=False, kw_only=True)
class Connection:
    """One open socket of the bot, with the deliveries that wait for acknowledgement."""

    number: int
    websocket: web.WebSocketResponse
    request: web.Request
    awaited: dict[str, asyncio.Future[Json]] = field(default_factory=dict[str, "asyncio.Future[Json]"])
    is_retiring: bool = False
    """Whether it was told to disconnect, so that it gets nothing new."""


class SocketMode:
    """The app's connections and the deliveries to them.

    Slack documents retries for events over HTTP only: at once, after a minute, after five. We assume the same for
    Socket Mode, that events wait while there is no connection, and that a click is sent once.
    """

    def __init__(
        self, *, clock: Clock, changes: Changes, faults: Faults, ack_seconds: float, retry_pauses: Sequence[float]
    ) -> None:
        self._clock = clock
        self._changes = changes
        self._faults = faults
        self._ack_seconds = ack_seconds
        self._retry_pauses = retry_pauses
        self._connections: list[Connection] = []
        self._numbers = itertools.count(1)
        self._turn = itertools.count()
        self._tickets: set[str] = set()
        self._somebody = asyncio.Event()
        self._line = asyncio.Lock()
        """Events that wait for a socket, in order."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_closed = False
        """Whether the playground is stopping."""

    @property
    def connection_count(self) -> int:
        """The number of open sockets."""
        return len(self._connections)

    def give_ticket(self) -> str:
        """Return a secret that opens one socket."""
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        return ticket

    def send(self, kind: DeliveryKind, payload: Json) -> Delivery:
        """Start the delivery of a payload, and return its record."""
        delivery = Delivery(
            id=payload.get("event_id") or secrets.token_hex(8), kind=kind, payload=payload, at=self._clock.now()
        )
        self._tell(delivery)
        for due in self._faults.sent_now(delivery):
            self._set_off(due)
        return delivery

    async def accept(self, request: web.Request) -> web.StreamResponse:
        """Serve one socket, from hello to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets or len(self._connections) >= MOST_CONNECTIONS:
            raise web.HTTPForbidden(text="no such ticket, or too many sockets")
        self._tickets.discard(ticket)
        websocket = web.WebSocketResponse(heartbeat=30)
        await websocket.prepare(request)
        connection = Connection(number=next(self._numbers), websocket=websocket, request=request)
        self._connections.append(connection)
        try:
            await websocket.send_json(self._hello(request.query.get("app_id", "")))
            self._came_or_went()
            await self._read(connection)
        finally:
            self._drop(connection)
        return websocket

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask the bot to reconnect its sockets, as Slack does every few hours, or send a `warning`."""
        for connection in list(self._connections):
            connection.is_retiring = reason != "warning"
            await connection.websocket.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "playground"}}
            )
        self._came_or_went()

    def cut(self) -> None:
        """Close every socket without warning, as a network failure does."""
        for connection in list(self._connections):
            if transport := connection.request.transport:
                transport.abort()
            self._drop(connection)

    async def close(self) -> None:
        """Stop deliveries and close every socket."""
        self.is_closed = True
        self._changes.publish({"type": "closed"})
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in list(self._connections):
            with contextlib.suppress(ConnectionError):
                await connection.websocket.close()

    def _set_off(self, delivery: Delivery) -> None:
        for _ in range(2 if self._faults.duplicates() else 1):
            task = asyncio.create_task(self._deliver(delivery, late_seconds=self._faults.lateness_seconds()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _read(self, connection: Connection) -> None:
        async for message in connection.websocket:
            if message.type is not WSMsgType.TEXT:
                continue
            with contextlib.suppress(ValueError):
                self._acknowledge(connection, json.loads(message.data))

    def _acknowledge(self, connection: Connection, message: Any) -> None:
        awaited = connection.awaited.pop(message.get("envelope_id", ""), None)
        if awaited and not awaited.done():
            awaited.set_result(message.get("payload") or {})

    async def _deliver(self, delivery: Delivery, *, late_seconds: float) -> None:
        if late_seconds:
            await self._clock.sleep(late_seconds)
        reason = ""
        pauses = (0.0, *self._retry_pauses) if delivery.kind == "events_api" else (0.0,)
        for pause in pauses:
            if pause:
                await self._clock.sleep(pause)
            reason = await self._attempt(delivery, reason)
            if not reason:
                return
        if delivery.state != "acknowledged":
            delivery.state = "given_up"
            self._tell(delivery)

    async def _attempt(self, delivery: Delivery, reason: str) -> str:
        """Send once. Return the reason of a failure, or nothing."""
        envelope_id = secrets.token_hex(16)
        awaited: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        connection = await self._take_connection(delivery.kind)
        if connection is None:
            return "connection_failed"
        envelope = self._envelope(delivery, envelope_id, reason)
        is_lost = self._faults.drops()
        number = 0 if is_lost else connection.number
        delivery.attempts.append(
            Attempt(envelope_id=envelope_id, connection=number, at=self._clock.now(), reason=reason)
        )
        delivery.state = "sent" if delivery.state == "waiting" else delivery.state
        connection.awaited[envelope_id] = awaited
        self._tell(delivery)
        try:
            if not is_lost:
                await connection.websocket.send_json(envelope)
            if not await self._clock.wait(awaited, self._ack_seconds):
                return "timeout"
            self._settle(delivery, awaited.result())
        except ConnectionError:
            return "connection_failed"
        finally:
            connection.awaited.pop(envelope_id, None)
        return ""

    def _settle(self, delivery: Delivery, answer: Json) -> None:
        delivery.state = "acknowledged"
        delivery.acknowledged_at = self._clock.now()
        delivery.answer = answer
        self._tell(delivery)

    async def _take_connection(self, kind: DeliveryKind) -> Connection | None:
        if kind != "events_api":
            return await self._next_connection(self._ack_seconds)
        async with self._line:
            return await self._next_connection(None)

    async def _next_connection(self, patience_seconds: float | None) -> Connection | None:
        while not (ready := [connection for connection in self._connections if not connection.is_retiring]):
            somebody = asyncio.ensure_future(self._somebody.wait())
            try:
                if patience_seconds is None:
                    await somebody
                elif not await self._clock.wait(somebody, patience_seconds):
                    return None
            finally:
                somebody.cancel()
        return ready[next(self._turn) % len(ready)]

    def _drop(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
        for awaited in connection.awaited.values():
            if not awaited.done():
                awaited.set_exception(ConnectionResetError("the socket ended before the acknowledgement"))
                awaited.exception()
        self._came_or_went()

    def _came_or_went(self) -> None:
        if any(not connection.is_retiring for connection in self._connections):
            self._somebody.set()
        else:
            self._somebody.clear()
        self._changes.publish({"type": "connections", "count": len(self._connections)})

    def _tell(self, delivery: Delivery) -> None:
        self._changes.publish({"type": "delivery", "delivery": delivery.to_json()})

    def _hello(self, app_id: str) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._connections),
            "debug_info": {"host": "playground", "approximate_connection_time": 18060},
            "connection_info": {"app_id": app_id},
        }

    @staticmethod
    def _envelope(delivery: Delivery, envelope_id: str, reason: str) -> Json:
        is_event = delivery.kind == "events_api"
        retry = {"retry_attempt": len(delivery.attempts), "retry_reason": reason} if is_event else {}
        return {
            "envelope_id": envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": not is_event,
            **retry,
        }
