"""What a loader says of a document, as a path and as Markdown (pure)."""

import hashlib
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from bot.knowledge.blocks import OWN_FIELDS
from bot.knowledge.readers.markdown import with_front_matter
from bot.links import host_of
from graph.text.invisible import escaped

_PARTS: Final = ("page", "page_number", "row", "seq_num", "chunk")
"""Names in metadata that divide documents of one source."""
_ABOUT_THE_DOCUMENT: Final = OWN_FIELDS - {"title", "language", "lang"}
"""What metadata cannot say of a document. The web address is told from them otherwise."""
_LONGEST_PATH: Final = 400


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A document of LangChain."""

    id: str
    text: str
    metadata: dict[str, str]

    @property
    def url(self) -> str:
        """The web address that the metadata name; empty if there is none."""
        addresses = (self.metadata.get(key, "") for key in ("url", "source"))
        return next((url for url in addresses if host_of(url)), "")


def path_of(loaded: Loaded, *, taken: Container[str]) -> str:
    """Return a path that stays the same in the next run, and that no other document has."""
    name = loaded.id or "#".join(
        part for part in (loaded.metadata.get("source"), *(loaded.metadata.get(key) for key in _PARTS)) if part
    )
    name = escaped(name.strip("/ ").replace("\0", ""))
    if not name or len(name) > _LONGEST_PATH:
        name = hashlib.sha256((name or loaded.text).encode("utf-8", "replace")).hexdigest()[:32]
    number = 1
    while (path := f"{name}-{number}.md" if number > 1 else f"{name}.md") in taken:
        number += 1
    return path


def page_of(loaded: Loaded) -> str:
    """Return a document as Markdown with front matter; empty if it holds no text."""
    if not loaded.text.strip():
        return ""
    about = {key: value for key, value in loaded.metadata.items() if key.lower() not in _ABOUT_THE_DOCUMENT}
    return with_front_matter(about, loaded.text)
