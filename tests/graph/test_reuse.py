"""A verified answer is told if the same question is asked, beside what the documents say since."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from graph.context import Context
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested
from graph.memory import WITHHELD
from graph.passages import Passage
from graph.run import run_alone
from graph.state import Understanding
from graph.turn import Choice, Reply, Turn
from graph.verified import Candidate, Telling, Verified, confirmed, confirming
from tests.support.fakes import FoundPassages, Graded, Quoted, Understood, Written, context, passage, understanding

HOTEL = "What is the limit for a hotel night?"
LIMIT = "It is 145 EUR [1]."


def verified(**given: object) -> Verified:
    whole = {
        "id": 7,
        "question": HOTEL,
        "text": LIMIT,
        "writer_name": "Ada",
        "kept_on": "2026-03-03",
        "sources": [passage(1, "The limit is 145 EUR.", title="Travel")],
        "changed": [],
        "gone": [],
        "links": [],
    }
    return Verified(**{**whole, **given})


@dataclass
class Kept:
    """What people kept: candidates, and the answer that is told."""

    told: Verified | None = field(default_factory=verified)
    phrasings: Sequence[str] = (HOTEL,)
    asked: list[str] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    disputed: list[tuple[int, int]] = field(default_factory=list)

    async def candidates(self, question: str) -> list[Candidate]:
        self.asked.append(question)
        return [Candidate(id=7, phrasings=[*self.phrasings])]

    async def use(self, answer_id: int, to: Telling) -> Verified | None:
        del to
        self.used.append(answer_id)
        return self.told

    async def dispute(self, answer_id: int, passage: Passage) -> None:
        self.disputed.append((answer_id, passage["id"]))


async def answer(kept: Kept, question: str = HOTEL, **given: object) -> AnswerCompleted:
    *_, last = [event async for event in run(context(verified=kept, **given), question)]
    assert isinstance(last, AnswerCompleted)
    return last


def run(needs: Context, question: str = HOTEL):  # noqa: ANN201 - An async generator of all events.
    return run_alone(needs).start(Turn(question=question, asker="UBEN", addressed=True))


async def test_the_same_question_gets_the_verified_answer_and_no_writer_is_asked() -> None:
    writer = Written()

    told = await answer(Kept(), "what's the hotel night limit", writers=(writer,))

    assert ("answered", LIMIT) == (told.outcome, told.text)
    assert ("Verified by @Ada, 3 March 2026.",) == told.notes
    assert ["Travel"] == [source["title"] for source in told.sources]
    assert [] == writer.briefs


async def test_a_likely_question_that_is_another_one_is_answered_from_the_documents() -> None:
    kept = Kept()

    told = await answer(kept, "What is not the limit for a hotel night?")

    assert "25 days" in told.text
    assert [] == kept.used


async def test_what_may_not_be_told_any_more_is_answered_from_the_documents() -> None:
    told = await answer(Kept(told=None))

    assert "25 days" in told.text
    assert () == told.notes


async def test_a_verified_answer_goes_before_a_question_back() -> None:
    def asks(_case: object) -> Understanding:
        clarification = {"question": "Which?", "options": ["a", "b"]}
        return understanding(HOTEL, route="clarify", clarification=clarification)

    events = [event async for event in run(context(verified=Kept(), understander=Understood(asks)))]

    assert not [event for event in events if isinstance(event, ClarificationRequested)]
    assert isinstance(events[-1], AnswerCompleted)
    assert LIMIT == events[-1].text


async def test_what_the_documents_do_not_cover_is_told_if_somebody_answered_it() -> None:
    outside = Understood(lambda case: understanding(case["question"], route="out_of_scope"))

    told = await answer(Kept(), understander=outside)
    other = await answer(Kept(), "Who won the cup?", understander=outside)

    assert (LIMIT, "declined") == (told.text, other.outcome)


async def test_a_persons_words_pass_the_guard() -> None:
    text = "Ask <@U1> or <!channel>, https://evil.example/x, https://wiki.example/a [1][4]. password: hunter2hunter2"
    links = ["https://wiki.example/a"]

    told = await answer(Kept(told=verified(text=text, links=links)))

    assert not [bad for bad in ("<@U1>", "<!channel>", "evil.example", "[4]", "hunter2") if bad in told.text]
    assert "https://wiki.example/a" in told.text
    assert ("https://wiki.example/a",) == told.links


async def test_a_changed_document_is_shown_beside_the_answer() -> None:
    now = passage(9, "The limit is 145 EUR, for two people 200 EUR.", title="Travel", document_id=1, dated="2026-06-15")
    gone = passage(0, "", title="Travel", document_id=1)
    quoter = Quoted("**Travel**\n\nThe limit is 145 EUR, for two people 200 EUR. [1]")
    kept = Kept(told=verified(sources=[gone], changed=[1]))

    told = await answer(kept, retriever=FoundPassages([now]), quoter=quoter)

    assert told.text.startswith(LIMIT)
    assert "Newer than this answer (Travel, 2026-06-15):" in told.text
    assert "for two people 200 EUR. [2]" in told.text
    assert "“Travel” has changed since." in told.notes
    assert [1, 2] == [source["number"] for source in told.sources]
    assert [(7, 9)] == kept.disputed


async def test_its_writer_is_to_be_asked_if_another_document_says_otherwise() -> None:
    newer = passage(9, "The limit is 160 EUR.", title="News", document_id=2, dated="2026-06-15")
    kept = Kept()

    await answer(kept, retriever=FoundPassages([newer]), quoter=Quoted("The limit is 160 EUR. [1]"), grader=Graded(0.9))

    assert [(7, 9)] == kept.disputed


async def _told_beside(newer: Passage, said: str, *, relevance: float = 0.9) -> str:
    found = FoundPassages([passage(1, "The limit is 145 EUR."), newer])
    told = await answer(Kept(), retriever=found, quoter=Quoted(said), grader=Graded(relevance))
    return told.text


async def test_a_newer_passage_with_another_value_is_shown_beside_the_answer() -> None:
    newer = passage(9, "The limit is 160 EUR.", title="News", dated="2026-06-15")
    older = passage(9, "The limit is 160 EUR.", title="News", dated="2026-01-15")

    assert "160 EUR. [2]" in await _told_beside(newer, "The limit is 160 EUR. [1]")
    assert LIMIT == await _told_beside(newer, "The limit is 145 EUR. [1]"), "It holds no other value."
    assert LIMIT == await _told_beside(older, "The limit is 160 EUR. [1]"), "It is older."
    assert LIMIT == await _told_beside(newer, "The limit is 160 EUR. [1]", relevance=0.3), "It hardly bears on it."


async def test_a_document_that_is_gone_is_named() -> None:
    told = await answer(Kept(told=verified(sources=[passage(0, "", title="Travel", document_id=0)], gone=[1])))

    assert "“Travel” is no longer among the documents." in told.notes


async def test_what_is_not_for_everybody_reaches_neither_reviewers_nor_memory() -> None:
    seen = Understood()
    needs = context(verified=Kept(told=verified(restricted=True)), has_reviewer=True, understander=seen)
    thread = run_alone(needs)

    *_, told = [event async for event in thread.start(Turn(question=HOTEL, asker="UBEN", addressed=True, key="1"))]
    again = Turn(question="What did you say?", asker="UBEN", addressed=True, key="2")
    _ = [event async for event in thread.start(again)]

    assert isinstance(told, AnswerCompleted)
    assert told.packet is None
    assert [WITHHELD] == [exchange["answer"] for exchange in seen.cases[1]["memory"]["exchanges"]]


PARIS, LISBON = "What is the limit for a hotel night in Paris?", "What is the limit for a hotel night in Lisbon?"


@dataclass
class Widened(Kept):
    """An answer that a reviewer lets hold for another question, as soon as somebody was asked."""

    phrasings: Sequence[str] = (PARIS,)
    widens: bool = True

    async def candidates(self, question: str) -> list[Candidate]:
        is_again = bool(self.asked) and self.widens
        self.asked.append(question)
        return [Candidate(id=7, phrasings=[PARIS, LISBON] if is_again else [PARIS])]


async def near_miss_asked(kept: Widened, choice: Choice | None, **given: object) -> list[AnswerEvent]:
    """Ask about Lisbon, be asked back, and choose; return all events."""
    thread = run_alone(context(verified=kept, **given))
    said = [event async for event in thread.start(Turn(question=LISBON, asker="UBEN", addressed=True))]
    asked = said[-1]
    if choice is None or not isinstance(asked, ClarificationRequested):
        return said
    option = next((one for one in asked.options if one.label == choice.label), None)
    chosen = Choice(kind="option", value=option.id, label=option.label) if option else choice
    return [*said, *[event async for event in thread.resume(Reply(interrupt_id=asked.interrupt_id, choice=chosen))]]


async def test_a_near_miss_asks_back() -> None:
    *_, asked = await near_miss_asked(Widened(), None)

    assert isinstance(asked, ClarificationRequested)
    assert f"Somebody has answered this for Paris: “{PARIS}” Is it the same for Lisbon?" == asked.question
    assert ["Yes", "No"] == [option.label for option in asked.options]
    assert (7, LISBON) == confirmed(asked.options[0].id)


async def test_what_a_reviewer_lets_hold_is_told() -> None:
    *_, told = await near_miss_asked(Widened(), Choice(kind="option", label="Yes"))

    assert isinstance(told, AnswerCompleted)
    assert LIMIT == told.text


@pytest.mark.parametrize(
    "choice",
    [
        Choice(kind="option", label="Yes"),
        Choice(kind="option", label="No"),
        Choice(kind="just_answer"),
        Choice(kind="text", value="It is for a group", label="It is for a group"),
    ],
)
async def test_otherwise_the_documents_answer_and_nobody_is_asked_again(choice: Choice) -> None:
    kept, seen = Widened(widens=False), Understood()

    events = await near_miss_asked(kept, choice, understander=seen)

    assert isinstance(events[-1], AnswerCompleted)
    assert "25 days" in events[-1].text
    assert 1 == sum(isinstance(event, ClarificationRequested) for event in events)
    assert [] == kept.used
    assert LISBON == seen.cases[-1]["question"]


async def test_a_choice_that_runs_afresh_is_no_part_of_the_question() -> None:
    seen = Understood()
    thread = run_alone(context(verified=Widened(widens=False), understander=seen))
    choice = Choice(kind="option", value=confirming(7, LISBON), label="Yes")

    turn = Turn(question=LISBON, asker="UBEN", addressed=True)
    *_, told = [event async for event in thread.start(turn, choice)]

    assert isinstance(told, AnswerCompleted)
    assert "25 days" in told.text
    assert "choice" not in seen.cases[0]


async def test_nobody_is_asked_about_a_near_miss_in_the_stateless_mode() -> None:
    thread = run_alone(context(verified=Widened()))

    turn = Turn(question=LISBON, asker="UBEN", addressed=True, mode="stateless")
    *_, told = [event async for event in thread.start(turn)]

    assert isinstance(told, AnswerCompleted)


async def test_what_a_model_takes_for_the_same_question_is_told() -> None:
    says = Understood(lambda case: understanding(case["question"], same_as=7))

    told = await answer(Kept(), "How much may a room cost?", understander=says)

    assert LIMIT == told.text
    assert [HOTEL] == [one["phrasings"][0] for one in says.cases[0].get("candidates", [])]


@pytest.mark.parametrize("question", ["How much may a room in Porto cost?", "How much may no room cost?"])
async def test_a_model_cannot_make_a_question_with_another_name_or_a_denial_the_same(question: str) -> None:
    kept = Kept()
    says = Understood(lambda case: understanding(case["question"], same_as=7))

    told = await answer(kept, question, understander=says)

    assert "25 days" in told.text
    assert [] == kept.used


async def test_a_model_cannot_answer_a_near_miss_that_people_are_asked_about() -> None:
    kept = Kept(phrasings=["Where are the logs of staging kept?"])
    says = Understood(lambda case: understanding(case["question"], same_as=7))

    *_, asked = [
        event
        async for event in run(context(verified=kept, understander=says), "Where are the logs of production kept?")
    ]

    assert isinstance(asked, ClarificationRequested)
    assert [] == kept.used
