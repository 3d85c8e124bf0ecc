"""The graph from a turn to its events: questions back, answers, memory and failures."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import UnknownInterruptError

from graph.asking.clarification import Ambiguity
from graph.builder import compiled_graph
from graph.context import Case, Context, ModelError, Verdict
from graph.events import (
    AnswerCompleted,
    AnswerEvent,
    ClarificationRequested,
    DraftWithdrawn,
    ReadingRecalled,
    SilenceKept,
    SourcesFound,
    StepStarted,
    TextWritten,
)
from graph.passages import Passage
from graph.run import Run
from graph.state import Understanding
from graph.turn import Choice, Remark, Reply, Turn
from tests.support.fakes import (
    FoundPassages,
    Graded,
    Quoted,
    Understood,
    Validated,
    Written,
    context,
    passage,
    understanding,
)

DESK = passage(1, "Hold the desk's button for ten seconds.", path="products/desk/reset.md", title="Reset")
PINE = passage(2, "Push a pin into the router for five seconds.", path="products/pine/reset.md", title="Reset")


def turn(question: str = "How many vacation days?", **given: Any) -> Turn:
    return Turn(**{"question": question, "asker": "U0ADA", "addressed": True, **given})


async def events(stream: AsyncIterator[AnswerEvent]) -> list[AnswerEvent]:
    return [event async for event in stream]


@pytest.fixture
def thread() -> Callable[[Context], Run]:
    """Return a function that makes runs of the same thread, as after a restart."""
    saver = InMemorySaver()
    return lambda given: Run(compiled_graph(), saver, thread_id="T0:C0:1", context=given)


def asks_between_desk_and_pine(case: Case) -> Understanding:
    """Ask back once about the first facets by folder; then answer the choice."""
    if not case["may_ask"]:
        chosen = case.get("choice")
        return understanding(f"{case['question']} ({chosen['label']})" if chosen else case["question"])
    ids = [facet["id"] for facet in case["facets"] if facet["label"].lower() in {"desk", "pine"}]
    clarification = {"question": "Which product?", "options": ids}
    return understanding(case["question"], route="clarify", clarification=clarification)


class Desk:
    """Preferences of a person who always chose the desk."""

    async def recall(self, asker: str, ambiguity: Ambiguity) -> str | None:
        return "Desk" if ("U0ADA", ("Desk", "Pine")) == (asker, ambiguity.labels) else None


async def test_what_the_asker_chose_before_is_assumed_and_said(thread: Callable[[Context], Run]) -> None:
    found = FoundPassages([DESK, PINE])
    given = context(retriever=found, understander=Understood(asks_between_desk_and_pine), preferences=Desk())

    said = await events(thread(given).start(turn("How do I reset it?")))

    (recalled,) = [event for event in said if isinstance(event, ReadingRecalled)]
    assert ["Desk", "Pine"] == [option.label for option in recalled.options]
    assert isinstance(said[-1], AnswerCompleted)
    assert "Assumed Desk, as last time." == said[-1].recalled


async def test_who_has_chosen_nothing_before_is_asked(thread: Callable[[Context], Run]) -> None:
    found = FoundPassages([DESK, PINE])
    given = context(retriever=found, understander=Understood(asks_between_desk_and_pine), preferences=Desk())

    said = await events(thread(given).start(turn("How do I reset it?", asker="U0BEN")))

    assert isinstance(said[-1], ClarificationRequested)
    assert "path:1 of products reset" == said[-1].attribute


async def test_a_plain_question_is_answered_with_its_source(thread: Callable[[Context], Run]) -> None:
    said = await events(thread(context()).start(turn()))

    assert isinstance(said[-1], AnswerCompleted)
    assert ("answered", "It is 25 days [1].") == (said[-1].outcome, said[-1].text)
    assert ["Document 1"] == [source["title"] for source in said[-1].sources]
    assert "It is 25 days [1]." == "".join(event.text for event in said if isinstance(event, TextWritten))


async def test_sources_come_before_text(thread: Callable[[Context], Run]) -> None:
    kinds = [type(event) for event in await events(thread(context()).start(turn()))]

    assert kinds.index(SourcesFound) < kinds.index(TextWritten)


async def test_an_ambiguous_question_waits_and_the_choice_answers_it(thread: Callable[[Context], Run]) -> None:
    given = context(
        retriever=FoundPassages([DESK, PINE]),
        understander=Understood(asks_between_desk_and_pine),
        writers=(writer := Written([["Push a pin [1]."]]),),
    )
    asked = (await events(thread(given).start(turn("How do I reset it?"))))[-1]
    assert isinstance(asked, ClarificationRequested)
    assert {"desk", "pine"} == {option.label.lower() for option in asked.options}
    pine = next(option for option in asked.options if option.label.lower() == "pine")

    reply = Reply(interrupt_id=asked.interrupt_id, choice=Choice(kind="option", value=pine.id, label=pine.label))
    answer = (await events(thread(given).resume(reply)))[-1]

    assert isinstance(answer, AnswerCompleted)
    assert "Push a pin [1]." == answer.text
    assert [2] == [passage["id"] for passage in writer.briefs[0]["passages"]]


@pytest.mark.parametrize("preferences", [None, Desk()])
async def test_whoever_was_asked_back_is_answered_though_no_model_can_be_asked_then(
    thread: Callable[[Context], Run], preferences: Desk | None
) -> None:
    def breaks_down(case: Case) -> Understanding:
        if case["may_ask"]:
            return asks_between_desk_and_pine(case)
        raise ModelError

    given = context(retriever=FoundPassages([DESK, PINE]), understander=Understood(breaks_down))
    given = replace(given, preferences=preferences) if preferences else given
    said = await events(thread(given).start(turn("How do I reset it?", addressed=False)))
    if isinstance(asked := said[-1], ClarificationRequested):
        choice = Choice(kind="option", value=asked.options[0].id, label="Desk")
        said = await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice)))

    assert isinstance(said[-1], AnswerCompleted)


async def test_just_answer_is_an_answer_for_the_reading_that_is_assumed_and_for_no_other(
    thread: Callable[[Context], Run],
) -> None:
    writer = Written([["Push a pin [1]."]])
    given = context(
        retriever=FoundPassages([DESK, PINE]), understander=Understood(asks_between_desk_and_pine), writers=(writer,)
    )
    asked = (await events(thread(given).start(turn("How do I reset it?"))))[-1]
    assert isinstance(asked, ClarificationRequested)

    reply = Reply(interrupt_id=asked.interrupt_id, choice=Choice(kind="just_answer"))
    answer = (await events(thread(given).resume(reply)))[-1]

    assert isinstance(answer, AnswerCompleted)
    assert ("I assumed you mean Desk.",) == answer.notes
    assert [DESK["id"]] == [one["id"] for one in writer.briefs[0]["passages"]]


@pytest.mark.parametrize("kind", ["option", "just_answer"])
async def test_what_went_while_a_person_was_asked_is_not_quoted(thread: Callable[[Context], Run], kind: Any) -> None:
    found = FoundPassages([DESK, PINE])
    given = context(
        retriever=found,
        understander=Understood(asks_between_desk_and_pine),
        writers=(writer := Written([["Hold it [1]."]]),),
    )
    asked = (await events(thread(given).start(turn("How do I reset it?"))))[-1]
    assert isinstance(asked, ClarificationRequested)
    pine = next(option for option in asked.options if option.label.lower() == "pine")

    found.passages, found.gone = [DESK], {PINE["id"]}
    choice = Choice(kind=kind, value=pine.id, label=pine.label) if kind == "option" else Choice(kind=kind)
    answer = (await events(thread(given).resume(Reply(interrupt_id=asked.interrupt_id, choice=choice))))[-1]

    assert isinstance(answer, AnswerCompleted)
    assert "admitted" == answer.outcome or [1] == [passage["id"] for passage in writer.briefs[0]["passages"]]
    assert "pine" not in str(answer).lower().replace("(pine)", "")


async def test_a_stale_reply_is_refused(thread: Callable[[Context], Run]) -> None:
    given = context(retriever=FoundPassages([DESK, PINE]), understander=Understood(asks_between_desk_and_pine))
    asked = (await events(thread(given).start(turn("How do I reset it?"))))[-1]
    assert isinstance(asked, ClarificationRequested)
    reply = Reply(interrupt_id=asked.interrupt_id, choice=Choice(kind="just_answer"))
    await events(thread(given).resume(reply))

    assert not await thread(given).waits_for(asked.interrupt_id)
    with pytest.raises(UnknownInterruptError):
        await events(thread(given).resume(reply))


async def test_a_question_left_with_one_reading_after_the_rewrite_is_answered_with_the_assumption(
    thread: Callable[[Context], Run],
) -> None:
    def rewrites(case: Case) -> Understanding:
        asked = asks_between_desk_and_pine(case)
        return {**asked, "standalone": "How do I reset the thing from before?"}

    found = FoundPassages([DESK, PINE], {"How do I reset the thing from before?": [DESK]})
    said = await events(
        thread(context(retriever=found, understander=Understood(rewrites))).start(turn("How do I reset it?"))
    )

    assert isinstance(said[-1], AnswerCompleted)
    assert not [event for event in said if isinstance(event, ClarificationRequested)]


async def test_a_follow_up_remembers_question_answer_and_sources(thread: Callable[[Context], Run]) -> None:
    await events(thread(context()).start(turn()))
    understood = Understood()

    await events(thread(context(understander=understood)).start(turn("And in Porto?")))

    (case,) = understood.cases
    (exchange,) = case["memory"]["exchanges"]
    assert "How many vacation days?" == exchange["question"]
    assert ("It is 25 days [1].", ["Document 1"]) == (exchange["answer"], exchange["sources"])


async def test_nothing_of_a_turn_is_left_for_the_next(thread: Callable[[Context], Run]) -> None:
    admitting = context(retriever=FoundPassages([]))
    before = await events(thread(admitting).start(turn()))

    said = await events(thread(context()).start(turn("Another?")))

    steps = [[event.step for event in run if isinstance(event, StepStarted)] for run in (before, said)]
    assert [False, True] == ["grade" in each for each in steps], "Nobody reads 0 passages."
    assert isinstance(said[-1], AnswerCompleted)
    assert "answered" == said[-1].outcome


async def test_what_people_said_before_the_bot_was_called_is_conversation(thread: Callable[[Context], Run]) -> None:
    understood = Understood()
    earlier = (Remark(person="U0BEN", text="The router is broken.", key="1"),)

    await events(thread(context(understander=understood)).start(turn(earlier=earlier)))

    said = {"person": "U0BEN", "text": "The router is broken.", "key": "1"}
    assert [said] == understood.cases[0]["memory"]["overheard"]


async def test_a_message_to_somebody_else_is_met_with_silence_before_anything_is_searched(
    thread: Callable[[Context], Run],
) -> None:
    found = FoundPassages([DESK])
    said = await events(thread(context(retriever=found)).start(turn(addressed=False, mentions_others=True)))

    assert [SilenceKept] == [type(event) for event in said]
    assert [] == found.queries


async def test_silence_is_remembered_as_conversation(thread: Callable[[Context], Run]) -> None:
    await events(thread(context()).start(turn("Ben, lunch?", addressed=False, mentions_others=True)))
    understood = Understood()

    await events(thread(context(understander=understood)).start(turn()))

    assert ["Ben, lunch?"] == [remark["text"] for remark in understood.cases[0]["memory"]["overheard"]]


@pytest.mark.parametrize(("route", "outcome"), [("converse", "conversed"), ("out_of_scope", "declined")])
async def test_small_talk_and_foreign_matters_are_answered_without_writing(
    thread: Callable[[Context], Run], route: str, outcome: str
) -> None:
    writer = Written()
    given = context(
        understander=Understood(lambda case: understanding(case["question"], route=route)), writers=(writer,)
    )

    said = (await events(thread(given).start(turn("Hi"))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert outcome == said.outcome
    assert "Leave" in said.text
    assert [] == writer.briefs


async def test_without_evidence_nothing_is_drafted_and_the_nearest_documents_are_shown(
    thread: Callable[[Context], Run],
) -> None:
    writer = Written()
    said = (await events(thread(context(grader=Graded(0.05), writers=(writer,))).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert ("admitted", ["Document 1"]) == (said.outcome, [source["title"] for source in said.sources])
    assert [] == writer.briefs


class GradedTogether:
    """A grader that finds passages relevant only together with the question about vacation."""

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        return [0.9 if "vacation" in question else 0.05 for _ in passages]


async def test_what_is_not_enough_alone_is_searched_once_more_with_the_question_before(
    thread: Callable[[Context], Run],
) -> None:
    await events(thread(context()).start(turn()))
    found = FoundPassages([passage(1, "Trainees have 20 days of vacation.")])

    said = (await events(thread(context(retriever=found, grader=GradedTogether())).start(turn("Para trainees?"))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "answered" == said.outcome
    assert "How many vacation days? Para trainees?" == found.queries[-1]


async def test_what_knows_nothing_of_the_question_is_no_answer_together_with_the_one_before(
    thread: Callable[[Context], Run],
) -> None:
    await events(thread(context()).start(turn()))
    found = FoundPassages([passage(1, "Everybody has 25 days of vacation.")])

    said = (await events(thread(context(retriever=found, grader=GradedTogether())).start(turn("A sauna?"))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "admitted" == said.outcome


@pytest.mark.parametrize(("asker", "ending"), [("U0ADA", AnswerCompleted), ("U0BEN", SilenceKept)])
async def test_among_people_nobody_is_told_that_nothing_was_found(
    thread: Callable[[Context], Run], asker: str, ending: type[AnswerEvent]
) -> None:
    await events(thread(context()).start(turn()))

    said = await events(thread(context(grader=Graded(0.05))).start(turn("Lunch?", asker=asker, addressed=False)))

    assert isinstance(said[-1], ending)
    tentative = {event.is_tentative for event in said if isinstance(event, StepStarted)}
    assert {ending is SilenceKept} == tentative, "Only a run that may end in silence goes unnoticed."


@pytest.mark.parametrize("message", ["shorter please", "huh?", "what?"])
async def test_a_message_of_one_person_is_sure_to_be_answered_once_it_is_understood(
    thread: Callable[[Context], Run], message: str
) -> None:
    await events(thread(context()).start(turn()))

    said = await events(thread(context()).start(turn(message, addressed=False)))

    tentative = {event.step: event.is_tentative for event in said if isinstance(event, StepStarted)}
    assert {"search": True, "understand": True, "write": False} == {
        step: tentative[step] for step in ("search", "understand", "write")
    }


async def test_between_sure_and_no_it_is_not_sure_and_says_what_comes_nearest(
    thread: Callable[[Context], Run],
) -> None:
    quoter = Quoted("**Desk:** Hold it [1]. See https://evil.example [7].")
    given = context(grader=Graded(0.3), quoter=quoter, retriever=FoundPassages([DESK]), has_reviewer=True)
    said = (await events(thread(given).start(turn("How do I reset it?"))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert ("admitted", [1]) == (said.outcome, [source["number"] for source in said.sources])
    assert said.text.startswith("I am not sure. These come nearest:\n\n**Desk:** Hold it [1]. See [link removed].\n\n")
    assert "Ask a human" in said.text
    assert said.packet


async def test_of_what_hardly_answers_only_the_three_nearest_are_quoted(thread: Callable[[Context], Run]) -> None:
    quoter, found = Quoted("Hold it [1]."), FoundPassages([passage(n, f"Button {n}.") for n in range(1, 5)])
    said = (await events(thread(context(grader=Graded(0.03), quoter=quoter, retriever=found)).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert said.text.startswith("I found nothing")
    assert 3 == len(quoter.passages)


async def test_of_what_hardly_answers_each_document_s_best_is_quoted_first(thread: Callable[[Context], Run]) -> None:
    sections = [passage(n, f"Button {n}.") for n in range(1, 6)]
    for section, document in zip(sections, [1, 1, 1, 2, 3], strict=True):
        section["document_id"] = document
    quoter = Quoted("Hold it [1].")
    given = context(grader=Graded(0.03), quoter=quoter, retriever=FoundPassages(sections))
    await events(thread(given).start(turn()))

    assert [1, 2, 3] == [one["document_id"] for one in quoter.passages]


async def test_of_minutes_only_those_of_the_month_that_is_named_are_quoted(thread: Callable[[Context], Run]) -> None:
    meetings = [
        passage(n, f"We decided on gate {n}.", path=f"minutes/{day}.md", title=f"Meeting, {day}")
        for n, day in enumerate(["2025-05-14", "2026-02-11", "2026-05-13"], 1)
    ]
    quoter = Quoted("Hold it [1].")
    given = context(grader=Graded(0.3), quoter=quoter, retriever=FoundPassages(meetings))
    await events(thread(given).start(turn("What was said at the meeting in May?")))

    assert [3] == [one["id"] for one in quoter.passages]


@pytest.mark.parametrize(("relevance", "quoted"), [(0.3, ""), (0.3, "[1]"), (0.001, "**Desk:** Hold it [1].")])
async def test_what_is_not_near_or_cannot_be_quoted_is_not_shown(
    thread: Callable[[Context], Run], relevance: float, quoted: str
) -> None:
    given = context(grader=Graded(relevance), quoter=Quoted(quoted))
    said = (await events(thread(given).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert said.text.startswith("I found nothing in the documents that answers this.")


@pytest.mark.parametrize("draft", [[], ["\n"], ["[1]."], ["![](https://evil.example/pixel.png)"]])
async def test_if_no_writer_has_anything_to_say_it_admits(
    thread: Callable[[Context], Run], draft: list[str | Exception]
) -> None:
    broken, quoting = Written([[ModelError("down")]]), Written([draft], note="This one quotes.")
    said = (await events(thread(context(writers=(broken, quoting))).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert ("admitted", ["Document 1"], ()) == (said.outcome, [one["title"] for one in said.sources], said.notes)


async def test_if_nothing_can_be_quoted_of_a_sure_passage_the_nearest_of_the_others_is(
    thread: Callable[[Context], Run],
) -> None:
    given = context(grader=Graded(0.9), writers=(Written([[]]),), quoter=Quoted("**Desk:** Hold it [1]."))
    said = (await events(thread(given).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "admitted" == said.outcome
    assert said.text.startswith("I am not sure. These come nearest:\n\n**Desk:** Hold it [1].")


async def test_a_model_that_breaks_off_is_withdrawn_and_the_next_one_writes_from_the_start(
    thread: Callable[[Context], Run],
) -> None:
    broken = Written([["It is. ", "Perhaps. ", ModelError("cut")]])
    spare = Written([["It is 25 days [1]."]], note="This one quotes.")
    said = await events(thread(context(writers=(broken, spare))).start(turn()))

    assert 1 == len([event for event in said if isinstance(event, DraftWithdrawn)])
    assert isinstance(said[-1], AnswerCompleted)
    assert ("It is 25 days [1].", ("This one quotes.",)) == (said[-1].text, said[-1].notes)


async def test_a_draft_that_falls_short_is_written_again_once_with_the_draft_and_the_issues(
    thread: Callable[[Context], Run],
) -> None:
    writer = Written([["It is 25 days [1]."], ["In summer it is 25 days [1]."]], judges=True)
    poor = Validated([Verdict(faithful=0.9, responsive=0.5, issues=["It says nothing of summer."])])
    said = await events(thread(context(writers=(writer,), validator=poor)).start(turn()))

    assert 2 == len(writer.briefs)
    assert ["It says nothing of summer."] == writer.briefs[1]["issues"]
    assert "It is 25 days [1]." == writer.briefs[1].get("draft")
    assert isinstance(said[-1], AnswerCompleted)
    assert ("In summer it is 25 days [1].", ()) == (said[-1].text, said[-1].notes)


async def test_a_second_draft_that_says_again_what_no_passage_says_is_not_better(
    thread: Callable[[Context], Run],
) -> None:
    rule = "Your lead approves each day [1]."
    writer = Written([[f"{rule} It is 25 days [1]."], [f"{rule} So it is 25 days [1]."]], judges=True)
    poor = Validated([Verdict(faithful=0.5, responsive=0.9, issues=["No."], refuted=[rule])])
    said = await events(thread(context(writers=(writer,), validator=poor)).start(turn()))

    assert isinstance(said[-1], AnswerCompleted)
    assert any("not sure" in note for note in said[-1].notes)


async def test_the_better_of_two_drafts_is_the_answer(thread: Callable[[Context], Run]) -> None:
    writer = Written([["It is 25 days [1]."], ["It is 99 days [1]."]], judges=True)
    poor = Validated([Verdict(faithful=0.6, responsive=0.9, issues=["Say more."])])

    said = await events(thread(context(writers=(writer,), validator=poor)).start(turn()))

    assert isinstance(said[-1], AnswerCompleted)
    assert "It is 25 days [1]." == said[-1].text


async def test_without_a_validator_the_draft_passes(thread: Callable[[Context], Run]) -> None:
    said = await events(thread(context(validator=Validated([ModelError("down")]))).start(turn()))

    assert isinstance(said[-1], AnswerCompleted)
    assert () == said[-1].notes


async def test_without_an_understander_a_question_for_the_bot_is_retrieved(thread: Callable[[Context], Run]) -> None:
    def fails(_case: Case) -> Understanding:
        raise ModelError("down")

    said = (await events(thread(context(understander=Understood(fails))).start(turn())))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "answered" == said.outcome


async def test_stateless_turns_neither_remember_nor_ask(thread: Callable[[Context], Run]) -> None:
    await events(thread(context()).start(turn()))
    understood = Understood()

    await events(thread(context(understander=understood)).start(turn("And then?", mode="stateless")))

    assert ([], False) == (understood.cases[0]["memory"]["exchanges"], understood.cases[0]["may_ask"])


async def test_what_was_left_unread_is_said(thread: Callable[[Context], Run]) -> None:
    said = (await events(thread(context()).start(turn(unread=("plan.pdf",)))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "I have not read plan.pdf." in said.notes


async def test_called_without_a_word_it_answers_what_people_asked_last(thread: Callable[[Context], Run]) -> None:
    understood = Understood()
    earlier = (Remark(person="U0BEN", text="How many vacation days are there?"), Remark(person="U0ADA", text="Hm."))

    await events(thread(context(understander=understood)).start(turn("", earlier=earlier)))

    assert ["How many vacation days are there?"] == [case["question"] for case in understood.cases]


async def test_called_without_a_word_into_nothing_it_says_what_it_can_do(thread: Callable[[Context], Run]) -> None:
    said = (await events(thread(context()).start(turn(" "))))[-1]

    assert isinstance(said, AnswerCompleted)
    assert "conversed" == said.outcome


async def test_a_question_of_any_length_leaves_the_memory_small(thread: Callable[[Context], Run]) -> None:
    understood = Understood()
    await events(thread(context()).start(turn("word " * 8000)))

    await events(thread(context(understander=understood)).start(turn("And then?")))

    assert len(str(understood.cases[0]["memory"])) < 5000


async def test_the_state_stays_small_for_ever() -> None:
    saver = InMemorySaver()
    sizes: list[int] = []
    for number in range(30):
        run = Run(compiled_graph(), saver, thread_id="long", context=context())
        await events(run.start(turn(f"Question number {number:02} is this?")))
        (checkpoint,) = [kept async for kept in saver.alist({"configurable": {"thread_id": "long"}}, limit=1)]
        sizes.append(len(repr(checkpoint.checkpoint["channel_values"])))

    assert sizes[-1] == sizes[9]


@pytest.mark.parametrize(("relevance", "ending"), [(0.1, ClarificationRequested), (0.001, AnswerCompleted)])
async def test_it_asks_back_only_where_something_behind_the_options_bears_on_the_question(
    thread: Callable[[Context], Run], relevance: float, ending: type
) -> None:
    given = context(
        retriever=FoundPassages([DESK, PINE]),
        understander=Understood(asks_between_desk_and_pine),
        grader=Graded(relevance),
    )

    said = await events(thread(given).start(turn("How do I reset it?")))

    assert isinstance(said[-1], ending)
