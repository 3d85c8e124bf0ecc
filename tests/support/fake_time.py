"""An event loop on a fake clock: if nothing else is left to do, time jumps to the next timer.

Clients and servers talk over real sockets, but not over TCP: their connections are pairs of sockets within the process.
What one side sends, the other side can read at once. So if no socket is ready, nothing is on its way. TCP may deliver
later on a busy machine, and then time would jump too early.
"""

import asyncio
import selectors
import socket
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

BEGAN = datetime(2026, 11, 21, 12, tzinfo=UTC)


def on_fake_time(waits: Callable[Given, Coroutine[Any, Any, Result]]) -> Callable[Given, Result]:
    """Run a coroutine, such as a test, on a fake clock. However long it waits, that takes no time."""

    @wraps(waits)
    def at_once(*args: Given.args, **named: Given.kwargs) -> Result:
        with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
            return runner.run(waits(*args, **named))

    return at_once


class LoopClock:
    """A clock that goes by the running event loop."""

    def now(self) -> datetime:
        return BEGAN + timedelta(seconds=asyncio.get_running_loop().time())


class FakeTimeLoop(asyncio.SelectorEventLoop):
    """The event loop. Its time begins at 0, and computing takes none of it."""

    def __init__(self) -> None:
        self._waiting = _JumpingSelector()
        self._served: dict[int, Callable[[], asyncio.BaseProtocol]] = {}
        """What answers at each port of this machine."""
        self._ports: dict[socket.socket, int] = {}
        """To which port each socket connects that an HTTP client made itself."""
        super().__init__(self._waiting)

    def time(self) -> float:
        return self._waiting.now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        # On a thread it would end at a moment that no clock of ours knows.
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - who waits for it gets it.
            future.set_exception(error)
        return future

    async def create_server(self, protocol_factory: Any, host: Any = None, port: Any = None, **more: Any) -> Any:
        server: Any = await super().create_server(protocol_factory, host, port, **more)
        self._served[server.sockets[0].getsockname()[1]] = protocol_factory
        return server

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        if address[1] not in self._served:
            raise ConnectionRefusedError
        self._ports[sock] = address[1]

    async def create_connection(
        self, protocol_factory: Any, host: Any = None, port: Any = None, *, sock: Any = None, **more: Any
    ) -> Any:
        if sock is not None:
            port = self._ports.pop(sock)
            sock.close()
        if port not in self._served:
            raise ConnectionRefusedError
        near, far = (_End(fileno=end.detach()) for end in socket.socketpair())
        await self.connect_accepted_socket(self._served[port], far)
        return await super().create_connection(protocol_factory, sock=near)


class _JumpingSelector(selectors.DefaultSelector):
    """Tells which sockets are ready. Instead of waiting for a timer it moves the time."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "Nothing will happen any more, and something still waits."
            self.now += timeout
        return ready


class _End(socket.socket):
    """One end of a connection, which has none of TCP's options."""

    def setsockopt(self, level: int, *option: Any) -> None:
        if level != socket.IPPROTO_TCP:
            super().setsockopt(level, *option)
