"""Addresses in a text: which ones people may click, and how the others are shown."""

from collections.abc import Iterable
from typing import Final

from linkify_it.tlds import TLDS

from graph import patterns
from graph.text.lexicon import STOP_WORDS
from graph.text.markdown import AFTER_AN_ADDRESS

_WEB: Final = patterns.compile(r"https?://[^\s<>|\"`]+", patterns.IGNORE_CASE)
_LONGEST: Final = 3000
"""Characters that Slack takes for an address."""
_LONGEST_CODE: Final = 1_000
_SCHEMES: Final = "https?|mailto|tel|sms|ftp|file|data|javascript|vbscript|slack"
_NEVER_WORDS: Final = frozenset({"com", "eu", "me"})
"""Endings that are addresses in any spelling, although they are words too, of Portuguese for one."""
_ENDINGS: Final = frozenset(ending.casefold() for ending in TLDS)
_WORDS: Final = sorted((_ENDINGS & STOP_WORDS) - _NEVER_WORDS)
"""Endings that begin a sentence if they have a capital: "on Friday.It" is two sentences without a space."""
_OTHERS: Final = [r"xn--[\w-]+", *sorted(_ENDINGS.difference(_WORDS))]
_FOREIGN: Final = "x{2,12}"
"""An ending in another script, as `patterns` reads it."""
_DOT: Final = "[.。．｡]"
"""A dot, and what a browser takes for one."""
_NAME: Final = r"[\w-][\w¿-]*"
"""A part of a host's name; `¿` is any sign that `patterns` does not know, because some readers skip hidden ones."""
_SIGN: Final = r"[|~+=$^¿]"
"""What no host's name can hold, but some readers take for a part of one."""
_ADDRESS: Final = patterns.compile(
    r"<(?P<target>[^<>|\s]+)(?:\|(?P<label>[^<>]*))?>"
    r"|//[^\s<>`|\\./]+\.[^\s<>`|\\]*"
    r"|<[^\s<>()`|\\@]+@[^\s<>()`|\\@]+"
    r"|[^\s<>()`|\\@]+@[^\s<>()`|\\@]+\.[\w-]+"
    # Low lines before an address may begin an emphasis, and those behind a host end one.
    rf"|\b_*(?:(?:[a-z][a-z0-9+.-]*://|(?:{_SCHEMES}):|www\.)[^\s<>`|\\]+"
    rf"|www{_DOT}[^\s<>`|\\]+|(?:(?:{_NAME}{_DOT})+[a-z][a-z]+|(?:\d{{1,3}}{_DOT}){{3}}\d{{1,3}})(?:/|:\d)[^\s<>`|\\]*"
    ")"
    rf"|(?:\b{_NAME}|{_SIGN}){_DOT}(?:{_NAME}{_DOT})*(?:{'|'.join(_OTHERS)})_*\b"
    rf"|(?:\b{_NAME}|{_SIGN})\.(?:{_NAME}\.)*(?-i:{'|'.join([*_WORDS, *map(str.upper, _WORDS)])}|{_FOREIGN})_*\b",
    patterns.IGNORE_CASE,
)
"""What Slack may make a link of by itself: with a scheme, a name of the web, a mail address, or in its own markup."""
_LABELLED: Final = patterns.compile(
    r"<(?P<target>[a-z][a-z0-9+.-]*:[^<>|\s]+)\|(?P<label>[^<>]+)>", patterns.IGNORE_CASE
)
_PLACE: Final = patterns.compile(r"[\w.~%+-]*")
"""A place in a page; more could be another address."""


class Links:
    """The addresses that may be clicked; with a fragment of their own, too."""

    def __init__(self, urls: Iterable[str] = ()) -> None:
        self._urls = frozenset(url for url in urls if linkable(url))

    def __contains__(self, url: str) -> bool:
        page, _, place = url.partition("#")
        return url in self._urls or (page in self._urls and _PLACE.fullmatch(place) is not None)


def linkable(url: str) -> bool:
    """Say whether a person may be offered `url` to click."""
    return len(url) <= _LONGEST and _WEB.fullmatch(url) is not None


def inert(text: str, links: Links) -> str:
    """Return text in which other addresses than `links` are code, which nobody can click."""
    text = _LABELLED.sub(lambda found: found[0] if found["target"] in links else _apart(found, text), text)
    return _ADDRESS.sub(lambda found: _marked(found, links) if found.has("target") else _bare(found[0], links), text)


def _apart(found: patterns.Match, text: str) -> str:
    """Return the label of Slack's link, apart from what stands beside it: together they could be an address."""
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    return f"{' ' if before.strip() else ''}{found['label']}{' ' if after.strip() else ''}"


def _marked(found: patterns.Match, links: Links) -> str:
    target, label = found["target"], found["label"]
    if target in links:
        return explicit(inert(label, Links()) if label else target, target)
    if "@" in target[1:] or _ADDRESS.fullmatch(target):
        return inert(label, Links()) if label else _bare(target, links)
    # Anything else in angle brackets is a placeholder, such as <name>.
    return f"<{inert(target, links)}{f'|{inert(label, links)}' if found.has('label') else ''}>"


def _bare(address: str, links: Links) -> str:
    url = address.rstrip(AFTER_AN_ADDRESS)
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(AFTER_AN_ADDRESS)
    rest = address[len(url) :]
    return f"{explicit(url, url) if url in links else in_code(url)}{rest}" if url else rest


def in_code(text: str) -> str:
    """Return text without ticks as code within a line, of which each part can be shown alone.

    A long answer goes on in another message: if that began within code, its addresses would work.
    """
    parts = [text[at : at + _LONGEST_CODE] for at in range(0, len(text), _LONGEST_CODE)]
    return " ".join(f"`{part}`" for part in parts if part.strip()) or "` `"


def explicit(label: str, url: str) -> str:
    """Return a Markdown link; an address that is only written down goes on in what follows, for some readers."""
    return f"[{label.replace('[', '(').replace(']', ')') or url}]({url})"
