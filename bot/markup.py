"""Slack's message markup as plain text: what a person reads, whom they mention."""

from collections.abc import Mapping
from typing import Any

from graph import patterns
from graph.text.invisible import visible

_MARKUP = patterns.compile(r"<([^<>\n]+)>")
_EMOJI = patterns.compile(r":[\w+'-]{1,100}:")
_LONGEST_EMOJI = 102
_SPACES = patterns.compile(r"[^\S\n]+")


def mentions(text: str) -> frozenset[str]:
    """Return the ids of the people and user groups that `text` mentions."""
    targets = (_target_and_label(match[1])[0] for match in _MARKUP.finditer(text))
    return frozenset(
        target.removeprefix("@").removeprefix("!subteam^")
        for target in targets
        if target.startswith(("@", "!subteam^"))
    )


def readable(text: str, *, without: str = "") -> str:
    """Return `storable` `text` as a person reads it; drop mentions of the person `without`."""
    text = visible(storable(text))
    shown = _MARKUP.sub(lambda match: _shown(match[1], without=without), text)
    shown = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    shown = _SPACES.sub(" ", shown).strip()
    return _without_addressing(shown) if without in mentions(text) else shown


def _without_addressing(text: str) -> str:
    """Remove the punctuation after the addressee's name; keep an emoji and the dashes of an option."""
    at = 0
    while at < len(text) and _addresses(text, at):
        at += 1
    return text[at:]


def _addresses(text: str, at: int) -> bool:
    match text[at]:
        case "-":
            return text[at : at + 2] != "--"
        case ":":
            return _EMOJI.match(text[at : at + _LONGEST_EMOJI]) is None
        case letter:
            return letter.isspace() or letter in ",;–—"


def display_name(user: Mapping[str, Any]) -> str:
    """Return the name that Slack shows of a person, from their profile; empty if they have none."""
    profile: Mapping[str, Any] = user.get("profile") or {}
    return str(profile.get("display_name") or profile.get("real_name") or user.get("name") or "")


def storable(text: str) -> str:
    """Return `text` without NUL and halves of characters, which JSON may carry and PostgreSQL refuses."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _shown(markup: str, *, without: str) -> str:
    target, label = _target_and_label(markup)
    match target[:1]:
        case "@":
            return "" if target[1:] == without else "@" + (label or target[1:]).removeprefix("@")
        case "#":
            return "#" + (label or target[1:])
        case "!":
            # Dates and the like carry a fallback; a broadcast is its own name.
            return label or "@" + target[1:].removeprefix("subteam^")
        case _:
            return label or target.removeprefix("mailto:").removeprefix("tel:")


def _target_and_label(markup: str) -> tuple[str, str]:
    target, _, label = markup.partition("|")
    return target, label
