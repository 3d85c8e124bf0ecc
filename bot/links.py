"""Decides which addresses people may click: those of hosts that an administrator named.

A document cannot vouch for an address, not even for its own `url:`, because its author could lead people anywhere.
"""

from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import urlsplit

from graph import patterns
from graph.text.markdown import AFTER_AN_ADDRESS

ANY_HOST: Final = "*"
_ADDRESS: Final = patterns.compile(r"https?://[^\s<>()\[\]|\"`]+", patterns.IGNORE_CASE)


def host_of(url: str) -> str:
    """Return the host of a web address; empty if it is no web address."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold().rstrip(".")
    except ValueError:
        return ""
    # "https://wiki.example.com@evil.example" shows one host and leads to another.
    is_plain = parts.scheme.casefold() in ("http", "https") and "@" not in parts.netloc and "\\" not in url
    # A sign that is written out, or that nobody sees, ends a host for some readers and not for others.
    is_name = all(letter.isalnum() or letter in "-." for letter in host)
    return host if is_plain and is_name else ""


def is_vouched(url: str, hosts: Collection[str]) -> bool:
    """Tell whether an address belongs to a named host or one of its subdomains."""
    host = host_of(url)
    return bool(host) and _is_one_of(host, hosts)


def vouched_page(url: str | None, hosts: Collection[str], site: str | None) -> str | None:
    """Return a page's address if people may click it. The source at the address `site` vouches for its own pages."""
    return url if url and (is_vouched(url, hosts) or (site and host_of(url) == host_of(site))) else None


def unvouched(found: Iterable[str], hosts: Collection[str]) -> list[str]:
    """Return the hosts that the administrator did not name, in order."""
    return [host for host in found if not _is_one_of(host, hosts)]


def vouched_in(text: str, hosts: Collection[str]) -> list[str]:
    """Return the vouched addresses in a text, each once, in order."""
    found = (match[0].rstrip(AFTER_AN_ADDRESS) for match in _ADDRESS.finditer(text)) if hosts else ()
    return list(dict.fromkeys(url for url in found if is_vouched(url, hosts)))


def _is_one_of(host: str, hosts: Collection[str]) -> bool:
    return ANY_HOST in hosts or any(host == known or host.endswith(f".{known}") for known in hosts)
