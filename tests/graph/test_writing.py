"""After a model's statement about its evidence, the run writes, improves, quotes or admits, in few calls."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prompts
from graph.context import Context, ModelError, TextCutError, Verdict
from graph.events import AnswerCompleted, AnswerEvent, ClarificationRequested, DraftWithdrawn, StepStarted, TextWritten
from graph.routing import PRESETS
from graph.run import run_alone
from graph.text.wording import CUT_SHORT, UNPROVED
from graph.turn import Turn
from tests.support.fakes import FoundPassages, Graded, TurnedClock, Understood, Validated, Written, context, passage

QUESTION = Turn(question="How many vacation days?", asker="U0ADA", addressed=True)
DAYS = passage(1, "Everybody has 25 days of vacation.")
MORE = passage(9, "Contractors have 12 days of vacation.")
FULL = "EVIDENCE: full\nIt is 25 days [1]."
PART = "EVIDENCE: part: what contractors get\nIt is 25 days [1]. The documents do not say what contractors get."
NONE = "EVIDENCE: none\n"
QUOTING = Written([["“Everybody has 25 days of vacation.” [1]"]], note="It quotes.")
POOR = Verdict(faithful=0.2, responsive=0.9, issues=["No passage says so."])


def model(*drafts: str | Exception) -> Written:
    """Return a writer that judges its evidence and writes these drafts, each in small pieces."""
    pieces = [
        [draft] if isinstance(draft, Exception) else [draft[at : at + 5] for at in range(0, len(draft), 5)]
        for draft in drafts
    ]
    return Written(pieces, judges=True)


def mind(*drafts: str | Exception, **given: Any) -> Context:
    """Return a context with a model that writes the drafts, and a quoting writer after it."""
    whole = {"writers": (model(*drafts), QUOTING), "retriever": FoundPassages([DAYS]), **given}
    return context(**whole)


async def events(given: Context) -> list[AnswerEvent]:
    return [event async for event in run_alone(given).start(QUESTION)]


async def ending(given: Context) -> AnswerCompleted:
    """Return the answer of the turn."""
    last = (await events(given))[-1]
    assert isinstance(last, AnswerCompleted)
    return last


def shown(said: list[AnswerEvent]) -> str:
    """Return all text that people have seen at some time."""
    return "".join(event.text for event in said if isinstance(event, TextWritten))


async def test_a_model_gets_what_was_found_whatever_its_grade() -> None:
    given = mind(FULL, grader=Graded(0.01))

    assert ("answered", "It is 25 days [1].") == ((answer := await ending(given)).outcome, answer.text)


async def test_a_writer_that_quotes_gets_only_what_was_graded_as_enough() -> None:
    given = mind(writers=(QUOTING,), grader=Graded(0.01))

    assert "admitted" == (await ending(given)).outcome


@pytest.mark.parametrize(("relevance", "outcome"), [(0.9, "answered"), (0.01, "admitted")])
async def test_where_the_model_fails_the_rules_of_quoting_hold(relevance: float, outcome: str) -> None:
    answer = await ending(mind(ModelError("down"), grader=Graded(relevance)))

    assert outcome == answer.outcome


async def test_the_stricter_grader_decides_where_the_documents_are_quoted() -> None:
    answer = await ending(mind(ModelError("down"), strict=Graded(0.0)))

    assert "admitted" == answer.outcome


async def test_nobody_sees_the_line_about_the_evidence() -> None:
    said = await events(mind(FULL))

    assert "It is 25 days [1]." == shown(said)


async def test_without_evidence_it_admits_and_nothing_was_shown() -> None:
    said = await events(mind(f"{NONE}I cannot tell how many days there are [1]."))

    assert "" == shown(said)
    assert isinstance(said[-1], AnswerCompleted)
    assert "admitted" == said[-1].outcome


async def test_what_is_missing_is_searched_for_and_the_answer_written_again() -> None:
    found = FoundPassages([DAYS], {"what contractors get": [DAYS, MORE]})
    whole = "EVIDENCE: full\nIt is 25 days [1], and 12 for contractors [2]."
    writer = model(PART, whole)
    given = mind(writers=(writer,), retriever=found, validator=(validator := Validated()))
    said = await events(given)

    assert "It is 25 days [1], and 12 for contractors [2]." == shown(said)
    assert [[1], [1, 9]] == [[one["id"] for one in brief["passages"]] for brief in writer.briefs]
    assert ["improve"] == [event.step for event in said if isinstance(event, StepStarted) and event.step == "improve"]
    assert not [event for event in said if isinstance(event, DraftWithdrawn)]
    assert 1 == validator.asked


async def test_where_a_wider_search_finds_nothing_new_the_honest_part_stands() -> None:
    writer = model(PART)
    said = await events(mind(writers=(writer,)))

    assert 1 == len(writer.briefs)
    assert isinstance(said[-1], AnswerCompleted)
    assert "answered" == said[-1].outcome
    assert said[-1].text.endswith("The documents do not say what contractors get.") == ("EVIDENCE" not in said[-1].text)
    assert shown(said) == said[-1].text


async def test_what_was_improved_is_not_rewritten() -> None:
    found = FoundPassages([DAYS], {"what contractors get": [MORE]})
    writer = model(PART, FULL)
    await events(mind(writers=(writer, QUOTING), retriever=found, validator=Validated([POOR])))

    assert 2 == len(writer.briefs)


@pytest.mark.parametrize(
    "draft",
    [
        "EVIDENCE: part: everything\nThe documents do not say how many days there are.",
        "EVIDENCE: full\nI'm sorry, but I can't help with that.",
        "I'm sorry, but I can't help with that.",
    ],
)
async def test_a_refusal_is_never_an_answer(draft: str) -> None:
    answer = await ending(mind(draft, grader=Graded(0.01)))

    assert "admitted" == answer.outcome
    assert "sorry" not in answer.text


async def test_below_the_floor_the_documents_are_quoted_and_nothing_of_the_draft_is_left() -> None:
    said = await events(mind("EVIDENCE: full\nAsk the desk for it [1].", validator=Validated([POOR])))

    assert isinstance(said[-1], AnswerCompleted)
    assert "“Everybody has 25 days of vacation.” [1]" == said[-1].text
    assert UNPROVED in said[-1].notes
    assert any(isinstance(event, DraftWithdrawn) for event in said)


async def test_below_the_floor_without_anything_to_quote_it_admits() -> None:
    poor = Validated([POOR])
    answer = await ending(mind("EVIDENCE: full\nAsk the desk for it [1].", validator=poor, grader=Graded(0.01)))

    assert "admitted" == answer.outcome


async def test_what_is_certainly_wrong_is_written_again_before_anybody_is_asked() -> None:
    validator = Validated()
    answer = await ending(mind("EVIDENCE: full\nIt is 52 days [1].", FULL, validator=validator))

    assert ("It is 25 days [1].", 1) == (answer.text, validator.asked)


async def test_a_citation_of_the_wrong_passage_is_corrected_without_writing_again() -> None:
    found = FoundPassages([passage(1, "The desk opens at nine."), passage(2, "Everybody has 25 days of vacation.")])
    writer = model(FULL)
    answer = await ending(mind(writers=(writer,), retriever=found))

    assert ("It is 25 days [1].", 1) == (answer.text, len(writer.briefs))
    assert ["Document 2"] == [source["title"] for source in answer.sources]


async def test_an_answer_without_room_for_its_end_keeps_its_whole_sentences_and_says_so() -> None:
    writer = Written([["It is 25 days [1]. ", "Ask the de", TextCutError("No room.")]], judges=True)
    answer = await ending(mind(writers=(writer, QUOTING)))

    assert ("It is 25 days [1].", (CUT_SHORT,)) == (answer.text, answer.notes)


async def test_without_room_for_one_sentence_somebody_else_writes() -> None:
    writer = Written([["It is twenty-fi", TextCutError("No room.")]], judges=True)
    answer = await ending(mind(writers=(writer, QUOTING)))

    assert "“Everybody has 25 days of vacation.” [1]" == answer.text


async def test_a_model_that_says_one_sentence_again_and_again_is_stopped() -> None:
    writer = Written([["It is 25 days [1]. ", *["Everybody has 25 days of vacation [1]. "] * 1000]], judges=True)
    answer = await ending(mind(writers=(writer, QUOTING)))

    assert answer.text.count("Everybody") < 5


async def test_an_answer_that_is_mostly_our_instructions_is_withdrawn_and_the_documents_speak() -> None:
    rules = [rule for rule in prompts.load("write").sentences if len(rule.split()) > 11][:5]
    said = await events(mind(f"EVIDENCE: full\nIt is 25 days [1]. {' '.join(rules)} That is all."))

    assert isinstance(said[-1], AnswerCompleted)
    assert said[-1].text.startswith("“Everybody has 25 days of vacation.” [1]")
    assert any(isinstance(event, DraftWithdrawn) for event in said)
    assert not any(rule[:40] in shown(said) for rule in rules)


async def test_the_first_word_is_waited_for_as_long_as_is_left_and_the_next_writer_has_time_too() -> None:
    clock = TurnedClock()

    class Slow(Understood):
        async def understand(self, case: Any) -> Any:
            clock.turn(seconds=5)
            return await super().understand(case)

    large, small = model(ModelError("down")), model(FULL)
    await ending(mind(writers=(large, small, QUOTING), understander=Slow(), clock=clock))

    assert [3.0, 5.0] == [writer.briefs[0].get("seconds") for writer in (large, small)]


class Counting:
    """Counts all calls of models."""

    def __init__(self) -> None:
        self.calls = 0

    def understander(self) -> Any:
        counting, inner = self, Understood()

        class Counted:
            async def understand(self, case: Any) -> Any:
                counting.calls += 1
                return await inner.understand(case)

        return Counted()

    def writer(self, drafts: list[str | Exception]) -> Any:
        counting, inner = self, model(*drafts)

        class Counted:
            note = ""
            judges = True

            def write(self, brief: Any) -> AsyncIterator[str]:
                counting.calls += 1
                return inner.write(brief)

        return Counted()

    def validator(self, verdicts: list[Verdict | ModelError]) -> Any:
        counting, inner = self, Validated(verdicts)

        class Counted:
            async def validate(self, *given: Any) -> Verdict:
                counting.calls += 1
                return await inner.validate(*given)

        return Counted()


_DRAFTS = st.sampled_from(
    [FULL, PART, NONE, "It is 52 days [1].", "It is 25 days.", "EVIDENCE: full\nAsk [1].", "", ModelError("down")]
)
_VERDICTS = st.one_of(
    st.builds(
        lambda faithful, responsive: Verdict(faithful=faithful, responsive=responsive, issues=["Mend it."]),
        st.floats(0, 1),
        st.floats(0, 1),
    ),
    st.just(ModelError("down")),
)


@settings(max_examples=150)
@given(
    large=st.lists(_DRAFTS, min_size=1, max_size=4),
    small=st.lists(_DRAFTS, min_size=1, max_size=4),
    verdicts=st.lists(_VERDICTS, min_size=1, max_size=4),
    missing=st.booleans(),
    relevance=st.sampled_from([0.01, 0.9]),
)
async def test_whatever_models_say_a_turn_ends_within_its_calls(
    large: list[str | Exception],
    small: list[str | Exception],
    verdicts: list[Verdict | ModelError],
    missing: bool,
    relevance: float,
) -> None:
    counting = Counting()
    found = FoundPassages([DAYS], {"what contractors get": [MORE]} if missing else {})
    given_ = context(
        retriever=found,
        understander=counting.understander(),
        writers=(counting.writer(large), counting.writer(small), Written(QUOTING.drafts)),
        validator=counting.validator(verdicts),
        grader=Graded(relevance),
    )
    last = (await events(given_))[-1]

    assert counting.calls <= PRESETS["balanced"].calls
    if isinstance(last, ClarificationRequested):
        assert last.options, "Of what a model read in vain, the documents that come near are offered."
    else:
        assert isinstance(last, AnswerCompleted)
        assert "EVIDENCE" not in last.text
        assert last.text
