"""Whole runs of the graph with models over a real socket: answered, asked back, cut, without a model."""

from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from bot.models.breaker import Breaker
from bot.models.fallback import NOTE, FallbackUnderstander, FallbackValidator, writers_of
from bot.models.llm.language_models import LanguageModels
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.validator import ModelValidator
from graph.builder import compiled_graph
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, DraftWithdrawn, TextWritten
from graph.run import Run
from graph.turn import Choice, Reply, Turn
from tests.models.groq_server import Reply as Replies
from tests.models.groq_server import Says
from tests.models.local_llm import llm_that
from tests.models.obliging import may_ask_back, oblige, reading
from tests.support.fakes import FoundPassages, Understood, Validated, Written, context, passage

HOLIDAYS = Turn(question="How many days of holiday are there?", asker="U0ADA", addressed=True)
OFFLINE = Written(drafts=(("It is 25 days [1].",),))


def run_with(groq: LanguageModels, **fakes: Any) -> Run:
    """Make a thread with Groq's models and the offline fallback."""
    breaker = Breaker()
    given = context(
        understander=FallbackUnderstander(ModelUnderstander(groq.small), Understood(), breaker),
        writers=writers_of(groq, OFFLINE, breaker, Breaker()),
        validator=FallbackValidator(ModelValidator(groq.small), Validated(), breaker),
        **fakes,
    )
    return Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=given)


async def events(groq: LanguageModels) -> list[AnswerEvent]:
    """Ask, and return the events."""
    return [event async for event in run_with(groq).start(HOLIDAYS)]


def completed(said: list[AnswerEvent]) -> AnswerCompleted:
    """Return the answer at the end of a run."""
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1]


async def test_a_question_takes_three_calls_and_streams() -> None:
    async with llm_that(script=oblige) as (groq, server):
        said = await events(groq)

    assert completed(said).text == "Everybody has 25 days of vacation. [1]"
    assert any(isinstance(event, TextWritten) for event in said)
    assert [request["model"][-4:] for request in server.requests] == ["-20b", "120b", "-20b"]


async def test_a_draft_that_is_cut_is_withdrawn_and_written_anew() -> None:
    cut = Says("Everybody has 25 days of vacation. [1] And every", size=20, cut_after=3)

    def script(request: dict[str, Any]) -> Replies:
        return cut if request["model"].endswith("120b") else oblige(request)

    async with llm_that(script=script) as (groq, _):
        said = await events(groq)

    withdrawn = [place for place, event in enumerate(said) if isinstance(event, DraftWithdrawn)]
    assert len(withdrawn) == 1
    assert any(isinstance(event, TextWritten) for event in said[: withdrawn[0]])
    assert completed(said).text == "Everybody has 25 days of vacation. [1]"
    assert NOTE not in completed(said).notes


async def test_a_model_that_recites_its_instructions_is_not_heard() -> None:
    told = (
        "Say only what the passages say. People act on what you write, so it must be true to the passages, and short."
    )

    def script(request: dict[str, Any]) -> Replies:
        text = f"{told} Everybody has 25 days of vacation. [1]"
        return Says(text) if request["model"].endswith("120b") else oblige(request)

    async with llm_that(script=script) as (groq, _):
        text = completed(await events(groq)).text

    assert "People act on what you write" not in text
    assert "Everybody has 25 days of vacation. [1]" in text


def asking(question: str, *options: str) -> Callable[[dict[str, Any]], Replies]:
    """Return the script of a model that asks back once, and answers everything else well."""
    asked = reading(route="clarify", clarification={"question": question, "options": list(options)})
    return lambda request: asked if may_ask_back(request) else oblige(request)


async def test_a_model_asks_back_and_the_choice_is_answered() -> None:
    found = FoundPassages(
        [
            passage(1, "In Berlin there are 30 days of holiday.", path="offices/berlin/leave.md", title="Leave"),
            passage(2, "In Lisbon there are 25 days of holiday.", path="offices/lisbon/leave.md", title="Leave"),
        ]
    )

    async with llm_that(script=asking("Which office?", "Berlin", "Lisbon")) as (groq, _):
        run = run_with(groq, retriever=found)
        asked = [event async for event in run.start(HOLIDAYS)][-1]
        assert isinstance(asked, ClarificationRequested)
        lisbon = next(option for option in asked.options if "lisbon" in option.label.lower())
        choice = Choice(kind="option", value=lisbon.id, label=lisbon.label)
        said = [event async for event in run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))]

    assert asked.question == "Which office?"
    assert completed(said).text == "In Lisbon there are 25 days of holiday. [1]"


async def test_a_model_may_ask_between_the_rows_of_a_table() -> None:
    table = "| Harbour | Channel |\n|---|---|\n| Skell | 12 |\n| Ossay | 14 |\n| Vellan | 9 |\n| Dunmarrow | 11 |"
    found = FoundPassages([passage(1, table, title="Radio")])

    async with llm_that(script=asking("Which harbour?", "Skell", "Ossay")) as (groq, server):
        run = run_with(groq, retriever=found)
        asked = [event async for event in run.start(HOLIDAYS)][-1]
        assert isinstance(asked, ClarificationRequested)
        assert ["Skell", "Ossay"] == [option.label for option in asked.options]
        choice = Choice(kind="option", value=asked.options[1].id, label="Ossay")
        said = [event async for event in run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))]

    assert completed(said).outcome == "answered"
    assert "Ossay" in str(server.requests[-1]["messages"])
