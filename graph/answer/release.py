"""Lets streamed text go in whole sentences, so that each can be checked before anybody sees it (pure)."""

from collections.abc import Iterator

from graph import patterns

# A sentence ends at a full stop, with the citations and quotes that belong to it, where another word has begun; a line
# ends at its break. A dot inside a link, a number or a name has no space after it.
END = patterns.compile(r"(?P<sentence>[.!?…][\"'”’)*_]*(?:\s*\[\d+\])*[.!?]?[ \t]+)[^\s\[]|(?P<line>\n+)[^\n]")

LONGEST_LABEL = 200
LONGEST_ADDRESS = 2000
"""Characters after which a label or an address that has begun is none."""


class Release:
    """A buffer that gives out sentences once they are complete; what goes in comes out, byte for byte."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """Take a piece of text and return the sentences that are complete now."""
        self._held += piece
        sentences: list[str] = []
        begins = 0
        for end in _ends(self._held):
            if not _in_link(self._held, begins, end):
                sentences.append(self._held[begins:end])
                begins = end
        self._held = self._held[begins:]
        return sentences

    def rest(self) -> list[str]:
        """Return what is left when the text has ended."""
        rest, self._held = self._held, ""
        return [rest] if rest else []


def _ends(text: str) -> Iterator[int]:
    for found in END.finditer(text):
        yield max(found.end("sentence"), found.end("line"))


def _in_link(text: str, begins: int, end: int) -> bool:
    """Tell whether the text stops inside a Markdown link, whose label may hold anything but a line break."""
    line = text[max(begins, text.rfind("\n", begins, end) + 1, end - LONGEST_ADDRESS) : end]
    label, address = line.rfind("["), line.rfind("](")
    in_label = label > line.rfind("]") and len(line) - label <= LONGEST_LABEL
    return in_label or (address >= 0 and line.find(")", address) < 0)
