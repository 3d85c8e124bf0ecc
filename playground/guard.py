"""Who may talk to the playground: this machine's programs and its own page, and no other web page."""

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
    """Refuse a request whose Host is no name of ours (DNS rebinding) or whose Origin is another page's."""
    origin = request.headers.get("Origin")
    if not is_loopback(request.host) or (origin is not None and origin != f"http://{request.host}"):
        raise web.HTTPForbidden(text="The playground talks to this machine and to its own page only.")
    return await handler(request)


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Let nothing a page shows run, load or send anything elsewhere."""
    response.headers.update(HEADERS)


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine's loopback."""
    name = urlsplit(f"//{host}").hostname or ""
    return (f"[{name}]" if ":" in name else name) in LOOPBACK_NAMES
