"""A question may say whose documents it is for, of which kind, and from when; then only those are searched."""

import pytest

from graph.asking.document_filters import filter_in, filter_of
from graph.events import AnswerCompleted
from graph.passages import DocumentFilter, Passage
from graph.run import run_alone
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Understood, Written, context, passage, understanding

TODAY = "2026-11-26"


def only(by: str = "", kind: str = "", since: str = "", until: str = "") -> DocumentFilter:
    return DocumentFilter(by=by, kind=kind, since=since, until=until)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What is the limit in the PDF?", only(kind="pdf")),
        ("According to our slides, who leads sales?", only(kind="slides")),
        ("What did we decide in last month's minutes?", only(kind="minutes", since="2026-10-01", until="2026-10-31")),
        ("What do this week's sales notes say?", only(kind="notes", since="2026-11-23", until=TODAY)),
        ("What is in the minutes of last year?", only(kind="minutes", since="2025-01-01", until="2025-12-31")),
        ("Was steht im Protokoll vom letzten Monat?", only(kind="protokoll", since="2026-10-01", until="2026-10-31")),
        ("What do the notes by Ada say about parking?", only(by="Ada")),
        ("What do the notes by April Jones say?", only(by="April Jones")),
        ("What do the notes by Eve say?", only(by="Eve")),
        ("Is there anything written by Ada Lovelace on parking?", only(by="Ada Lovelace")),
        ("What do the notes by April Jones´s say?", only(by="April Jones")),
    ],
)
def test_rules_recognise_what_is_certain(question: str, meant: DocumentFilter) -> None:
    assert meant == filter_in(question, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "How many vacation days do I have?",
        "How do I save the invoice in the PDF format?",
        "How do I get there by Train?",
        "What was last year's revenue?",
        "Which laptop was lent by Ada?",
        "When are the minutes published?",
        "Must I report by Friday?",
        "Who needs the report by EOD?",
        "Who needs the report by Q3?",
        "Who needs the report by Friday’s meeting?",
        "Who needs the report by Christmas?",
        "Who needs the report by Christmas Eve?",
        "Who needs the report by Monday March 2?",
        "Who needs the slides by New Year?",
        "Wo ist das Protokoll von Montag?",
        "Wo sind die Notizen von Ostern?",
    ],
)
def test_all_else_may_be_in_any_document(question: str) -> None:
    assert filter_in(question, TODAY) is None


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"by": "Ada", "since": "2026-10-01"}, only(by="Ada", since="2026-10-01")),
        ({"kind": "Minutes"}, only(kind="minutes")),
        ({"by": "Zoe"}, None),
        ({"since": "last month"}, None),
        ({"since": "2026-10-02", "until": "2026-10-01"}, None),
        ({}, None),
    ],
)
def test_a_model_may_name_only_what_somebody_said_and_real_dates(
    arguments: dict[str, str], meant: DocumentFilter | None
) -> None:
    assert meant == filter_of(arguments, ["What did Ada write in the minutes?"])


class Shelf(FoundPassages):
    """A retriever that notes the filters, and finds nothing with one if it has no such documents."""

    def __init__(self, matching: list[Passage]) -> None:
        super().__init__([passage(1, "Everybody has 25 days of vacation.")])
        self.matching = matching
        self.filters: list[DocumentFilter | None] = []

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.filters.append(only)
        return self.matching if only else await super().search(query, limit=limit)


async def answered(shelf: FoundPassages, **given: object) -> tuple[AnswerCompleted, Written]:
    writer = Written(judges=True)
    planned = Understood(lambda case: understanding(case["question"], **given))
    run = run_alone(context(retriever=shelf, understander=planned, writers=(writer,)))
    said = await events(run.start(Turn(question="How many days?", asker="U0ADA", addressed=True)))
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1], writer


async def test_only_the_documents_that_are_meant_are_read() -> None:
    shelf = Shelf([passage(2, "It is 25 days, says Ada.")])

    _, writer = await answered(shelf, only=only(by="Ada"))

    assert [None, only(by="Ada")] == shelf.filters
    assert [2] == [one["id"] for one in writer.briefs[0]["passages"]]


async def test_if_no_document_is_of_that_kind_all_are_read() -> None:
    shelf = Shelf([])

    _, writer = await answered(shelf, only=only(by="Ada"))

    assert [None, only(by="Ada"), None] == shelf.filters
    assert [1] == [one["id"] for one in writer.briefs[0]["passages"]]


class Failing(FoundPassages):
    """A retriever that fails for one query."""

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        if query in self.gone_queries:
            raise TimeoutError
        return await super().search(query, limit=limit)

    gone_queries: frozenset[str] = frozenset({"vacation"})


async def test_a_search_that_fails_costs_only_its_own_passages() -> None:
    answer, writer = await answered(Failing([passage(1, "It is 25 days.")]), queries=["vacation"])

    assert "It is 25 days [1]." == answer.text
    assert [1] == [one["id"] for one in writer.briefs[0]["passages"]]


async def test_if_all_searches_fail_the_run_fails_and_is_tried_again() -> None:
    failing = Failing([passage(1, "It is 25 days.")])
    failing.gone_queries = frozenset({"How many days?"})

    with pytest.raises(TimeoutError):
        await answered(failing)
