"""A preset limits the work for an answer, whatever models say; a phrase of the question may choose it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

import pytest

from graph.asking.preset_wishes import wish_in
from graph.context import Brief, Hints, ModelError, Verdict
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    DraftWithdrawn,
    StepStarted,
    TextWritten,
)
from graph.passages import DocumentFilter, Passage
from graph.routing import PRESETS
from graph.run import run_alone
from graph.state import PresetName
from graph.text.wording import CAVEAT
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Validated, Written, context, passage

QUESTION = "How many days are there?"
NAMES: tuple[PresetName, ...] = get_args(PresetName)


@pytest.mark.parametrize(
    ("said", "question", "preset", "phrase"),
    [
        (f"quickly: {QUESTION}", QUESTION, "quick", "quickly"),
        (f"Please be quick, {QUESTION}", QUESTION, "quick", "Please be quick"),
        ("How many days are there, be thorough", "How many days are there", "thorough", "be thorough"),
        (f"{QUESTION} Be thorough, please.", QUESTION, "thorough", "Be thorough, please"),
        (f"{QUESTION}\nquickly please", QUESTION, "quick", "quickly please"),
        ("Gründlich: Wie viele Tage?", "Wie viele Tage?", "thorough", "Gründlich"),
        ("Wie viele Tage? Bitte sei schnell!", "Wie viele Tage?", "quick", "Bitte sei schnell"),
        ("Rápido: quantos dias?", "quantos dias?", "quick", "Rápido"),
    ],
)
def test_a_phrase_before_or_behind_a_question_asks_for_a_preset(
    said: str, question: str, preset: PresetName, phrase: str
) -> None:
    assert (question, preset, phrase) == wish_in(said)


@pytest.mark.parametrize(
    "said",
    [
        QUESTION,
        "How do I reset it quickly?",
        "Quick question: how many days?",
        "Quick, simple or detailed: which report do we use?",
        'What does the rule "be quick" mean?',
        "Do we tell people to act fast, be thorough?",
        "Be thorough.",
        "quickly: ",
        "",
    ],
)
def test_what_belongs_to_the_question_stays_in_it(said: str) -> None:
    assert wish_in(said) is None


@dataclass
class Usual:
    """A channel's preset."""

    name: PresetName

    async def usual(self) -> PresetName:
        return self.name


async def answered(question: str, **given: object) -> tuple[AnswerCompleted, list[AnswerEvent]]:
    said = await events(run_alone(context(**given)).start(Turn(question=question, asker="U0ADA", addressed=True)))
    assert isinstance(said[-1], AnswerCompleted)
    return said[-1], said


@pytest.mark.parametrize(("name", "searches"), [("quick", 1), ("balanced", 2), ("thorough", 4)])
async def test_it_is_searched_as_often_as_the_preset_says(name: PresetName, searches: int) -> None:
    found = Growing()
    writer = Written([[f"EVIDENCE: part: the {part}\nIt is 25 days [1]."] for part in "abcdef"], judges=True)

    await answered(QUESTION, retriever=found, writers=(writer,), presets=Usual(name))

    assert searches == len({query for query in found.queries if query != QUESTION}) + 1
    assert searches == len(writer.briefs)


class Growing(FoundPassages):
    """A retriever that finds one more document in each search."""

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        self.queries.append(query)
        return [passage(len(self.queries), f"It is 25 days, says {len(self.queries)}.")]


async def test_a_quick_answer_says_so_and_no_model_validates_it() -> None:
    validator = Noting()
    found = FoundPassages([passage(1, "Everybody has 25 days of vacation.")])
    writer = Written(judges=True)

    answer, _ = await answered(f"quickly: {QUESTION}", retriever=found, writers=(writer,), validator=validator)

    assert [True] == validator.by_rules
    assert [QUESTION] == found.queries
    assert QUESTION == writer.briefs[0]["question"]
    assert (
        "A quick answer: one search, fewer checks.",
        "I took “quickly” for a wish, not for a part of the question.",
    ) == answer.notes
    assert answer.has_wish


