"""Evaluates whether retrieval finds the documents that people marked as the answer, and whether grades tell them.

It reads the folders `kb_product_docs` (chunks of a product's documentation) and `kb_cloud` (MTRAG's passages, each a
document, with the last question of each conversation as it was asked, and as a person rewrote it; the same question is
also rewritten by Askback, which reads the conversation).
"""

import gzip
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from bot.evals.measures import Figures, mean, ratio
from bot.evals.tasks import Bench, Evaluation, Measured, Task, TaskOutcome
from graph.answer.evidence import RELEVANT
from graph.passages import Passage

PASSAGES: Final = "passages.jsonl.gz"
CONVERSATIONS: Final = "conversations.jsonl"
CLOUD_SETS: Final = {"Askback, as asked": "lastturn", "Askback, rewritten by a person": "rewrite"}
OWN: Final = "Askback, rewritten by itself"
WHOLE: Final = "reranked"
STEPS: Final = ("words alone", "meaning alone", "both", WHOLE)
"""What each set is searched with; at last as the bot searches, which also reranks as many passages as it does."""
RANKS: Final = ("recall at 3", "recall at 5", "recall at 10", "MRR", "nDCG at 5", "nDCG at 10")
GRADED: Final = 10
"""Passages, the best ranked, whose grades are compared with what people marked."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question and the documents that answer it."""

    text: str
    gold: frozenset[str]
    """Paths."""
    before: tuple[tuple[str, str], ...] | None = None
    """The earlier questions of its thread, with their answers; `None` if it is searched for as it is."""


def read_retrieval(folder: Path, target: Path) -> Evaluation:
    """Write the documents of either folder below `target`, and return the evaluation of its questions."""
    sets = lay_out(folder, target)
    tasks = [
        task
        for name, questions in sets.items()
        for step in ((WHOLE,) if name == OWN else STEPS)
        for task in _tasks(name, step, questions)
    ]
    return Evaluation(tasks=tasks, figures=figures, beside=published_figures(folder))


def _tasks(name: str, step: str, questions: Iterable[Question]) -> Iterator[Task]:
    for number, question in enumerate(questions, 1):
        yield Task(
            id=f"{name}, {step}, {number}",
            asked=(question.text,),
            groups={"search": f"{name}: {step}"},
            measure=partial(_measure, question, step),
        )


async def _measure(question: Question, step: str, bench: Bench) -> TaskOutcome:
    asked = question.text
    if question.before is not None:
        asked = await bench.standalone(asked, question.before)
    passages = await bench.searching(step).search(asked, limit=bench.candidates)
    graded: dict[str, float] = {}
    if step == WHOLE:
        passages = await bench.context.reranker.rerank(asked, passages, keep=len(passages))
        grades = await bench.context.grader.grade(asked, passages[:GRADED])
        graded = compared(grades, [passage["path"] in question.gold for passage in passages[:GRADED]])
    ranking = documents_of(passages)
    place = next((place for place, path in enumerate(ranking, 1) if path in question.gold), 0)
    verdict = "right" if place == 1 else "nearest" if 0 < place <= 3 else "partly" if place else "nothing"  # noqa: PLR2004 - As in recall at 3.
    told = {"searched": asked, "found": "\n".join(ranking[:10]), "right": "\n".join(sorted(question.gold))}
    return TaskOutcome(verdict=verdict, numbers={**figures_of(ranking, question.gold), **graded}, told=told)


def compared(grades: Sequence[float], right: Sequence[bool]) -> dict[str, float]:
    """Return how many passages are right, how many are graded relevant, and how many are both."""
    relevant = [grade >= RELEVANT for grade in grades]
    both = sum(one and other for one, other in zip(relevant, right, strict=True))
    return {"right": sum(right), "graded relevant": sum(relevant), "both": both}


def figures(results: Sequence[Measured]) -> Figures:
    """Return the means of the questions' figures, and precision and recall of the grades."""
    both, relevant, right = (
        sum(one.numbers.get(name, 0) for one in results) for name in ("both", "graded relevant", "right")
    )
    return {
        **averages(one.numbers for one in results if one.numbers),
        "grader_precision": ratio(both, relevant),
        "grader_recall": ratio(both, right),
    }


