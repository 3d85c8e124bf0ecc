"""Servers at their own addresses that are not Slack, or that fail for now."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.support.serving import answering

NOT_SLACK = {
    "a page": {"text": "<html>Sign in</html>", "content_type": "text/html"},
    "a page that is not found": {"text": "<html>404</html>", "content_type": "text/html", "status": 404},
    "plain text": {"text": "It works!"},
    "a list": {"text": "[1, 2]", "content_type": "application/json"},
    "another API": {"text": '{"status": "fine"}', "content_type": "application/json"},
    "another API that is fine": {"text": '{"ok": true}', "content_type": "application/json"},
    "broken JSON": {"text": "{", "content_type": "application/json"},
}


@asynccontextmanager
async def serving(answer: dict[str, Any], *, status: int | None = None) -> AsyncGenerator[str]:
    """Serve one answer to every request, and yield the address."""

    async def respond(_request: web.Request) -> web.Response:
        return web.Response(**{**answer, **({"status": status} if status else {})})

    async with answering(respond) as url:
        yield f"{url}/api/"
