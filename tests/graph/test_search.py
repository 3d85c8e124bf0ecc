"""A search keeps the best documents with their best passages, for each query."""

from structlog.testing import capture_logs

from bot.conversation.traces.recorder import RunObserver
from graph.passages import DocumentFilter, Passage
from graph.search import DOCUMENTS, FURTHER, best_grades, best_of_documents, find, in_turns
from tests.support.fakes import FoundPassages, context, passage

HANDBOOK = [passage(number, "A page of the handbook.", document_id=1) for number in range(1, 13)]
NOTES = [passage(number, "A note.", document_id=number) for number in range(101, 112)]


def test_a_long_document_does_not_hide_the_others() -> None:
    kept = best_of_documents([*HANDBOOK, *NOTES])

    assert {1, *range(101, 100 + DOCUMENTS)} == {one["document_id"] for one in kept}


def test_a_document_that_answers_in_several_places_keeps_the_best_of_them() -> None:
    kept = best_of_documents([*HANDBOOK, *NOTES])

    assert HANDBOOK[: 1 + FURTHER] == [one for one in kept if one["document_id"] == 1]


async def test_every_query_has_room_for_what_only_it_finds_in_a_document() -> None:
    found = FoundPassages(by_query={"one": [*HANDBOOK[:6], *NOTES], "two": [*HANDBOOK[6:], *NOTES]})

    kept = await find(context(retriever=found), ["one", "two"])

    assert HANDBOOK == sorted((each for each in kept if each["document_id"] == 1), key=lambda each: each["id"])


class Failing(FoundPassages):
    """A retriever that fails for one query, and quotes it."""

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        if query == "two":
            raise ConnectionError(f"no answer for {query!r}")
        return await super().search(query, limit=limit, only=only)


async def test_a_search_that_fails_costs_its_own_passages_and_is_logged_without_words() -> None:
    with capture_logs() as lines:
        kept = await find(context(retriever=Failing(NOTES), observer=RunObserver()), ["one", "two"])

    assert NOTES[:DOCUMENTS] == kept
    assert [
        {"event": "retriever_failed", "retriever": "documents", "error": "ConnectionError", "log_level": "warning"}
    ] == lines


def test_what_is_kept_stays_in_its_order() -> None:
    ranked = [NOTES[0], HANDBOOK[0], NOTES[1], HANDBOOK[1]]

    assert ranked == best_of_documents(ranked)


def test_each_query_has_its_best_first_and_nothing_twice() -> None:
    rankings = [NOTES[:4], [NOTES[5], NOTES[1]], []]

    assert [101, 106, 102, 103, 104] == [one["id"] for one in in_turns(rankings)]


class ByWord:
    """A grader that finds a passage relevant if the question holds its text."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.9 if one["text"] in question else 0.1 for one in passages]


async def test_a_part_of_a_question_counts_by_itself() -> None:
    found = [passage(1, "Urlaub"), passage(2, "vacation"), passage(3, "leave")]

    assert [0.9, 0.9, 0.1] == await best_grades(ByWord(), ["Urlaub?", "vacation?"], found)


async def test_nothing_found_has_no_grades() -> None:
    assert [] == await best_grades(ByWord(), ["a"], [])


async def test_of_copies_that_different_queries_find_one_is_kept() -> None:
    text = (
        "Laptops are replaced every four years; ask the service desk for an appointment before yours is due,"
        " and bring it with its charger."
    )
    one, other = passage(1, text, title="Laptops"), passage(2, f"{text} (it is quick)", title="Laptops")
    found = FoundPassages(by_query={"one": [one, NOTES[0]], "two": [other, NOTES[1]]})

    kept = await find(context(retriever=found), ["one", "two"])

    assert [1, 101, 102] == [one["id"] for one in kept]
