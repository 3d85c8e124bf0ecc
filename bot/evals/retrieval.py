"""Evaluates whether retrieval finds the documents that people marked as the answer.

It reads the folders `kb_product_docs` (chunks of a product's documentation) and `kb_cloud` (MTRAG's passages, each a
document, with the last question of each conversation as it was asked, and as a person rewrote it).
"""

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Final

from graph.context import Reranker, Retriever

PASSAGES: Final = "passages.jsonl.gz"
CLOUD_SETS: Final = {"Askback, as asked": "lastturn", "Askback, rewritten by a person": "rewrite"}
STEPS: Final = ("words alone", "meaning alone", "both", "")
"""What each set is searched with; at last as the bot searches, which also reranks."""
_DEPTH = 30
"""The number of passages to request, so that they cover ten documents."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question and the documents that answer it."""

    text: str
    gold: frozenset[str]
    """Paths."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """Figures of a set of questions (0–1), averaged."""

    recall_at_3: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    """Mean reciprocal rank of the first right document."""
    ndcg_at_5: float
    ndcg_at_10: float


def table(reports: dict[str, Report], published: dict[str, dict[str, float]]) -> str:
    """Return the figures of each set as Markdown, beside published ones, given by name."""
    names = [field.name for field in fields(Report)]
    ours = {name: {field: float(getattr(report, field)) for field in names} for name, report in reports.items()}
    head = f"| | {' | '.join(name.replace('_', ' ') for name in names)} |\n|---|{'---:|' * len(names)}"
    return "\n".join([head, *(_row(label, names, figures) for label, figures in {**ours, **published}.items())])


async def evaluate_retrieval(
    search: Retriever, questions: Sequence[Question], *, reranker: Reranker | None = None
) -> Report:
    """Search for every question, and compare the results. There must be at least one question."""
    return report_of([(await _ranking(search, reranker, question.text), question.gold) for question in questions])


def report_of(ranked: Iterable[tuple[list[str], frozenset[str]]]) -> Report:
    """Return the figures of rankings: of each question, the paths that were found, best first, and the right ones."""
    pairs = list(ranked)
    return Report(
        recall_at_3=fmean(_recall(ranking[:3], gold) for ranking, gold in pairs),
        recall_at_5=fmean(_recall(ranking[:5], gold) for ranking, gold in pairs),
        recall_at_10=fmean(_recall(ranking[:10], gold) for ranking, gold in pairs),
        mrr=fmean(_reciprocal_rank(ranking, gold) for ranking, gold in pairs),
        ndcg_at_5=fmean(_ndcg(ranking[:5], gold, 5) for ranking, gold in pairs),
        ndcg_at_10=fmean(_ndcg(ranking[:10], gold, 10) for ranking, gold in pairs),
    )


def lay_out(folder: Path, target: Path) -> dict[str, list[Question]]:
    """Write the documents of either folder below `target`, and return the questions of each set by its name."""
    if (folder / PASSAGES).exists():
        lay_out_cloud(folder / PASSAGES, target)
        return {name: cloud_questions(folder, kind) for name, kind in CLOUD_SETS.items()}
    return {"Askback": lay_out_product_docs(folder, target)}


def lay_out_cloud(file: Path, target: Path) -> None:
    """Write each passage of `kb_cloud` as a document below `target`."""
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        passage = json.loads(line)
        path = target / _cloud_path(passage["_id"])
        path.parent.mkdir(exist_ok=True)
        path.write_text(passage["text"], "utf-8")


def cloud_questions(folder: Path, kind: str) -> list[Question]:
    """Return the questions of `kb_cloud` of one kind that have right passages."""
    gold: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if int(score) > 0:
            gold.setdefault(query, set()).add(_cloud_path(passage))
    rows = [json.loads(line) for line in (folder / f"queries_{kind}.jsonl").read_text("utf-8").splitlines()]
    return [
        Question(text=row["text"].removeprefix("|user|:").strip(), gold=frozenset(gold[row["_id"]]))
        for row in rows
        if row["_id"] in gold
    ]


def _cloud_path(passage_id: str) -> str:
    document, _, part = passage_id.partition("-")
    return f"{document}/{part}.md"


def lay_out_product_docs(folder: Path, target: Path) -> list[Question]:
    """Write each chunk of `kb_product_docs` as a document below `target`, and return the questions."""
    names: dict[str, str] = {}
    for number, chunk in enumerate(json.loads((folder / "anthropic_docs.json").read_text("utf-8"))):
        name = names[chunk["chunk_link"]] = f"{number:03}.md"
        fields_above = f"title: {json.dumps(chunk['chunk_heading'])}\nurl: {json.dumps(chunk['chunk_link'])}"
        text = chunk["text"].removeprefix(chunk["chunk_heading"]).strip()
        (target / name).write_text(f"---\n{fields_above}\n---\n{text}\n", "utf-8")
    rows = json.loads((folder / "docs_evaluation_dataset.json").read_text("utf-8"))
    return [
        Question(text=row["question"], gold=frozenset(names[link] for link in row["correct_chunks"])) for row in rows
    ]


def published_figures(folder: Path) -> dict[str, dict[str, float]]:
    """Return the published figures of `kb_product_docs` by method."""
    found: dict[str, dict[str, float]] = {}
    for file in sorted(folder.glob("evaluation_results_*.json")):
        result = json.loads(file.read_text("utf-8"))
        found[result["name"]] = {"recall_at_3": result["average_recall"], "mrr": result["average_mrr"]}
    return found


async def _ranking(search: Retriever, reranker: Reranker | None, question: str) -> list[str]:
    # A document counts once, at the rank of its best passage.
    passages = await search.search(question, limit=_DEPTH)
    if reranker is not None:
        passages = await reranker.rerank(question, passages, keep=len(passages))
    return list(dict.fromkeys(passage["path"] for passage in passages))


def _recall(ranking: list[str], gold: frozenset[str]) -> float:
    return sum(path in gold for path in ranking) / len(gold)


def _reciprocal_rank(ranking: list[str], gold: frozenset[str]) -> float:
    return next((1 / place for place, path in enumerate(ranking, start=1) if path in gold), 0.0)


def _ndcg(ranking: list[str], gold: frozenset[str], depth: int) -> float:
    gained = sum(1 / math.log2(place + 1) for place, path in enumerate(ranking, start=1) if path in gold)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(len(gold), depth) + 1))


def _row(label: str, names: list[str], figures: dict[str, float]) -> str:
    return f"| {label} | {' | '.join(f'{figures[name]:.3f}' if name in figures else '–' for name in names)} |"
