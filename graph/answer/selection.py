"""What a model gets to read of what was found: the best, each thing once, what belongs together side by side (pure).

Grades only order and thin here. Whether the passages answer the question is for whoever reads them to say.
"""

from collections.abc import Iterable

from graph.answer.evidence import relevance_of
from graph.passages import Passage
from graph.text.versions import are_versions

MOST = 10
FEWEST = 6
"""So many are kept, however little they seem to bear on the question."""
PROMISING = 0.05
"""Relevance from which a passage beyond those is kept; padding with the irrelevant makes models refuse."""


def selected(passages: list[Passage], *, most: int = MOST) -> list[Passage]:
    """Return up to `most` of ranked passages: neighbours joined, versions of a document one after the other."""
    merged = _merged(_each_once(passages))
    kept = [
        passage for place, passage in enumerate(merged[:most]) if place < FEWEST or relevance_of(passage) >= PROMISING
    ]
    return _versions_together(kept)


def _each_once(passages: Iterable[Passage]) -> list[Passage]:
    texts: dict[str, Passage] = {}
    for passage in passages:
        texts.setdefault(f"{passage['title']}\n{' '.join(passage['text'].split())}", passage)
    return list(texts.values())


def _merged(passages: list[Passage]) -> list[Passage]:
    """Join passages that follow each other in one section, in the place of the best of them."""
    merged: list[Passage] = []
    taken: set[int] = set()
    by_id = {passage["id"]: passage for passage in passages}
    for passage in passages:
        if passage["id"] in taken:
            continue
        run = _run(passage, by_id, taken)
        taken |= {member["id"] for member in run}
        merged.append({**passage, "text": _joined([member["text"] for member in run])})
    return merged


def _run(passage: Passage, by_id: dict[int, Passage], taken: set[int]) -> list[Passage]:
    """Return a passage with its neighbours in their order; passages are numbered as they stand in their document."""
    run = [passage]
    for step in (1, -1):
        following = by_id.get(passage["id"] + step)
        while following and following["id"] not in taken and _in_one_section(passage, following):
            run.append(following)
            following = by_id.get(following["id"] + step)
    return sorted(run, key=lambda member: member["id"])


def _in_one_section(one: Passage, other: Passage) -> bool:
    return (one["document_id"], one["heading_path"]) == (other["document_id"], other["heading_path"])


def _joined(texts: list[str]) -> str:
    """Join texts that follow each other: what both hold, a sentence or the head of a table, stands there once."""
    joined = texts[0]
    for text in texts[1:]:
        head = _table_head(text.splitlines())
        rest = text.removeprefix(head).lstrip("\n") if head and head in joined else ""
        joined = f"{joined.rstrip()}\n{rest}" if rest else _overlapped(joined, text) or f"{joined}\n\n{text}"
    return joined


def _table_head(lines: list[str]) -> str:
    is_table = len(lines) > 1 and lines[0].startswith("|") and set(lines[1]) <= set("|-: ")
    return "\n".join(lines[:2]) if is_table else ""


def _overlapped(before: str, after: str) -> str:
    """Return two texts joined if the end of the first is the start of the second; else nothing."""
    longest = min(len(before), len(after), 1500)
    size = next((size for size in range(longest, 20, -1) if before.endswith(after[:size])), 0)
    return f"{before}{after[size:]}" if size else ""


def _versions_together(passages: list[Passage]) -> list[Passage]:
    placed: list[Passage] = []
    for passage in passages:
        if passage not in placed:
            placed += [passage, *(other for other in passages if other not in placed and are_versions(passage, other))]
    return placed
