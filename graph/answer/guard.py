"""What may never reach a person: foreign links, mentions, secrets, our own instructions (pure).

A document or a model may hold any of them; this is the one place that decides, before Slack's own escaping.
"""

import re
from collections.abc import Iterable

from graph.passages import Passage

BROADCAST = re.compile(
    r"<!(?:channel|here|everyone|subteam\^[^>]*)[^>]*>|@(?=(?:channel|here|everyone)\b)", re.IGNORECASE
)
MENTION = re.compile(r"<[@#][A-Z0-9]+(?:\|([^>]*))?>")
SLACK_LINK = re.compile(r"<(https?://[^|>\s]+)(?:\|([^>]*))?>")
MARKDOWN_LINK = re.compile(r"(!?)\[([^\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)")
BARE_LINK = re.compile(r"(?<![(<\w])(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>()\[\]|]+", re.IGNORECASE)
ANY_LINK = re.compile(rf"{MARKDOWN_LINK.pattern}|{BARE_LINK.pattern}", re.IGNORECASE)
"""A Markdown link comes first: the address in it is no link of its own."""
SECRET = re.compile(
    r"xox[abeprs]-[\w-]{8,}|xapp-[\w-]{8,}|\b(?:sk|gsk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[opsu]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
REMOVED = "[removed]"
LINK_REMOVED = "[link removed]"
_AFTER_A_LINK = ".,;:!?\"'*_"


class Guard:
    """A check of one answer's text against what its passages hold."""

    def __init__(self, passages: list[Passage], instructions: Iterable[str] = ()) -> None:
        self._links = frozenset(_links_of(passages))
        self._instructions = frozenset(bare for line in instructions if (bare := _bare(line)))

    def clean(self, sentence: str) -> str:
        """Return the sentence as it may be shown; empty where it repeats our instructions."""
        if self._leaks(sentence):
            return ""
        return ANY_LINK.sub(self._link, vouched(sentence))

    def _link(self, match: re.Match[str]) -> str:
        image, label, url = match.groups()
        if url is None:
            return match[0] if self._allows(match[0]) else LINK_REMOVED
        label = BARE_LINK.sub(lambda bare: bare[0] if self._allows(bare[0]) else LINK_REMOVED, label)
        # An image is fetched by whoever reads it: never shown, whatever its address.
        return label if image or not self._allows(url) else f"[{label}]({url})"

    def _allows(self, url: str) -> bool:
        return _trimmed(url) in self._links

    def _leaks(self, sentence: str) -> bool:
        return _bare(sentence) in self._instructions


def vouched(text: str) -> str:
    """Return what a person of the team wrote as it may be shown: their links stay, mentions and secrets do not."""
    text = SECRET.sub(REMOVED, text)
    text = BROADCAST.sub("", text)
    text = MENTION.sub(lambda match: match[1] or "someone", text)
    return SLACK_LINK.sub(lambda match: f"[{match[2] or match[1]}]({match[1]})", text)


def vouched_links(text: str) -> list[str]:
    """Return the addresses that a person's text links to."""
    linked = [match[3] for match in MARKDOWN_LINK.finditer(text)]
    return [*linked, *(match[0].rstrip(_AFTER_A_LINK) for match in BARE_LINK.finditer(text))]


def _links_of(passages: list[Passage]) -> Iterable[str]:
    for passage in passages:
        if url := passage.get("url"):
            yield _trimmed(url)
        for match in BARE_LINK.finditer(passage["text"].replace("(", " ").replace("<", " ")):
            yield _trimmed(match[0])


def _trimmed(url: str) -> str:
    return url.rstrip(_AFTER_A_LINK).rstrip("/")


LONG_ENOUGH_TO_LEAK = 40
"""Characters from which a repeated line is ours and not chance."""


def _bare(sentence: str) -> str:
    bare = " ".join(re.findall(r"\w+", sentence.lower()))
    return bare if len(bare) >= LONG_ENOUGH_TO_LEAK else ""
