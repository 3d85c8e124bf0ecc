"""The grader's data: folders of documents, and questions about them with the right documents.

Our own folders are always used. Public sets come from a given folder: `kb_cloud` (MTRAG), `kb_product_docs`,
HaluEval's questions and knowledge, CLINC150's small talk and out of scope, and XQuAD, which is for judging only. Their
texts are never copied into the project.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.project import EVALS, ROOT
from bot.evals.retrieval import cloud_questions, lay_out_cloud, lay_out_product_docs

OWN = {
    "handbook": ROOT / "playground/handbook",
    "clinic": EVALS / "clinic_notes",
    "workshop": EVALS / "workshop_wiki",
    "ferry_line": EVALS / "ferry_line",
}
IN_PART = frozenset({"cloud", "product"})
"""Folders in which people judged only some passages, so that others may answer too."""
_SMALL_TALK, _ELSEWHERE = 150, 80
"""Unanswerable questions for each folder: small talk, and questions of other folders."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question of one folder."""

    name: str
    """The name of its set."""
    folder: str
    question: str
    answers: dict[str, str] = field(default_factory=dict[str, str])
    """The right documents, each with an answering phrase; empty if any of its passages may answer."""
    fitted: bool = True
    """Whether it is for fitting; otherwise for judging only."""
    meant: bool = True
    """Whether people would ask it about these documents."""


def folders(public: Path | None, target: Path) -> dict[str, Path]:
    """Write the public sets' documents below `target` unless they exist, and return all folders."""
    found = dict(OWN)
    for name, lay_out in {"cloud": lay_out_cloud, "product": _product, "halueval": _halueval, "xquad": _xquad}.items():
        if public is not None and (public / _SOURCES[name]).exists():
            found[name] = target / name
            if not found[name].is_dir():
                found[name].mkdir(parents=True)
                lay_out(public / _SOURCES[name], found[name])
    return found


def questions(public: Path | None, found: dict[str, Path]) -> list[Asked]:
    """Return all questions of the folders."""
    asked = [*_own(), *(question for name in found if public for question in _public(public, name))]
    return [*asked, *(question for name in found for question in _of_elsewhere(public, name, asked))]


_SOURCES = {
    "cloud": "kb_cloud/passages.jsonl.gz",
    "product": "kb_product_docs",
    "halueval": "groundedness/halueval_qa_pairs_250.jsonl",
    "xquad": "xquad/xquad.en.json",
}


def _product(folder: Path, target: Path) -> None:
    lay_out_product_docs(folder, target)


def _halueval(file: Path, target: Path) -> None:
    for number, row in enumerate(_rows(file)):
        (target / f"{number:03}.md").write_text(row["knowledge"], "utf-8")


def _xquad(file: Path, target: Path) -> None:
    for path, paragraph in _paragraphs(file):
        (target / path).write_text(paragraph["context"], "utf-8")


def _own() -> Iterator[Asked]:
    for row in [*_rows(EVALS / "questions.jsonl"), *_rows(EVALS / "languages.jsonl")]:
        name = f"{row['folder']} {row.get('language', '')} {row['set']}".replace("  ", " ")
        yield Asked(
            name=name,
            folder=row["folder"],
            question=row["question"],
            answers=_answers(row),
            fitted=row["set"] == "dev",
        )
    for row in _rows(EVALS / "unanswerable.jsonl"):
        yield Asked(
            name=f"unanswerable {row['set']}",
            folder=row["folder"],
            question=row["question"],
            fitted=row["set"] == "dev",
        )
    yield from _strangers()
    for row in _rows(EVALS / "conversations.jsonl"):
        for turn in row["turns"]:
            if turn["document"]:
                answers = {turn["document"]: turn["answer"]}
                yield Asked(name="conversations", folder=row["folder"], question=turn["standalone"], answers=answers)


