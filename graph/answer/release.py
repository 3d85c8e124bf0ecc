"""Lets streamed text go in whole sentences, so that each can be checked before anybody sees it (pure)."""

import re

# A sentence ends at a full stop, with the citations and quotes that belong to it, where another word has begun; a line
# ends at its break. A dot inside a link, a number or a name has no space after it.
END = re.compile(r"[.!?…][\"'”’)*_]*(?:\s*\[\d+\])*[.!?]?[ \t]+(?=[^\s\[])|\n+(?=[^\n])")

OPEN_LINK = re.compile(r"\[[^\]\n]{0,200}$|\]\([^)\n]{0,2000}$")
"""A label or an address that has begun; after that many characters it is none."""


class Release:
    """A buffer that gives out sentences once they are complete; what goes in comes out, byte for byte."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """Take a piece of text and return the sentences that are complete now."""
        self._held += piece
        sentences: list[str] = []
        while match := self._end():
            sentences.append(self._held[: match.end()])
            self._held = self._held[match.end() :]
        return sentences

    def rest(self) -> list[str]:
        """Return what is left when the text has ended."""
        rest, self._held = self._held, ""
        return [rest] if rest else []

    def _end(self) -> re.Match[str] | None:
        return next((match for match in END.finditer(self._held) if not _in_link(self._held[: match.end()])), None)


def _in_link(text: str) -> bool:
    """Tell whether the text stops inside a Markdown link, whose label may hold anything but a line break."""
    return bool(OPEN_LINK.search(text))
