"""Documents whose own time is over: the answer says so."""

from collections.abc import Sequence
from datetime import date

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.documents.terms import ended
from graph.events import AnswerCompleted
from graph.passages import Passage
from graph.run import Run
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Written, context, passage

TODAY = date(2026, 11, 21)
"""The day of the fakes' clock."""
OVER = "“Winter timetable” was valid until 30 April 2026; no newer one was found."


def timetable(
    text: str = "In force 1 October 2025 until 30 April 2026\n\nThe first ferry leaves at 07:15.", **given: object
) -> Passage:
    """Return the beginning of a timetable."""
    return passage(1, text, **{"title": "Winter timetable", "document_id": 1, **given})


async def notes_of(*found: Passage, question: str = "When does the first ferry leave?") -> Sequence[str]:
    """Return the notes below an answer that cites the first passage."""
    given = context(retriever=FoundPassages(found), writers=(Written([["It leaves at 07:15 [1]."]]),))
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=given)
    completed = (await events(run.start(Turn(question=question, asker="U1", addressed=True))))[-1]
    assert isinstance(completed, AnswerCompleted)
    assert completed.is_whole is (OVER not in completed.notes)
    return completed.notes


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("In force 1 October 2025 until 30 April 2026", "2026-04-30"),
        ("Valid until 30 September", "2026-09-30"),
        ("**Valid until:** 2026-09-30", "2026-09-30"),
        ("We sail daily. This timetable is valid through September 2026.", "2026-09-30"),
        ("The winter timetable 2025/26 is valid until 30 April 2026.", "2026-04-30"),
        ("Valid 1 April – 30 September 2026", "2026-09-30"),
        ("Valid from 1 December 2025 until 31 March", "2026-03-31"),
        ("Applies from 1 May to 30 September 2026", "2026-09-30"),
        ("Expires on 30 September 2026", "2026-09-30"),
        ("Gültig bis 30.09.2026.", "2026-09-30"),
        ("Dieser Fahrplan gilt bis zum 30. September 2026.", "2026-09-30"),
        ("Válido até 30 de setembro de 2026", "2026-09-30"),
        ("Este horário é válido até 30/09/2026.", "2026-09-30"),
    ],
)
def test_a_document_says_until_when_it_holds(said: str, until: str) -> None:
    end = ended([passage(1, f"# Timetable\n\n{said}\n\n| Dep. | Arr. |", dated="2026-01-01")], TODAY)

    assert end is not None
    assert until == end.isoformat()


def test_front_matter_says_it_too() -> None:
    assert date(2026, 9, 30) == ended([passage(1, "Lunch.", attributes={"valid_until": "2026-09-30"})], TODAY)


@pytest.mark.parametrize(
    "said",
    [
        "Valid until 30 September 2027",
        "Valid until 21 November 2026",
        "Valid until 31 December",
        "Valid from 1 April to 30 September",
        "Vouchers are valid until 30 September 2026",
        "Price fixed until 30 September 2026",
        "A pass is valid until 23:00",
        "Unused days expire on 30 April.",
        "It is valid for 30 days.",
        "The rules apply to 12 May 2026 bookings",
        "Valid until 2 May 2026. The next table is valid until 2 May 2027.",
        "Valid until 31.31.2026",
    ],
)
def test_what_is_not_over_or_not_about_the_document_counts_for_nothing(said: str) -> None:
    assert ended([passage(1, said, dated="2026-01-01")], TODAY) is None


def test_without_any_year_nobody_knows_when_it_ended() -> None:
    assert ended([passage(1, "Valid until 30 September", dated=None)], TODAY) is None


async def test_an_answer_from_a_document_whose_time_is_over_says_so() -> None:
    assert [OVER] == [note for note in await notes_of(timetable()) if "valid" in note]


async def test_the_beginning_of_the_document_speaks_for_its_sections() -> None:
    section = passage(
        2, "The first ferry leaves at 07:15.", document_id=1, title="Winter timetable", heading_path=["Skell"]
    )

    assert OVER in await notes_of(section, timetable())


async def test_another_section_speaks_for_itself_only() -> None:
    other = timetable("Valid until 30 April 2026.", id=2, heading_path=["Offer"])
    cited = timetable("The first ferry leaves at 07:15.", heading_path=["Skell"])

    assert OVER not in await notes_of(cited, other)


async def test_what_is_asked_of_that_time_is_answered_as_it_was() -> None:
    assert OVER not in await notes_of(timetable(), question="When did the first ferry leave on 3 March 2026?")


async def test_where_a_newer_version_is_found_it_is_not_said_that_there_is_none() -> None:
    newer = passage(
        2, "The ferries are painted.", title="Winter timetable", path="timetables/winter-2027.md", dated="2026-10-01"
    )
    older = timetable(path="timetables/winter-2026.md", dated="2025-10-01")

    assert OVER not in await notes_of(older, newer)


async def test_what_is_not_cited_is_not_spoken_of() -> None:
    assert OVER not in await notes_of(passage(2, "It leaves at 07:15.", document_id=2), timetable())
