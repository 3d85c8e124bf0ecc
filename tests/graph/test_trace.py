"""The trace of a run holds numbers and names, separate from the words of people, documents and models."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.builder import build_graph, compiled_graph
from graph.context import Context, ModelError, Verdict
from graph.events import ClarificationRequested, ReviewRequested
from graph.run import Run
from graph.state import TurnState, new_turn, plainly
from graph.trace import LONGEST, MOST, TracedStep, outcome_of, rounds, step_of, without_words
from graph.turn import Choice, Reply, ReviewDecision, Turn
from tests.graph.test_run import DESK, PINE, asks_between_desk_and_pine, events
from tests.support.fakes import (
    FoundPassages,
    Understood,
    Validated,
    Written,
    context,
    passage,
    turn_input,
    understanding,
)

SAID = "Ssecrett"
"""A word in everything that people, documents and models say."""
BAD = Verdict(faithful=0.1, responsive=0.5, issues=[f"{SAID} is nowhere."])


class Watching:
    """An observer that keeps the steps."""

    def __init__(self) -> None:
        self.steps: list[TracedStep] = []

    def note(self, node: str, before: TurnState, after: TurnState | None, *, seconds: float) -> None:
        self.steps.append(step_of(node, before, after, seconds=seconds))


def asking(**given: Any) -> Turn:
    return Turn(**{"question": f"How many days of {SAID}?", "asker": "U0ADA", "addressed": True, **given})


def told(given: Context) -> tuple[Run, Watching]:
    """Return a run that records its steps."""
    assert isinstance(given.observer, Watching)
    return Run(compiled_graph(), InMemorySaver(), thread_id="t", context=given), given.observer


def watched(**given: Any) -> Context:
    found = FoundPassages([passage(1, f"It is {SAID}.", title=SAID), passage(2, "Other.", title=f"{SAID} 2")])
    return context(**{"retriever": found, "observer": Watching(), **given})


def names(steps: list[TracedStep]) -> str:
    return " ".join(step["node"] for step in steps)


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, "answered"),
        ({"retriever": FoundPassages([DESK, PINE]), "understander": Understood(asks_between_desk_and_pine)}, "asked"),
        ({"writers": (Written([["EVIDENCE: none"]], judges=True),)}, "admitted"),
        ({"writers": (Written([[f"EVIDENCE: part: {SAID}\n{SAID} [1]."]], judges=True),)}, "answered"),
        ({"writers": (Written([[ModelError("gone")]], judges=True), Written([[f"{SAID} [1]."]]))}, "answered"),
        ({"writers": (Written([[f"{SAID} [1]."]], judges=True),), "validator": Validated([BAD])}, "admitted"),
        ({"understander": Understood(lambda case: understanding(case["question"], route="converse"))}, "conversed"),
        ({"understander": Understood(lambda case: understanding(SAID, route="out_of_scope"))}, "declined"),
        ({"understander": Understood(lambda case: understanding(SAID, route="stay_silent"))}, "silent"),
        ({"has_reviewer": True, "review_below": 0.9, "validator": Validated([BAD])}, "in_review"),
    ],
)
async def test_every_end_is_told_and_no_word_is_among_the_numbers(given: dict[str, Any], outcome: str) -> None:
    run, watching = told(watched(**given))

    await events(run.start(asking()))

    assert outcome == outcome_of(watching.steps)
    assert SAID in json.dumps(watching.steps)
    assert SAID not in json.dumps([without_words(watching.steps), rounds(watching.steps)])


async def test_what_is_asked_back_and_what_was_chosen_are_told() -> None:
    given = watched(retriever=FoundPassages([DESK, PINE]), understander=Understood(asks_between_desk_and_pine))
    run, watching = told(given)

    (*_, asked) = await events(run.start(asking()))
    assert isinstance(asked, ClarificationRequested)
    assert ("search understand retrieve assume clarify", "asked") == (names(watching.steps), outcome_of(watching.steps))
    assert ["Which product?", "Desk", "Pine"] == watching.steps[-1]["words"]["asks"]
    watching.steps.clear()
    option = asked.options[0]
    choice = Choice(kind="option", value=option.id, label=option.label)
    await events(run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))

    assert "clarify retrieve grade write audit validate finish" == names(watching.steps)
    assert ["Desk"] == watching.steps[0]["words"]["chosen"]
    assert "answered" == outcome_of(watching.steps)


async def test_what_a_reviewer_ruled_is_told() -> None:
    run, watching = told(watched(has_reviewer=True, review_below=0.9, validator=Validated([BAD])))
    (*_, asked) = await events(run.start(asking()))
    assert isinstance(asked, ReviewRequested)
    watching.steps.clear()

    await events(run.resume_review(asked.interrupt_id, ReviewDecision(kind="rejected", text=SAID, by="U0BEN")))

    assert ("review finish", "rejected") == (names(watching.steps), outcome_of(watching.steps))
    assert ("rejected", [SAID]) == (watching.steps[0]["facts"]["decision"], watching.steps[0]["words"]["said"])


async def test_each_round_says_why_it_began() -> None:
    drafts = [[f"EVIDENCE: part: {SAID}\nIt is {SAID} [1]."], ["EVIDENCE: full\nIt is 9 [1]."]]
    question = asking().question
    found = FoundPassages([passage(1, "One.")], by_query={SAID: [passage(2, "Two.")]})
    run, watching = told(watched(retriever=found, writers=(Written(drafts, judges=True),)))
    await events(run.start(asking(question=question)))

    first, second = rounds(watching.steps)

    assert (1, "search understand retrieve grade write") == (first["number"], first["nodes"])
    assert "improve write audit" in str(second["nodes"])
    assert ("evidence: part", None) == (second["again"], first.get("again"))


async def test_what_was_left_out_of_a_draft_is_told() -> None:
    verdict = Verdict(faithful=0.8, responsive=1.0, issues=["Not said."], refuted=[f"{SAID} pays [1]."])
    writer = Written([[f"It is {SAID} [1]. {SAID} pays [1]."]], judges=True)
    run, watching = told(watched(writers=(writer,), validator=Validated([verdict])))

    await events(run.start(asking()))

    (validated,) = [step for step in watching.steps if step["node"] == "validate"]
    assert [f"{SAID} pays [1]."] == validated["words"]["refuted"]


def test_a_step_that_came_to_no_end_says_so() -> None:
    step = step_of("write", _turn(), None, seconds=1.2345)

    assert (True, 1234) == (step.get("unfinished"), step["ms"])


def test_what_cannot_be_stored_or_is_too_long_is_left_out() -> None:
    words = {"faults": ["a\x00b\x1b[2J", "half \ud83d", "x" * 2 * LONGEST, " "] + ["y"] * 2 * MOST}

    kept = step_of("audit", {**_turn(), "issues": words["faults"]}, {**_turn(), "issues": words["faults"]}, seconds=0)

    said = kept["words"]["faults"]
    assert ["ab[2J", "half ?", "x" * LONGEST] == said[:3]
    assert len(said) < MOST


def test_every_node_has_something_to_tell() -> None:
    understanding = plainly("retrieve", "How?", reason="It asks.", confidence=1.0)
    turn: TurnState = {**_turn(), "understanding": understanding}

    told = {node: step_of(node, turn, turn, seconds=0)["facts"] for node in build_graph().nodes}
    # These may run before anything is understood.
    for node in ("search", "stay_silent"):
        step_of(node, _turn(), _turn(), seconds=0)

    # These steps tell of a person's decision, and there is none here.
    assert {"assume", "clarify", "review"} == {node for node, facts in told.items() if not facts}


def _turn() -> TurnState:
    return new_turn(turn_input("How?"))
