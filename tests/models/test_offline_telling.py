"""Answers from titles, dates and front matter."""

from bot.evals.rehearsal import Rehearsal
from bot.models.offline.strictness import StrictGrader
from bot.models.offline.writing.writer import QuotingWriter
from tests.models.offline import offline_understander
from tests.support.fakes import FoundPassages, Graded, context, passage

PORTO = passage(
    1,
    "Nine spaces cost 3 EUR.",
    title="Parking",
    path="porto/parking.md",
    attributes={"owner": "Marta"},
    dated="2026-02-18",
)
HAMBURG = passage(2, "Four spaces cost 68 EUR.", title="Parking", path="hamburg/parking.md", dated="2026-02-20")


def rehearsal(*found: object) -> Rehearsal:
    return Rehearsal(
        context(
            retriever=FoundPassages(found),  # pyright: ignore[reportArgumentType]
            understander=offline_understander(),
            writers=(QuotingWriter(),),
            grader=StrictGrader(Graded(0.0)),
        )
    )


async def test_the_owner_of_a_document_is_told_with_its_source() -> None:
    told = await rehearsal(PORTO).ask("Who owns the parking page?", None)

    assert ("answered", "The owner of “Parking” is Marta [1].") == (told.outcome, told.text.strip())


async def test_the_date_of_a_document_is_told_in_the_language_of_the_question() -> None:
    told = await rehearsal(PORTO).ask("Wann wurde die Seite zum Parking zuletzt geändert?", None)

    assert "„Parking“ ist vom 2026-02-18 [1]." == told.text.strip()


async def test_documents_are_listed_and_not_asked_about() -> None:
    told = await rehearsal(PORTO, HAMBURG).ask("Which documents cover parking?", None)

    assert ["- “Parking” is dated 2026-02-18 [1].", "- “Parking” is dated 2026-02-20 [2]."] == told.text.split("\n")[:2]
