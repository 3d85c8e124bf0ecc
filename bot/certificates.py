"""The certificates that clients of HTTP trust."""

from functools import cache
from ssl import SSLContext

import httpx


@cache
def authorities() -> SSLContext:
    """Return the trusted certificates, cached: reading them takes longer than many a call."""
    return httpx.create_ssl_context()
