"""Addresses of pages and machines: which belong to one site, and which are forbidden (pure)."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import PurePosixPath
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, urldefrag, urljoin, urlsplit, urlunsplit

from bot.errors import KnowledgeError
from bot.knowledge.readers.formats import READABLE

Shape: TypeAlias = Literal["page", "sitemap", "below"]

_LONGEST: Final = 1000
_AS_IT_IS: Final = "!#$%&'()*+,/:;=?@[]~"
_PORTS: Final = {"http": 80, "https": 443}
_ENDINGS: Final = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/pdf": ".pdf",
}
"""The file suffix for a server's content type."""
_WITHIN: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
"""IPv6 networks whose addresses contain an IPv4 address."""


def normal(url: str) -> str:
    """Normalise an address. Raises `KnowledgeError` if it is no page's address or holds a password."""
    try:
        parts = urlsplit(urldefrag(url.strip()).url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise KnowledgeError(f"{url} is no address of a page: give one such as https://docs.example.com/.") from error
    if parts.scheme not in _PORTS or not host or len(url) > _LONGEST:
        raise KnowledgeError("It is no address of a page: give one such as https://docs.example.com/.")
    if "@" in parts.netloc:
        raise KnowledgeError("The address holds a user name or a password, which everybody would see: leave it out.")
    place = f"[{host}]" if ":" in host else host
    if port and port != _PORTS[parts.scheme]:
        place = f"{place}:{port}"
    path, query = quote(parts.path or "/", safe=_AS_IT_IS), quote(parts.query, safe=_AS_IT_IS)
    return urlunsplit((parts.scheme, place, path, query, ""))


def joined(base: str, link: str) -> str | None:
    """Return the address of a page's link; `None` if it leads to no page."""
    try:
        return normal(urljoin(base, link.strip()))
    except (KnowledgeError, ValueError):
        return None


def shape_of(location: str) -> Shape:
    """Return whether an address is a page, a folder of pages or a sitemap."""
    path = urlsplit(location).path
    if path.endswith((".xml", ".xml.gz")):
        return "sitemap"
    return "below" if path.endswith("/") else "page"


def is_same_site(one: str, other: str) -> bool:
    """Tell whether the second address has the same host and port, and is not less encrypted."""
    before, after = urlsplit(one), urlsplit(other)
    if before.hostname != after.hostname:
        return False
    if (before.scheme, after.scheme) == ("http", "https"):
        return before.port is None and after.port is None
    return (before.scheme, before.port) == (after.scheme, after.port)


def path_of(url: str, location: str, mime: str) -> str | None:
    """Return a page's path below its source; `None` if its content type cannot be read."""
    parts = urlsplit(url)
    folder = urlsplit(location).path if shape_of(location) == "below" else "/"
    path = parts.path.removeprefix(folder).lstrip("/")
    if not path or path.endswith("/"):
        path += "index"
    if parts.query:
        path += f"?{parts.query}"
    ending = PurePosixPath(parts.path).suffix.lower()
    if mime in _ENDINGS and not (ending in READABLE and mime == "text/plain"):
        wanted = _ENDINGS[mime]
        return path if path.lower().endswith(wanted) else f"{path}{wanted}"
    if ending not in READABLE:
        return None
    return path if not parts.query else f"{path}{ending}"


def may_connect(address: str, *, is_internal: bool) -> bool:
    """Tell whether a machine's address is allowed: public, or for an internal host also private."""
    every = _all_within(ip_address(address.partition("%")[0]))
    if is_internal:
        return not any(one.is_link_local or one.is_multicast or one.is_unspecified for one in every)
    return all(one.is_global and not one.is_multicast for one in every)


def _all_within(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """Return an address and the IPv4 addresses that it contains."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    if address.sixtofour:
        return [address, address.sixtofour]
    if address.teredo:
        return [address, *address.teredo]
    if any(address in network for network in _WITHIN) and int(address) > 1:
        return [address, IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address]
