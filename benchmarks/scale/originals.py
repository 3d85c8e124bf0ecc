"""The originals of a large corpus: each two neighbouring sentences of the documents that the repository holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sentencex import segment

from benchmarks.project import EVALS, ROOT
from bot.cli.demo import HANDBOOK
from bot.knowledge.blocks import Block
from bot.knowledge.connectors.files import find_files
from bot.knowledge.read import parse_document
from bot.knowledge.split import sections

FOLDERS: Final = (*(EVALS / name for name in ("clinic_notes", "ferry_line", "workshop_wiki")), HANDBOOK, ROOT / "docs")
_SHORTEST: Final = 20
"""Characters of a sentence; a shorter one is a mark or a table's cell."""


def write_originals(folder: Path) -> None:
    """Write a document for each section of the documents, with a heading before each two neighbouring sentences.

    So the bot's own ingest makes a passage of each two sentences, with the section's headings.
    """
    for number, (titles, sentences) in enumerate(_sections()):
        pairs = [" ".join(sentences[place : place + 2]) for place in range(len(sentences))]
        text = "\n\n".join(f"## {titles[-1]}\n\n{pair}" for pair in pairs)
        (folder / f"{number:04}.md").write_text(f"# {', '.join(titles)}\n\n{text}\n", "utf-8")


def _sections() -> Iterator[tuple[list[str], list[str]]]:
    """Yield each section's titles, its document's first, and its sentences."""
    for source in FOLDERS:
        for file in find_files(source).files:
            document = parse_document(file.name, file.read_bytes())
            for headings, blocks in sections(document.blocks):
                sentences = _sentences(blocks)
                if sentences:
                    yield list(dict.fromkeys((document.title, *headings))), sentences


def _sentences(blocks: list[Block]) -> list[str]:
    found = (part.strip() for block in blocks for line in block.text.splitlines() for part in segment("en", line))
    return [sentence for sentence in found if len(sentence) >= _SHORTEST]
