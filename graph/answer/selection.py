"""Selects the passages that a writer reads: the best, each once, neighbours joined, behind the results of tools (pure).

Grades only order and thin them out here. A model decides whether they answer the question.
"""

from collections import Counter
from collections.abc import Iterable

from graph.answer.evidence import relevance_of
from graph.documents.versions import are_versions
from graph.passages import Passage
from graph.state import TurnState, understood
from graph.text.tool_questions import calls_in

MOST = 10
"""Passages that a model reads."""
FEWEST = 6
"""This many are kept, however low their grades."""
PROMISING = 0.05
"""Least relevance of further passages; irrelevant padding makes models refuse."""
_FIRST = 5
_SUBJECT = 3
"""A document that holds so many of the first passages is what the question is about."""
_MORE = 2
"""Further sections of it that come along; otherwise a writer says that the documents do not say what they hold."""


def selected(passages: list[Passage]) -> list[Passage]:
    """Return up to `MOST` ranked passages, with neighbours joined and versions of a document side by side."""
    merged = _merged(_each_once(passages))
    kept = [
        passage for place, passage in enumerate(merged[:MOST]) if place < FEWEST or relevance_of(passage) >= PROMISING
    ]
    more = _of_the_subject(merged[:_FIRST], [passage for passage in merged if passage not in kept])
    return _versions_together([*kept[: MOST - len(more)], *more])


def with_results(turn: TurnState) -> TurnState:
    """Put the tools' results before the passages of documents.

    Rules that quote show results alone, and only if these answer the whole question.
    """
    results = turn.get("results", [])
    if not turn.get("quoting"):
        return {**turn, "passages": [*results, *turn["passages"]]}
    return {**turn, "passages": results} if results and is_for_tools_alone(turn) else turn


def is_for_tools_alone(turn: TurnState) -> bool:
    """Tell whether tools answer the whole question, so that no document is needed."""
    tools = understood(turn).get("tools", [])
    # The year of today does not matter for whether a question is of this kind.
    return bool(tools) and bool(calls_in(turn["question"], "2000-01-01"))


def _of_the_subject(first: list[Passage], others: list[Passage]) -> list[Passage]:
    of_documents = Counter(passage["document_id"] for passage in first).most_common(1)
    about = {document for document, passages in of_documents if passages >= _SUBJECT}
    return [passage for passage in others if passage["document_id"] in about][:_MORE]


def _each_once(passages: Iterable[Passage]) -> list[Passage]:
    texts: dict[str, Passage] = {}
    for passage in passages:
        texts.setdefault(f"{passage['title']}\n{' '.join(passage['text'].split())}", passage)
    return list(texts.values())


def _merged(passages: list[Passage]) -> list[Passage]:
    """Join consecutive passages of one section, at the rank of the best one."""
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
    """Return a passage with its neighbours, in order. Passage ids follow the order of the document."""
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
    """Join consecutive texts. A shared sentence or table head appears once."""
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
    """Return two texts joined if the end of the first is the start of the second; otherwise ""."""
    longest = min(len(before), len(after), 1500)
    size = next((size for size in range(longest, 20, -1) if before.endswith(after[:size])), 0)
    return f"{before}{after[size:]}" if size else ""


def _versions_together(passages: list[Passage]) -> list[Passage]:
    placed: list[Passage] = []
    for passage in passages:
        if passage not in placed:
            placed += [passage, *(other for other in passages if other not in placed and are_versions(passage, other))]
    return placed
