"""Questions that are asked for the evaluation alone."""

from bot.evals.rehearsal import Rehearsal
from bot.models.offline.writing.writer import QuotingWriter
from graph.context import Context
from tests.models.offline import offline_understander
from tests.support.fakes import FoundPassages, context, passage

PARKING = [
    passage(1, "Parking costs 3 EUR a day.", path="offices/porto/parking.md", title="Parking"),
    passage(2, "Parking costs 68 EUR a month.", path="offices/hamburg/parking.md", title="Parking"),
]


def office() -> Context:
    return context(retriever=FoundPassages(PARKING), understander=offline_understander(), writers=(QuotingWriter(),))


def rehearsal() -> Rehearsal:
    return Rehearsal(office())


async def test_asking_back_is_told_with_the_documents_behind_each_option() -> None:
    told = await rehearsal().ask("What does parking cost?", None)

    assert "asked" == told.outcome
    assert {"Porto": {"offices/porto/parking.md"}, "Hamburg": {"offices/hamburg/parking.md"}} == dict(told.options)


async def test_a_click_leads_to_the_answer_of_what_was_clicked() -> None:
    told = await rehearsal().ask("What does parking cost?", "Hamburg")

    assert ("answered", True) == (told.outcome, "68 EUR" in told.text)
