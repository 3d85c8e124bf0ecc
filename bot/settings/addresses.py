"""What an address says of the way there: whether it is encrypted, and whether it stays in one's own network (pure)."""

from ipaddress import ip_address
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

Fault: TypeAlias = Literal["no_address", "open"]
"""It is no web address, or it is one without encryption outside one's own network."""
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".home.arpa")
"""Suffixes of names that exist only in private networks (RFC 6761, 6762, 8375, and ICANN for `.internal`)."""


def fault_of(url: str) -> Fault | None:
    """Return why words and keys may not go to an address; `None` if they may."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if not (host and url.startswith(("http://", "https://"))):
        return "no_address"
    return "open" if is_open(url) else None


def is_open(url: str) -> bool:
    """Tell whether an address has no encryption and may be outside one's own network."""
    address = urlsplit(url)
    return address.scheme == "http" and not _is_private(address.hostname or "")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        # A name without a dot, such as a container's, exists only in one's own network.
        return "." not in host.rstrip(".") or host.endswith(_PRIVATE_NAMES)
