"""A run uses the planned tools once, and answers from their results as from passages."""

from dataclasses import dataclass, field

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import compiled_graph
from graph.events import AnswerCompleted, AnswerEvent, StepStarted
from graph.run import Run
from graph.tools import Offer, ToolCall, ToolError, ToolResult
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Graded, Understood, Written, context, passage, understanding

SUM = ToolCall(tool="calculator", arguments={"expression": "3 * 145"})
HOTEL = passage(1, "A night in Porto costs at most 145 EUR.")


@dataclass
class Used:
    """Tools that say the test's text, or fail without one, and record their calls."""

    text: str = "3 × 145 = 435"
    calls: list[ToolCall] = field(default_factory=list[ToolCall])

    async def offers(self) -> list[Offer]:
        return []

    async def use(self, call: ToolCall) -> list[ToolResult]:
        self.calls.append(call)
        if not self.text:
            raise ToolError
        return [ToolResult(title="Calculator", text=self.text)]


async def asked(question: str, *, calls: int = 1, **given: object) -> tuple[AnswerCompleted, list[AnswerEvent]]:
    planned = Understood(lambda case: understanding(case["question"], tools=[SUM] * calls))
    run = Run(compiled_graph(), InMemorySaver(), thread_id="T0:C0:1", context=context(understander=planned, **given))
    said = await events(run.start(Turn(question=question, asker="U0ADA", addressed=True)))
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1], said


async def test_a_model_writes_from_the_result_and_cites_it() -> None:
    tools, writer = Used(), Written([["EVIDENCE: full\nIt is 435 [1]."]], judges=True)

    answer, said = await asked(
        "What do three nights cost?", tools=tools, writers=(writer,), retriever=FoundPassages([HOTEL])
    )

    assert ["Calculator", "Document 1"] == [one["title"] for one in writer.briefs[0]["passages"]]
    assert ("It is 435 [1].", ["Calculator"]) == (answer.text, [one["title"] for one in answer.sources])
    assert "Calculating 3 × 145" in [event.title for event in said if isinstance(event, StepStarted)]
    assert 1 == len(tools.calls)


async def test_a_value_of_a_result_is_no_fault_and_another_one_is() -> None:
    writer = Written([["EVIDENCE: full\nIt is 436 [1]."], ["EVIDENCE: full\nIt is 435 [1]."]], judges=True)

    answer, _ = await asked("What do three nights cost?", tools=Used(), writers=(writer,))

    assert "It is 435 [1]." == answer.text
    assert "436" in writer.briefs[1]["issues"][0]


async def test_a_failed_tool_costs_only_its_result() -> None:
    writer = Written([["EVIDENCE: full\nIt is 145 EUR [1]."]], judges=True)

    answer, _ = await asked(
        "What does a night cost?", tools=Used(""), writers=(writer,), retriever=FoundPassages([HOTEL])
    )

    assert "It is 145 EUR [1]." == answer.text
    assert ["Document 1"] == [one["title"] for one in writer.briefs[0]["passages"]]


async def test_a_useless_result_is_not_given_to_the_writer() -> None:
    writer = Written([["EVIDENCE: full\nIt is 145 EUR [1]."]], judges=True)

    await asked("What does a night cost?", tools=Used(), writers=(writer,), grader=Graded(0.001))

    assert ["Document 1"] == [one["title"] for one in writer.briefs[0]["passages"]]


@pytest.mark.parametrize("text", ["3 × 145 = 435", ""])
async def test_tools_are_used_once_although_models_fail(text: str) -> None:
    tools = Used(text)
    failing = Written([["EVIDENCE: full\nIt is 9 [1]."]], judges=True)

    answer, _ = await asked("What is 3 x 145?", tools=tools, writers=(failing, Written([["3 × 145 = 435 [1]"]])))

    assert 1 == len(tools.calls)
    assert answer.text


async def test_what_rests_on_a_result_is_remembered() -> None:
    saver = InMemorySaver()
    planned = Understood(lambda case: understanding(case["question"], tools=[SUM]))
    given = context(
        understander=planned, tools=Used(), writers=(Written([["3 × 145 = 435 [1]"]]),), retriever=FoundPassages()
    )
    run = Run(compiled_graph(), saver, thread_id="T0:C0:1", context=given)

    await events(run.start(Turn(question="What is 3 x 145?", asker="U0ADA", addressed=True, key="1")))
    await events(run.start(Turn(question="And why?", asker="U0ADA", addressed=True, key="2")))

    memory = planned.cases[1]["memory"]
    assert "3 × 145 = 435 [1]" == memory["exchanges"][0]["answer"]
    assert [] == memory["exchanges"][0]["passages"]
