"""Restricts access to programs of this machine and the playground's own page."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

LOOPBACK_NAMES = {"127.0.0.1", "localhost", "[::1]"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def only_this_machine(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse a request with a foreign Host (DNS rebinding) or a foreign Origin."""
    origin = request.headers.get("Origin")
    if not is_loopback(request.host) or (origin is not None and origin != f"http://{request.host}"):
        raise web.HTTPForbidden(text="The playground talks to this machine and to its own page only.")
    return await handler(request)


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Set a content security policy: the page may load and send nothing elsewhere."""
    response.headers.update(HEADERS)


def is_loopback(host: str) -> bool:
    """Tell whether a Host header names the loopback interface."""
    name = urlsplit(f"//{host}").hostname or ""
    return (f"[{name}]" if ":" in name else name) in LOOPBACK_NAMES
