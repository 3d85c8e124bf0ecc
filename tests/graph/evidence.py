"""Builds passages for tests."""

from itertools import count
from pathlib import PurePosixPath

from graph.passages import Passage

_ids = count(1)


def passage(path: str, text: str, *, title: str = "", heading: str = "", **rest: str) -> Passage:
    """Build a passage of a new document, optionally with `dated` and front matter."""
    number = next(_ids)
    dated = rest.pop("dated", None)
    return Passage(
        id=number,
        document_id=number,
        title=title or PurePosixPath(path).stem.replace("-", " ").capitalize(),
        path=path,
        heading_path=heading.split(" > ") if heading else [],
        text=text,
        language=rest.pop("language", "en"),
        dated=dated,
        attributes=rest,
        score=1.0,
    )
