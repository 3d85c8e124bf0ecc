"""Serves the local servers of tests."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def answering(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncGenerator[str]:
    """Answer all requests on a free port, and yield the server's address, without a slash at its end."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with served(app) as address:
        yield address


@asynccontextmanager
async def served(app: web.Application) -> AsyncGenerator[str]:
    """Serve an application on a free port, and yield its address, without a slash at its end."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
