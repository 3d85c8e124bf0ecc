"""Who asks, in a run: what the model is told, which reading is assumed, and on which day."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from graph.context import Case
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, ReadingRecalled
from graph.run import run_alone
from graph.state import Understanding
from graph.turn import Choice, Reply
from tests.graph.test_profiles import profile
from tests.graph.test_run import events, turn
from tests.support.fakes import FoundPassages, TurnedClock, Understood, Written, context, passage, understanding

PORTO = passage(1, "In Porto you get 25 days.", path="offices/porto/vacation.md", title="Vacation")
HAMBURG = passage(2, "In Hamburg you get 30 days.", path="offices/hamburg/vacation.md", title="Vacation")


@dataclass
class Known:
    """Profiles that are the same for everybody, and a record of who was looked up."""

    told: Any = field(default_factory=profile)
    asked: list[str] = field(default_factory=list[str])

    async def of(self, person: str) -> Any:
        """Return the profile."""
        self.asked.append(person)
        return self.told


class Chose:
    """Preferences that hold one label."""

    def __init__(self, label: str) -> None:
        self._label = label

    async def recall(self, *_: object) -> str:
        """Return the label."""
        return self._label


def asks_for_the_office(case: Case) -> Understanding:
    """Ask back once about the offices."""
    if not case["may_ask"]:
        return understanding(case["question"])
    ids = [facet["id"] for facet in case["facets"] if facet["label"] in {"Porto", "Hamburg"}]
    return understanding(case["question"], route="clarify", clarification={"question": "Which office?", "options": ids})


def asking(**given: Any) -> Any:
    """Return a context in which a model asks for the office."""
    found = FoundPassages([PORTO, HAMBURG])
    return context(**{"retriever": found, "understander": Understood(asks_for_the_office), "profiles": Known()} | given)


async def said(given: Any, **parts: Any) -> list[AnswerEvent]:
    return await events(run_alone(given).start(turn(**parts)))


async def test_the_askers_own_office_is_assumed_and_said() -> None:
    writer = Written([["It is 25 days [1]."]])

    told = await said(asking(writers=(writer,)))

    (assumed,) = [event for event in told if isinstance(event, ReadingRecalled)]
    assert {"Porto", "Hamburg"} == {option.label for option in assumed.options}
    assert isinstance(told[-1], AnswerCompleted)
    assert "Assumed Porto, your office." == told[-1].recalled
    assert [1] == [passage["id"] for passage in writer.briefs[0]["passages"]]


async def test_it_is_said_in_the_language_of_the_question() -> None:
    told = await said(asking(), question="Wie viele Urlaubstage habe ich?")

    assert isinstance(told[-1], AnswerCompleted)
    assert "Angenommen: Porto, dein Büro." == told[-1].recalled


async def test_what_the_asker_chose_before_beats_their_profile() -> None:
    told = await said(asking(preferences=Chose("Hamburg")))

    assert isinstance(told[-1], AnswerCompleted)
    assert "Assumed Hamburg, as last time." == told[-1].recalled


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"preferences": Chose("")}, {}),
        ({"profiles": Known(None)}, {}),
        ({"profiles": Known(profile(units={"team": "Porto"}))}, {}),
        ({}, {"mentions_others": True}),
        ({}, {"question": "How many vacation days does the other office have?"}),
    ],
    ids=["wants to be asked", "nobody knows", "no office", "somebody else's", "another office"],
)
async def test_otherwise_they_are_asked(given: dict[str, Any], parts: dict[str, Any]) -> None:
    told = await said(asking(**given), **parts)

    assert isinstance(told[-1], ClarificationRequested)


async def test_what_understands_is_told_who_asks_and_a_writer_only_the_day_where_they_are() -> None:
    clock, writer = TurnedClock(), Written([["It is 25 days [1]."]])
    clock.turn(hours=11)
    understood = Understood()

    await said(
        context(understander=understood, writers=(writer,), clock=clock, profiles=Known(profile(zone="Asia/Tokyo")))
    )

    assert profile(zone="Asia/Tokyo") == understood.cases[0].get("profile")
    assert "profile" not in writer.briefs[0]
    assert ["2026-11-22"] * 2 == [given["today"] for given in (understood.cases[0], writer.briefs[0])]


async def test_nothing_is_said_of_somebody_whom_nobody_knows() -> None:
    understood = Understood()

    await said(context(understander=understood, profiles=Known(None)))

    assert "profile" not in understood.cases[0]


async def test_after_a_question_back_the_profile_of_who_asked_is_read_again() -> None:
    known, writer, clock = Known(profile(units={})), Written([["It is 25 days [1]."]]), TurnedClock()
    clock.turn(hours=11)
    run = run_alone(asking(profiles=known, writers=(writer,), clock=clock))
    asked = (await events(run.start(turn())))[-1]
    assert isinstance(asked, ClarificationRequested)
    known.told = profile(zone="Asia/Tokyo", units={})

    choice = Choice(kind="option", value=asked.options[0].id, label=asked.options[0].label)
    await events(run.resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))

    assert ["U0ADA", "U0ADA"] == known.asked
    assert "2026-11-22" == writer.briefs[0]["today"]
