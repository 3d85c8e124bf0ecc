"""Figures of retrieval match their definitions."""

import gzip
import json
import os
from pathlib import Path

import pytest

from bot.evals.retrieval import (
    Question,
    evaluate_retrieval,
    lay_out,
    lay_out_product_docs,
    published_figures,
    table,
)
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search, everything
from bot.postgres.pool import Database
from graph.passages import DocumentFilter, Passage

PRODUCT_DOCS = Path(os.environ.get("ASKBACK_EVALS", "nowhere")) / "kb_product_docs"


class Shelf:
    """A retriever that always finds the same documents, in order, each in two passages."""

    by_words = False

    def __init__(self, *paths: str) -> None:
        self._paths = paths

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        """Return the shelf."""
        return [_passage(path) for path in self._paths for _ in range(2)][:limit]

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return all of them."""
        return set(ids)

    async def topics(self) -> list[str]:
        """Return no topics."""
        return []

    async def languages(self) -> list[str]:
        """Return English."""
        return ["en"]


def _passage(path: str) -> Passage:
    return Passage(
        id=1,
        document_id=1,
        title="",
        path=path,
        heading_path=[],
        text="",
        language="en",
        attributes={},
        score=0.0,
    )


async def test_a_document_counts_once_at_the_place_of_its_best_passage() -> None:
    questions = [Question(text="?", gold=frozenset({"b", "x"})), Question(text="?", gold=frozenset({"a"}))]

    report = await evaluate_retrieval(Shelf("a", "b", "c", "d"), questions)

    assert report.mrr == pytest.approx((1 / 2 + 1) / 2)
    assert report.recall_at_3 == pytest.approx((1 / 2 + 1) / 2)
    assert report.ndcg_at_10 == pytest.approx((0.6309 / 1.6309 + 1) / 2, abs=1e-3)


def test_a_question_of_the_product_docs_names_the_documents_that_its_chunks_became(tmp_path: Path) -> None:
    chunks = [
        {"chunk_link": f"https://docs.example/{name}", "chunk_heading": name, "text": f"{name}\n\nText."}
        for name in "ab"
    ]
    asked = [{"question": "What is b?", "correct_chunks": ["https://docs.example/b"]}]
    (tmp_path / "anthropic_docs.json").write_text(json.dumps(chunks), "utf-8")
    (tmp_path / "docs_evaluation_dataset.json").write_text(json.dumps(asked), "utf-8")
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


async def test_the_table_stands_beside_published_figures() -> None:
    report = await evaluate_retrieval(Shelf("a"), [Question(text="?", gold=frozenset({"a"}))])

    assert table({"Askback": report}, {"Theirs": {"mrr": 0.5}}).splitlines() == [
        "| | recall at 3 | recall at 5 | recall at 10 | mrr | ndcg at 5 | ndcg at 10 |",
        "|---|---:|---:|---:|---:|---:|---:|",
        "| Askback | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |",
        "| Theirs | – | – | – | 0.500 | – | – |",
    ]


@pytest.mark.skipif(not PRODUCT_DOCS.is_dir(), reason="ASKBACK_EVALS names no public evaluation data")
async def test_retrieval_is_better_than_the_published_baseline(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    questions = lay_out_product_docs(PRODUCT_DOCS, tmp_path)
    baseline = published_figures(PRODUCT_DOCS)["Basic RAG"]
    await ingest(database, embedder, "one", [tmp_path])

    report = await evaluate_retrieval(Search(Library(database, "one", reader=everything), embedder), questions)

    assert report.recall_at_3 > baseline["recall_at_3"]
    assert report.mrr > baseline["mrr"]