def _strangers() -> Iterator[Asked]:
    """Yield the `dev` half of the strangers' questions, without follow-ups."""
    for row in _rows(EVALS / "strangers.jsonl"):
        if row["set"] == "dev" and not row["earlier"] and row["expect"] in ("answer", "ask", "admit"):
            needs = {source: "|".join(each["needs"]) for each in row["readings"] for source in each["sources"]}
            answers = needs or dict.fromkeys(row["sources"], "|".join(row["needs"]))
            yield Asked(
                name=f"strangers {row['folder']} {row['language']}",
                folder=row["folder"],
                question=row["question"],
                answers=answers if row["expect"] != "admit" else {},
            )


def _answers(row: dict[str, Any]) -> dict[str, str]:
    if row["kind"] == "ambiguous":
        return {reading["document"]: reading["answer"] for reading in row["readings"]}
    return dict.fromkeys([row["document"], *row.get("also", [])], str(row["answer"]))


def _public(public: Path, name: str) -> Iterator[Asked]:
    match name:
        case "cloud":
            yield from _of_cloud(public / "kb_cloud")
        case "product":
            yield from _of_product(public / "kb_product_docs")
        case "halueval":
            for number, row in enumerate(_rows(public / _SOURCES[name])):
                yield Asked(name=name, folder=name, question=row["question"], answers={f"{number:03}.md": ""})
        case "xquad":
            yield from _of_xquad(public / _SOURCES[name])
        case _:
            return


def _of_xquad(english: Path) -> Iterator[Asked]:
    """Yield the English questions, for judging only, and some in other languages about the same paragraphs."""
    answers = {
        row["id"]: {path: row["answers"][0]["text"]} for path, each in _paragraphs(english) for row in each["qas"]
    }
    for language in ("en", "de", "es"):
        file = english.with_name(f"xquad.{language}.json")
        rows = [row for _, each in _paragraphs(file) for row in each["qas"]] if file.exists() else []
        for number, row in enumerate(rows[:: 1 if language == "en" else 4]):
            # Of the other languages, every second question is for fitting, because our own sets have few.
            yield Asked(
                name=f"xquad {language}",
                folder="xquad",
                question=row["question"],
                answers=answers[row["id"]],
                fitted=language == "de" and number % 2 == 0,
            )


def _of_cloud(folder: Path) -> Iterator[Asked]:
    for kind in ("lastturn", "rewrite"):
        for one in cloud_questions(folder, kind):
            yield Asked(name=f"cloud {kind}", folder="cloud", question=one.text, answers=dict.fromkeys(one.gold, ""))


def _of_product(folder: Path) -> Iterator[Asked]:
    links = [chunk["chunk_link"] for chunk in json.loads((folder / "anthropic_docs.json").read_text("utf-8"))]
    for row in json.loads((folder / "docs_evaluation_dataset.json").read_text("utf-8")):
        right = {f"{number:03}.md": "" for number, link in enumerate(links) if link in row["correct_chunks"]}
        yield Asked(name="product", folder="product", question=row["question"], answers=right)


def _of_elsewhere(public: Path | None, name: str, asked: list[Asked]) -> Iterator[Asked]:
    chance = random.Random(name)
    small_talk = _small_talk(public / "routing/clinc_val.jsonl") if public else []
    others = [one.question for one in asked if one.folder != name and one.fitted and one.answers]
    for kind, pool, count in (("small talk", small_talk, _SMALL_TALK), ("elsewhere", others, _ELSEWHERE)):
        for question in chance.sample(pool, min(count, len(pool))):
            yield Asked(name=f"{kind} in {name}", folder=name, question=question, fitted=name != "xquad", meant=False)


def _small_talk(file: Path) -> list[str]:
    # Questions about an office's own matters may well have an answer in a handbook.
    near = {"work", "small_talk", "meta"}
    return [row["text"] for row in _rows(file) if row["intent"] == "oos" or row["domain"] not in near]


def _paragraphs(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for article in json.loads(file.read_text("utf-8"))["data"]:
        for number, paragraph in enumerate(article["paragraphs"]):
            # Letters name the documents, because numbers would make them versions of one document.
            yield f"{article['title']} {chr(97 + number)}.md", paragraph


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
