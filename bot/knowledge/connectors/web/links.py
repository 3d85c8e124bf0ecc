"""Finds the links of a page or a sitemap. The texts are untrusted (pure)."""

import zlib
from html import unescape
from typing import Final

from bot.errors import KnowledgeError
from bot.knowledge.connectors.web.addresses import joined
from graph import patterns

_LINK: Final = patterns.compile(
    r"""<a\s[^>]*?\bhref\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s>"']+))""", patterns.IGNORE_CASE
)
_PLACE: Final = patterns.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*(?P<place>[^<\]\s]+)", patterns.IGNORE_CASE)
_MOST: Final = 50_000
_LARGEST: Final = 50_000_000
"""The most bytes of an unpacked sitemap, by the standard."""


def links_of(content: bytes, url: str) -> list[str]:
    """Return the pages to which an HTML page links, each once."""
    text = content.decode("utf-8", "replace")
    links = (match["double"] or match["single"] or match["bare"] for match in _LINK.finditer(text))
    return list(dict.fromkeys(there for link in links if (there := joined(url, unescape(link)))))[:_MOST]


def places_in(content: bytes, url: str) -> tuple[list[str], bool]:
    """Return the addresses in a sitemap, and whether they are sitemaps. Raises `KnowledgeError` if it is not whole."""
    text = _unpacked(content).decode("utf-8", "replace")
    # One that ends in the middle does not list pages that are still there.
    if "</sitemapindex" not in text and "</urlset" not in text:
        raise KnowledgeError(f"{url} is no whole sitemap.")
    found = (joined(url, unescape(match["place"])) for match in _PLACE.finditer(text))
    return list(dict.fromkeys(place for place in found if place)), "<sitemapindex" in text


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    unpacker = zlib.decompressobj(31)
    try:
        text = unpacker.decompress(content, _LARGEST)
    except zlib.error as error:
        raise KnowledgeError("The sitemap cannot be unpacked.") from error
    if unpacker.unconsumed_tail:
        raise KnowledgeError(f"The sitemap is larger than {_LARGEST // 1_000_000} MB.")
    if not unpacker.eof:
        raise KnowledgeError("The sitemap cannot be unpacked: it ends in the middle.")
    return text