async def test_a_phrase_that_is_part_of_the_question_is_no_wish() -> None:
    found = FoundPassages([passage(1, "Everybody has 25 days of vacation.")])
    said = f"quickly: {QUESTION}"
    run = run_alone(context(retriever=found, writers=(Written(judges=True),)))

    answer = (await events(run.start(Turn(question=said, asker="U0ADA", addressed=True, is_literal=True))))[-1]

    assert isinstance(answer, AnswerCompleted)
    assert ((), False) == (answer.notes, answer.has_wish)
    assert [said] == found.queries


async def test_a_phrase_counts_more_than_the_place() -> None:
    answer, _ = await answered(f"{QUESTION} Be thorough.", presets=Usual("quick"), writers=(Written(judges=True),))

    assert (
        "A thorough answer: more searches and checks.",
        "I took “Be thorough” for a wish, not for a part of the question.",
    ) == answer.notes


async def test_without_a_model_all_presets_answer_alike() -> None:
    answer, _ = await answered(QUESTION, presets=Usual("thorough"))

    assert () == answer.notes


async def test_a_balanced_answer_says_nothing_of_it() -> None:
    answer, _ = await answered(QUESTION)

    assert () == answer.notes


async def test_an_earlier_draft_does_not_come_back_over_other_passages_than_it_cites() -> None:
    found = FoundPassages([passage(1, "Everybody has desks."), passage(2, "It is 25 days.")])
    found.by_query = {"the year": [passage(3, "It is 25 days in Porto.")]}
    first = "full\nIt is 25 days [2]."
    drafts = [first, first, "part: the year\nIt is 25 days [2].", "full\nIt is 25 days here [1]."]
    writer = Written([[f"EVIDENCE: {draft}"] for draft in drafts], judges=True)
    verdicts = [Verdict(faithful=share, responsive=1.0, issues=["It is not so."]) for share in (0.6, 0.5)]

    answer, _ = await answered(
        QUESTION, retriever=found, writers=(writer,), presets=Usual("thorough"), validator=Validated(verdicts)
    )

    assert ("It is 25 days here [1].", [2]) == (answer.text, [one["passage_id"] for one in answer.sources])


@dataclass
class Sampled(Written):
    """A writer whose second samples say something else than its drafts."""

    samples: Sequence[str | Exception] = ()
    temperatures: list[float] = field(default_factory=list[float])

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        temperature = brief.get("temperature", 0.0)
        self.temperatures.append(temperature)
        if temperature:
            yield said_or_raised(self.samples[sum(map(bool, self.temperatures)) - 1])
        else:
            async for piece in super().write(brief):
                yield piece


def said_or_raised(sample: str | Exception) -> str:
    if isinstance(sample, Exception):
        raise sample
    return sample


SURE = "EVIDENCE: full\nIt is 25 days [1]."


def steps_of(said: list[AnswerEvent]) -> list[str]:
    return [event.step for event in said if isinstance(event, StepStarted)]


def written(said: list[AnswerEvent]) -> list[str]:
    return [event.text for event in said if isinstance(event, TextWritten)]


@pytest.mark.parametrize("second", ["EVIDENCE: full\nEverybody gets 25 days off [1].", ModelError(), SURE])
async def test_a_second_draft_that_agrees_or_fails_costs_only_itself(second: str | Exception) -> None:
    writer = Sampled([[SURE]], judges=True, samples=[second])
    validator = Validated()

    answer, said = await answered(QUESTION, writers=(writer,), presets=Usual("thorough"), validator=validator)

    assert [0.0, 0.7] == writer.temperatures
    assert 1 == validator.asked
    assert "improve" not in steps_of(said)
    assert ["It is 25 days [1]."] == written(said)
    assert "It is 25 days [1]." == answer.text