def averages(every: Iterable[dict[str, float]]) -> dict[str, float | None]:
    """Return the means of rankings' figures."""
    rows = list(every)
    return {name: mean(row[name] for row in rows) for name in RANKS}


def figures_of(ranking: list[str], gold: frozenset[str]) -> dict[str, float]:
    """Return the figures of a ranking (0–1): the paths that were found, best first, and the right ones."""
    recalls = [_recall(ranking[:depth], gold) for depth in (3, 5, 10)]
    gains = [_ndcg(ranking[:depth], gold, depth) for depth in (5, 10)]
    return dict(zip(RANKS, (*recalls, _reciprocal_rank(ranking, gold), *gains), strict=True))


def lay_out(folder: Path, target: Path) -> dict[str, list[Question]]:
    """Write the documents of either folder below `target`, and return the questions of each set by its name."""
    if (folder / PASSAGES).exists():
        lay_out_cloud(folder / PASSAGES, target)
        sets = {name: cloud_questions(folder, kind) for name, kind in CLOUD_SETS.items()}
        return {**sets, OWN: conversed(folder)} if (folder / CONVERSATIONS).exists() else sets
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
    return [*_questions_by_id(folder, kind).values()]


def _questions_by_id(folder: Path, kind: str) -> dict[str, Question]:
    gold: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, score = line.split("\t")
        if int(score) > 0:
            gold.setdefault(query, set()).add(_cloud_path(passage))
    return {
        id_: Question(text=text.removeprefix("|user|:").strip(), gold=frozenset(gold[id_]))
        for id_, text in _queries(folder, kind)
        if id_ in gold
    }


def conversed(folder: Path) -> list[Question]:
    """Return the last questions of `kb_cloud` with what was said before them."""
    threads = _threads(folder / CONVERSATIONS)
    every = _questions_by_id(folder, "lastturn")
    return [
        replace(every[id_], before=threads[asked])
        for id_, text in _queries(folder, "questions")
        if id_ in every and (asked := tuple(one.strip() for one in f"\n{text}".split("\n|user|:")[1:])) in threads
    ]


def _queries(folder: Path, kind: str) -> Iterator[tuple[str, str]]:
    for line in (folder / f"queries_{kind}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield row["_id"], row["text"]


def _threads(file: Path) -> dict[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return what was said before each question of each conversation, by all questions up to it."""
    found: dict[tuple[str, ...], tuple[tuple[str, str], ...]] = {}
    for line in file.read_text("utf-8").splitlines():
        turns = json.loads(line)["turns"]
        asked = [turn["text"].strip() for turn in turns if turn["speaker"] == "user"]
        answers = [turn["text"] for turn in turns if turn["speaker"] != "user"]
        for place in range(len(asked)):
            found[tuple(asked[: place + 1])] = tuple(zip(asked[:place], answers[:place], strict=True))
    return found


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


def published_figures(folder: Path) -> dict[str, Figures]:
    """Return the published figures of `kb_product_docs` by method."""
    found: dict[str, Figures] = {}
    for file in sorted(folder.glob("evaluation_results_*.json")):
        result = json.loads(file.read_text("utf-8"))
        found[result["name"]] = {"recall at 3": result["average_recall"], "MRR": result["average_mrr"]}
    return found


def documents_of(passages: Iterable[Passage]) -> list[str]:
    """Return the documents of passages: each once, at the place of its best passage."""
    return list(dict.fromkeys(passage["path"] for passage in passages))


def _recall(ranking: list[str], gold: frozenset[str]) -> float:
    return sum(path in gold for path in ranking) / len(gold)


def _reciprocal_rank(ranking: list[str], gold: frozenset[str]) -> float:
    return next((1 / place for place, path in enumerate(ranking, start=1) if path in gold), 0.0)


def _ndcg(ranking: list[str], gold: frozenset[str], depth: int) -> float:
    gained = sum(1 / math.log2(place + 1) for place, path in enumerate(ranking, start=1) if path in gold)
    return gained / sum(1 / math.log2(place + 1) for place in range(1, min(len(gold), depth) + 1))
