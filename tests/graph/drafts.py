"""Drafts that people have labelled, with the passages behind them."""

import json
import os
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from bot.knowledge.read import parse_document
from bot.knowledge.split import split
from graph.passages import Passage

HANDBOOK = Path(__file__).parents[2] / "playground" / "handbook"
DRAFTS = Path(os.environ.get("ASKBACK_EVALS", Path(__file__).parents[2].parent / "shared" / "evals")) / "drafts"
TODAY = "2026-11-23"

# A question's drafts cite its first passage as [1].
_FILES = {
    "What is the limit for a hotel night?": (
        "people/travel-policy-2026.md#Hotels",
        "people/travel-policy-2024.md#Hotels",
        "people/travel-policy-2026.md",
        "people/travel-policy-2024.md",
        "people/expenses.md",
    ),
    "When is on-call handed over for the hub?": ("engineering/hub/on-call.md", "engineering/router/on-call.md"),
    "Which region grew most in 2025?": ("revenue.md",),
    "How do I deploy the gateway?": ("deploy.md",),
    "When may I deploy the gateway?": ("deploy.md",),
    "What are the payment terms for vendors?": ("vendors.md#Payment terms", "vendors.md"),
}


def labelled() -> list[dict[str, Any]]:
    """Return the drafts with labels and passages; empty if the data are missing."""
    path = DRAFTS / "drafts.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    return [{**row, "passages": passages_of(row["corpus"], row["question"])} for row in rows]


@cache
def passages_of(corpus: str, question: str) -> list[Passage]:
    """Return a question's passages, best first, each once."""
    folder = HANDBOOK if corpus == "sample handbook" else DRAFTS / "documents"
    ids = count(1)
    found: dict[str, Passage] = {}
    for name in _FILES[question]:
        file, _, heading = name.partition("#")
        for passage in _passages(folder, file, ids):
            if not heading or heading in passage["heading_path"]:
                found.setdefault(passage["path"] + passage["text"], passage)
    return list(found.values())


def _passages(folder: Path, file: str, ids: "count[int]") -> list[Passage]:
    document = parse_document(file, (folder / file).read_bytes())
    number = next(ids) * 1000
    return [
        Passage(
            id=number + place,
            document_id=number,
            title=document.title,
            path=document.path,
            heading_path=list(piece.heading_path),
            text=piece.text,
            language=document.language,
            url=document.url,
            dated=document.dated,
            attributes=document.attributes,
            score=1.0,
        )
        for place, piece in enumerate(split(document, lambda text: len(text.split())))
    ]
