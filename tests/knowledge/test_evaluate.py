"""Figures of retrieval match their definitions."""

import gzip
import json
import os
from pathlib import Path

import pytest

from bot.evals.retrieval import (
    Question,
    averages,
    compared,
    documents_of,
    figures,
    figures_of,
    lay_out,
    lay_out_product_docs,
    published_figures,
    read_retrieval,
)
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search, everything
from bot.postgres.pool import Database
from graph.context import Case
from graph.state import Understanding
from tests.evals.benches import bench_of, results_of, values, verdicts
from tests.support.fakes import FoundPassages, context, passage, understanding

PRODUCT_DOCS = Path(os.environ.get("ASKBACK_EVALS", "nowhere")) / "kb_product_docs"


SHELF = [passage(number, "", path=path) for number, path in enumerate("aabbccdd")]


def test_a_document_counts_once_at_the_place_of_its_best_passage() -> None:
    rankings = [figures_of(documents_of(SHELF), frozenset(gold)) for gold in ("bx", "a")]

    report = averages(rankings)
    assert report["MRR"] == pytest.approx((1 / 2 + 1) / 2)
    assert report["recall at 3"] == pytest.approx((1 / 2 + 1) / 2)
    assert report["nDCG at 10"] == pytest.approx((0.6309 / 1.6309 + 1) / 2, abs=1e-3)


def test_grades_are_compared_with_what_people_marked() -> None:
    assert {"right": 2, "graded relevant": 2, "both": 1} == compared([0.9, 0.4, 0.1, 0.0], [True, False, True, False])


def product_docs(tmp_path: Path) -> Path:
    chunks = [
        {"chunk_link": f"https://docs.example/{name}", "chunk_heading": name, "text": f"{name}\n\nText."}
        for name in "ab"
    ]
    asked = [{"question": "What is b?", "correct_chunks": ["https://docs.example/b"]}]
    (tmp_path / "anthropic_docs.json").write_text(json.dumps(chunks), "utf-8")
    (tmp_path / "docs_evaluation_dataset.json").write_text(json.dumps(asked), "utf-8")
    return tmp_path


def test_a_question_of_the_product_docs_names_the_documents_that_its_chunks_became(tmp_path: Path) -> None:
    product_docs(tmp_path)
    (tmp_path / "laid").mkdir()

    # An address is nobody's name: it is dropped unless an administrator has named its host.
    assert [Question(text="What is b?", gold=frozenset({"001.md"}))] == lay_out_product_docs(
        tmp_path, tmp_path / "laid"
    )
    assert 'title: "b"' in (tmp_path / "laid" / "001.md").read_text("utf-8")


def test_each_passage_of_the_cloud_is_a_document_and_each_kind_of_question_a_set(tmp_path: Path) -> None:
    passages = "".join(f'{{"_id": "doc-{part}", "title": "", "text": "Part {part}"}}\n' for part in ("0-9", "9-20"))
    (tmp_path / "passages.jsonl.gz").write_bytes(gzip.compress(passages.encode()))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\none\tdoc-9-20\t1\ntwo\tdoc-0-9\t0\n", "utf-8")
    for kind, text in (("lastturn", "And that?"), ("rewrite", "And part 9?")):
        rows = [json.dumps({"_id": name, "text": f"|user|: {text}"}) for name in ("one", "two")]
        (tmp_path / f"queries_{kind}.jsonl").write_text("\n".join(rows), "utf-8")
    (tmp_path / "laid").mkdir()

    as_asked, rewritten = lay_out(tmp_path, tmp_path / "laid").values()

    gold = frozenset({"doc/9-20.md"})
    assert [Question(text="And that?", gold=gold)] == as_asked
    assert [Question(text="And part 9?", gold=gold)] == rewritten
    assert "Part 9-20" == (tmp_path / "laid" / "doc" / "9-20.md").read_text("utf-8")


async def test_askback_rewrites_the_last_questions_itself_from_its_own_words_for_those_before(tmp_path: Path) -> None:
    (tmp_path / "passages.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "doc-0-9", "title": "", "text": "Part 0"}'))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\none\tdoc-0-9\t1\n", "utf-8")
    asked = ("What is part 0?", "And its price?", "And its size?")
    for kind, text in {
        "lastturn": f"|user|: {asked[2]}",
        "rewrite": "The size?",
        "questions": "\n".join(f"|user|: {one}" for one in asked),
    }.items():
        (tmp_path / f"queries_{kind}.jsonl").write_text(json.dumps({"_id": "one", "text": text}), "utf-8")
    turns = [
        {"speaker": speaker, "text": text} for one in asked for speaker, text in (("user", one), ("agent", "Yes."))
    ]
    (tmp_path / "conversations.jsonl").write_text(json.dumps({"turns": turns}), "utf-8")
    (tmp_path / "laid").mkdir()
    told: list[list[tuple[str, str, str]]] = []

    class Counting:
        async def understand(self, case: Case) -> Understanding:
            told.append([(one["question"], one["standalone"], one["answer"]) for one in case["memory"]["exchanges"]])
            return understanding(f"{case['question']} ({len(told)})")

    found = context(retriever=FoundPassages([passage(1, "B.", path="doc/0-9.md")]), understander=Counting())

    evaluation = read_retrieval(tmp_path, tmp_path / "laid")
    results = await results_of(evaluation, bench_of(found))

    first, second = ("What is part 0?", "What is part 0? (1)", "Yes."), ("And its price?", "And its price? (2)", "Yes.")
    assert [[], [first], [first, second]] == told
    assert ["Askback, rewritten by itself: reranked"] == [
        one.groups["search"] for one in results if one.told["searched"] == "And its size? (3)"
    ]
    assert 4 + 4 + 1 == len(results)


async def test_each_step_of_the_search_is_measured_and_grades_at_the_last(tmp_path: Path) -> None:
    folder = product_docs(tmp_path)
    (folder / "evaluation_results_one.json").write_text(
        json.dumps({"name": "Theirs", "average_recall": 0.7, "average_mrr": 0.8}), "utf-8"
    )
    (tmp_path / "laid").mkdir()
    found = context(retriever=FoundPassages([passage(1, "B.", path="001.md"), passage(2, "A.", path="000.md")]))

    evaluation = read_retrieval(folder, tmp_path / "laid")
    results = await results_of(evaluation, bench_of(found))

    assert ["words alone", "meaning alone", "both", "reranked"] == [
        one.groups["search"].partition(": ")[2] for one in results
    ]
    assert ["right"] * 4 == verdicts(results)
    assert [1.0, 1.0] == values(figures(results[:3]), "recall at 3", "MRR")
    assert [None, None] == values(figures(results[:3]), "grader_precision", "grader_recall")
    assert [0.5, 1.0] == values(figures(results), "grader_precision", "grader_recall")
    assert {"Theirs": {"recall at 3": 0.7, "MRR": 0.8}} == evaluation.beside


@pytest.mark.skipif(not PRODUCT_DOCS.is_dir(), reason="ASKBACK_EVALS names no public evaluation data")
async def test_retrieval_is_better_than_the_published_baseline(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    questions = lay_out_product_docs(PRODUCT_DOCS, tmp_path)
    baseline = published_figures(PRODUCT_DOCS)["Basic RAG"]
    await ingest(database, embedder, "one", [tmp_path])

    search = Search(Library(database, "one", reader=everything), embedder)
    found = [(documents_of(await search.search(each.text, limit=30)), each.gold) for each in questions]

    report = averages(figures_of(*each) for each in found)
    assert all((report[name] or 0) > figure for name, figure in baseline.items() if isinstance(figure, float))