@pytest.mark.parametrize("second", ["EVIDENCE: full\nIt is 30 days [1].", "EVIDENCE: none"])
async def test_disagreement_starts_one_more_pass(second: str) -> None:
    found = Growing()
    drafts = [[SURE], ["EVIDENCE: full\nIt is 25 days for all [1]."]]
    writer = Sampled(drafts, judges=True, samples=[second])

    answer, said = await answered(QUESTION, retriever=found, writers=(writer,), presets=Usual("thorough"))

    assert [0.0, 0.7, 0.0] == writer.temperatures
    assert any("It is 25 days." in query for query in found.queries)
    assert any("Two drafts disagree" in issue for issue in writer.briefs[1]["issues"])
    assert len(writer.briefs[1]["passages"]) > 1
    assert not any("30" in text for text in written(said))
    assert "It is 25 days for all [1]." == answer.text


async def test_disagreement_is_written_again_even_if_nothing_more_is_found() -> None:
    writer = Sampled([[SURE]], judges=True, samples=["EVIDENCE: full\nIt is 30 days [1]."])

    answer, said = await answered(QUESTION, writers=(writer,), presets=Usual("thorough"))

    assert "It is 25 days [1]." == writer.briefs[1].get("draft")
    assert 1 == sum(isinstance(event, DraftWithdrawn) for event in said)
    assert ["It is 25 days [1]."] * 2 == written(said)
    assert "It is 25 days [1]." == answer.text


async def test_the_second_draft_is_one_of_the_calls() -> None:
    failing, writer = Written([[ModelError()]], judges=True), Written([[SURE]], judges=True)
    validator = Validated([Verdict(faithful=0.5, responsive=1.0, issues=["It is not so."])])

    await answered(QUESTION, writers=(failing, writer), presets=Usual("thorough"), validator=validator)

    understood = 1
    assert PRESETS["thorough"].calls == understood + len(failing.briefs) + len(writer.briefs) + validator.asked


@pytest.mark.parametrize("name", ["quick", "balanced"])
async def test_only_a_thorough_answer_is_compared(name: PresetName) -> None:
    writer = Sampled([[SURE]], judges=True)

    await answered(QUESTION, writers=(writer,), presets=Usual(name))

    assert [0.0] == writer.temperatures


@pytest.mark.parametrize(("name", "drafts"), [("balanced", 1), ("thorough", 3)])
async def test_a_thorough_answer_must_be_surer(name: PresetName, drafts: int) -> None:
    writer = Sampled([[SURE]], judges=True, samples=[SURE])
    validator = Validated([Verdict(faithful=0.75, responsive=1.0, issues=["It is not so."])])

    answer, _ = await answered(QUESTION, writers=(writer,), presets=Usual(name), validator=validator)

    assert drafts == len(writer.briefs)
    assert (CAVEAT in answer.notes) is (name == "thorough")


@pytest.mark.parametrize(("name", "text"), [("balanced", "It is 25 days [1]."), ("thorough", "Everybody has 25 [1].")])
async def test_a_thorough_answer_quotes_rather_than_shows_a_doubtful_draft(name: PresetName, text: str) -> None:
    writers = (Sampled([[SURE]], judges=True, samples=[SURE]), Written([["Everybody has 25 [1]."]]))
    validator = Validated([Verdict(faithful=0.45, responsive=1.0, issues=["It is not so."])])

    answer, _ = await answered(QUESTION, writers=writers, presets=Usual(name), validator=validator)

    assert text == answer.text


@pytest.mark.parametrize("name", NAMES)
async def test_the_small_model_writes_quick_answers_and_the_large_one_takes_over(name: PresetName) -> None:
    large, small = (Sampled([[SURE]], judges=True, samples=[SURE]) for _ in range(2))
    failing = Written([[ModelError()]], judges=True)

    await answered(QUESTION, writers=(large, small), presets=Usual(name))
    assert (name == "quick") is (not large.briefs) is bool(small.briefs)

    answer, _ = await answered(QUESTION, writers=(large, failing), presets=Usual("quick"))
    assert failing.briefs
    assert "It is 25 days [1]." == answer.text


class Noting(Validated):
    """A validator that records whether it was asked as a model."""

    def __init__(self) -> None:
        super().__init__()
        self.by_rules: list[bool] = []

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        self.by_rules.append(bool(hints and hints.get("by_rules")))
        return await super().validate(question, answer, passages, hints)
