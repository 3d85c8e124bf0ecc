"""Questions that an answer offers: they read well, are new, and their own passage answers them best."""

from dataclasses import dataclass, field

import pytest

from graph.answer.follow_ups import follow_ups, label_of, section_asked_for
from graph.events import AnswerCompleted
from graph.passages import Passage
from graph.run import run_alone
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Understood, Written, context, passage, understanding

QUESTION = "How many vacation days do people in Porto get?"
ANSWER = "It is 25 days."


def part(number: int, heading: str, **given: object) -> Passage:
    """Return a part of the document that the answer cites."""
    return passage(
        number, f"Text {number}.", **{"document_id": 1, "title": "Vacation", "heading_path": [heading], **given}
    )


CITED = part(1, "Days")


def offered(*found: Passage, language: str = "en") -> list[str]:
    made = follow_ups(QUESTION, ANSWER, [CITED, *found], cited={1}, language=language)
    return [one.question for one in made]


def test_a_heading_that_names_a_topic_is_asked_about() -> None:
    assert ["What does “Vacation” say about “How to ask”?"] == offered(part(2, "How to ask"))


def test_a_heading_that_asks_is_asked_as_it_stands() -> None:
    assert ["Can I take half a day?"] == offered(part(2, "Can I take half a day?"))


def test_it_is_asked_in_the_language_of_the_question() -> None:
    german = [part(1, "Tage", language="de"), part(2, "Sonderurlaub", language="de")]

    made = follow_ups("Wie viele Tage?", "30.", german, cited={1}, language="de")

    assert ["Was sagt „Vacation“ über „Sonderurlaub“?"] == [one.question for one in made]
    assert [] == offered(part(2, "Sonderurlaub", language="de"))


@pytest.mark.parametrize(
    "heading",
    ["Overview", "Afterwards", "Vacation", "2024", "Days in Porto",
     "You must ask your lead at least two weeks before you go",
     "Carry-over: 5 days", "<!channel>", "[here](https://evil.example)", "Is it?", ""],
)  # fmt: skip
def test_what_names_nothing_or_reads_badly_or_was_told_is_not(heading: str) -> None:
    assert [] == offered(part(2, heading))


def test_other_documents_are_not_asked_about_and_each_question_comes_once() -> None:
    assert [] == offered(part(2, "Parking", document_id=2))
    assert 1 == len(offered(part(2, "Parking"), part(3, "Parking")))


def test_what_names_several_sections_is_not_asked() -> None:
    twin = part(3, "Parking", document_id=2, title="Vacation")
    below_another = part(4, "Parking", heading_path=["In Porto", "Parking"])

    assert [] == offered(part(2, "Parking"), twin)
    assert [] == offered(part(2, "Parking"), below_another)


def test_an_older_version_is_not_asked_about() -> None:
    older = part(2, "Parking", path="vacation-2024.md", dated="2024-01-01")
    newer = part(3, "Parking", document_id=2, path="vacation-2026.md", dated="2026-01-01")

    assert [] == offered(older, newer)


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("What does “Vacation” say about “How to ask”?", "How to ask (Vacation)"),
        ("Was sagt „Urlaub“ über „Müll“?", "Müll (Urlaub)"),
        ("O que diz “Férias” sobre “Lixo”?", "Lixo (Férias)"),
        ("Can I take half a day?", "Can I take half a day?"),
    ],
)
def test_its_button_begins_with_what_is_new(question: str, label: str) -> None:
    assert label == label_of(question)


def test_an_offered_question_names_its_section_in_any_language_and_no_other_question_does() -> None:
    section = [part(2, "How to ask"), part(3, "How to ask")]
    asks = part(4, "Can I take half a day?")
    found = [CITED, *section, asks]

    assert section == section_asked_for("What does “Vacation” say about “How to ask”?", found)
    assert section == section_asked_for("Was sagt „Vacation“ über „How to ask“?", found)
    assert [asks] == section_asked_for("Can I take half a day?", found)
    assert [] == section_asked_for("How to ask", found)
    assert [] == section_asked_for("What does “Travel” say about “How to ask”?", found)


@dataclass
class ByHeading:
    """A grader that knows which heading answers which question."""

    own: float
    other: float = 0.1
    asked: list[str] = field(default_factory=list)

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        self.asked.append(question)
        return [self._grade(question, one) for one in passages]

    def _grade(self, question: str, one: Passage) -> float:
        if question == QUESTION:
            return 0.9
        return self.own if any(heading in question for heading in one["heading_path"][-1:]) else self.other


FOUND = [CITED, part(2, "How to ask"), part(3, "Carry-over"), part(4, "Birthdays")]


async def answered(**given: object) -> AnswerCompleted:
    whole = {
        "retriever": FoundPassages(FOUND),
        "grader": ByHeading(0.9),
        "writers": (Written([["It is 25 days [1]."]]),),
        "offers_follow_ups": True,
        **given,
    }
    ended = (await events(run_alone(context(**whole)).start(Turn(question=QUESTION, asker="U", addressed=True))))[-1]
    assert isinstance(ended, AnswerCompleted)
    return ended


async def test_an_answer_offers_two_questions_at_most() -> None:
    assert (
        "What does “Vacation” say about “How to ask”?",
        "What does “Vacation” say about “Carry-over”?",
    ) == (await answered()).follow_ups


async def test_by_default_it_offers_none() -> None:
    assert () == (await answered(offers_follow_ups=False)).follow_ups


@pytest.mark.parametrize("grader", [ByHeading(0.5), ByHeading(0.6, other=0.7)])
async def test_what_its_passage_does_not_surely_answer_or_another_answers_better_is_not_offered(
    grader: ByHeading,
) -> None:
    assert () == (await answered(grader=grader)).follow_ups


async def test_no_more_is_graded_than_is_offered() -> None:
    grader = ByHeading(0.9)
    ended = await answered(grader=grader)

    assert list(ended.follow_ups) == [one for one in grader.asked if one.startswith("What does")]


async def test_a_clicked_question_is_answered_from_its_section_whatever_the_grades_and_the_thread_say() -> None:
    title = "When somebody asks what we know about them"
    clicked = f"What does “{title}” say about “A leak”?"
    section = passage(2, "Tell Noor.", title=title, heading_path=["A leak"])
    quoting = Written([["Tell Noor [1]."]])
    joined = Understood(lambda case: understanding(case["question"], standalone="And of a leak in Porto?"))
    given = context(
        retriever=FoundPassages([passage(1, "Anybody may ask.", title=title), section]),
        grader=ByHeading(0.01, other=0.9),
        understander=joined,
        writers=(quoting,),
    )

    ended = (await events(run_alone(given).start(Turn(question=clicked, asker="U", addressed=True))))[-1]

    assert isinstance(ended, AnswerCompleted)
    assert "answered" == ended.outcome
    assert [(clicked, [2])] == [(one["question"], [each["id"] for each in one["passages"]]) for one in quoting.briefs]
