"""Removes foreign links, mentions, secrets and our own instructions from an answer (pure).

Documents and models may write any of them. This module decides before Slack's own escaping.
"""

from collections.abc import Iterable
from functools import lru_cache

from graph import patterns
from graph.passages import Passage
from graph.text.credentials import redacted
from graph.text.markdown import AFTER_AN_ADDRESS

BROADCAST = patterns.compile(
    r"<!(?:channel|here|everyone|subteam\^[^>]*)[^>]*>|@(?P<named>(?:channel|here|everyone)\b)", patterns.IGNORE_CASE
)
MENTION = patterns.compile(r"<[@#][A-Z0-9]+(?:\|([^>]*))?>")
SLACK_LINK = patterns.compile(r"<(https?://[^|>\s]+)(?:\|([^>]*))?>")
MARKDOWN_LINK = patterns.compile(r"(!?)\[([^\]]*)\]\(\s*<?([^)\s>]+)>?[^)]*\)")
BARE_LINK = patterns.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)[^\s<>()\[\]|`]+", patterns.IGNORE_CASE)
ANY_LINK = patterns.compile(rf"(?P<link>{MARKDOWN_LINK.pattern})|{BARE_LINK.pattern}", patterns.IGNORE_CASE)
"""Markdown links come first, so that the address inside one is not found separately."""
LINK_REMOVED = "[link removed]"
_WORD = patterns.compile(r"\w+")


class Guard:
    """Checks the text of one answer against its passages."""

    def __init__(self, passages: list[Passage], instructions: Iterable[str] = (), links: Iterable[str] = ()) -> None:
        self._links = frozenset((*_links_of(passages), *map(_trimmed, links)))
        self._instructions = _runs_in(tuple(instructions))

    def clean(self, sentence: str) -> str:
        """Return the sentence as it may be shown; empty if it repeats our instructions."""
        if self._leaks(sentence):
            return ""
        return redacted(ANY_LINK.sub(self._link, vouched(sentence)))

    def _link(self, match: patterns.Match) -> str:
        image, label, url = match[2], match[3], match[4]
        if not match.has("link"):
            return self._bare(match)
        label = BARE_LINK.sub(self._bare, label)
        # A reader's client fetches an image, so images are never shown.
        return label if image or not self._allows(url) else f"[{label}]({url})"

    def _bare(self, match: patterns.Match) -> str:
        if self._allows(match[0]):
            return match[0]
        # The comma or full stop behind an address is the sentence's.
        return LINK_REMOVED + match[0][len(match[0].rstrip(AFTER_AN_ADDRESS)) :]

    def _allows(self, url: str) -> bool:
        return _trimmed(url) in self._links

    def _leaks(self, sentence: str) -> bool:
        """Tell whether most words of a sentence are in our instructions, in the same order."""
        words = _words(sentence)
        ours = {at + n for at, run in enumerate(_runs(words)) if run in self._instructions for n in range(RUN)}
        return bool(words) and len(ours) > MOSTLY * len(words)


def vouched(text: str) -> str:
    """Return a colleague's text as it may be shown: with its links, without mentions and secrets."""
    text = BROADCAST.sub(lambda match: match["named"], text)
    text = MENTION.sub(lambda match: match[1] or "someone", text)
    # Secrets last: a removed mention may have divided a key.
    return redacted(SLACK_LINK.sub(lambda match: f"[{match[2] or match[1]}]({match[1]})", text))


def vouched_links(text: str) -> list[str]:
    """Return the addresses that a colleague's text links to."""
    linked = [match[3] for match in MARKDOWN_LINK.finditer(text)]
    return [*linked, *(match[0].rstrip(AFTER_AN_ADDRESS) for match in BARE_LINK.finditer(text))]


def _links_of(passages: list[Passage]) -> Iterable[str]:
    for passage in passages:
        if url := passage.get("url"):
            yield _trimmed(url)
        for match in BARE_LINK.finditer(passage["text"].replace("(", " ").replace("<", " ")):
            yield _trimmed(match[0])


def _trimmed(url: str) -> str:
    return url.rstrip(AFTER_AN_ADDRESS).rstrip("/")


RUN = 6
"""This many equal words in a row are no coincidence."""
MOSTLY = 0.5
"""If a larger share of a sentence's words is ours, the whole sentence is."""


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


@lru_cache(maxsize=8)
def _runs_in(instructions: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Return the runs of words in instructions, which are the same for every answer."""
    return frozenset(run for line in instructions for run in _runs(_words(line)))


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]
