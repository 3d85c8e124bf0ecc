"""Which addresses of documents people may click: those of hosts that an administrator named.

A document cannot vouch for an address, not even for its own `url:`: its author could lead people anywhere.
"""

from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import urlsplit

from graph import patterns

ANY_HOST: Final = "*"
_ADDRESS: Final = patterns.compile(r"https?://[^\s<>()\[\]|\"`]+", patterns.IGNORE_CASE)
_AFTER: Final = ".,;:!?'*_"


def host_of(url: str) -> str:
    """Return the host that a web address leads to; empty where it is none."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold().rstrip(".")
    except ValueError:
        return ""
    # "https://wiki.example.com@evil.example" names one host and leads to another.
    is_plain = parts.scheme.casefold() in ("http", "https") and "@" not in parts.netloc and "\\" not in url
    return host if is_plain else ""


def is_vouched(url: str, hosts: Collection[str]) -> bool:
    """Tell whether an address is one of a known host, or of one below it."""
    host = host_of(url)
    return bool(host) and _is_one_of(host, hosts)


def unvouched(found: Iterable[str], hosts: Collection[str]) -> list[str]:
    """Return the hosts that nobody named, in their order."""
    return [host for host in found if not _is_one_of(host, hosts)]


def vouched_in(text: str, hosts: Collection[str]) -> list[str]:
    """Return the addresses in a text that are vouched for, each once, in their order."""
    found = (match[0].rstrip(_AFTER) for match in _ADDRESS.finditer(text)) if hosts else ()
    return list(dict.fromkeys(url for url in found if is_vouched(url, hosts)))


def _is_one_of(host: str, hosts: Collection[str]) -> bool:
    return ANY_HOST in hosts or any(host == known or host.endswith(f".{known}") for known in hosts)
