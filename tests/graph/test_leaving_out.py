"""What a validator refutes is not shown: it is left out, or the draft is not sure."""

import pytest

from graph.answer.claims import without
from graph.context import ModelError, Verdict
from graph.events import AnswerCompleted
from graph.run import run_alone
from graph.text.wording import CAVEAT, LEFT_OUT
from graph.turn import Turn
from tests.graph.test_run import events
from tests.support.fakes import FoundPassages, Validated, Written, context, passage

QUESTION = "How many days are there?"
DAYS = passage(1, "There are 25 days. Five days carry over until March. Ada approves them. Ask for them early.")
INVENTED = "Ben pays for them [1]."


@pytest.mark.parametrize(
    ("draft", "left_out", "rest"),
    [
        ("It is 25 days [1]. Ben pays [1].", ["Ben pays [1]."], "It is 25 days [1]."),
        ("It is so [1]. Ben pays [1]. Ask Ada [1].", ["Ben pays [1]."], "It is so [1]. Ask Ada [1]."),
        ("Ways:\n\n- by bus [1]\n- by boat [1]\n- walk [2]", ["by boat [1]"], "Ways:\n\n- by bus [1]\n- walk [2]"),
        (
            "It is so [1].\n\n| a | b |\n|---|---|\n| 1 | 2 [1] |\n| 3 | 4 [1] |\n\nGood [1].",
            ["| 3 | 4 [1] |"],
            "It is so [1].\n\n| a | b |\n|---|---|\n| 1 | 2 [1] |\n\nGood [1].",
        ),
        ("It is so [1].\n```\nrun it\n```\nBen pays [1].", ["Ben pays [1]."], "It is so [1].\n```\nrun it\n```"),
    ],
)
def test_the_rest_stays_as_it_was(draft: str, left_out: list[str], rest: str) -> None:
    assert rest == without(draft, left_out)


@pytest.mark.parametrize(
    ("draft", "left_out"),
    [
        ("It is 25 days [1]. Ben pays [1].", ["It is 25 days [1]."]),
        ("It is so [1]. Ben pays [1]. He may refuse [1].", ["Ben pays [1]."]),
        ("Es ist so [1]. Ben zahlt [1]. Er darf ablehnen [1].", ["Ben zahlt [1]."]),
        ("It is so [1]. Ben pays [1]. Ada pays [1].", ["Ben pays [1].", "Ada pays [1]."]),
        ("It is so [1]. One way is this:\n- by bus [1]\n\nAsk Ada [1].", ["by bus [1]"]),
        ("It is so [1]. Go [1].\n\n| a | b |\n|---|---|\n| 1 | 2 [1] |\n\nGood [1].", ["| 1 | 2 [1] |"]),
        ("It is 25 days [1]. Ben pays [1].", ["Nobody pays [1]."]),
        ("It is 25 days [1].", []),
    ],
)
def test_nothing_is_left_out_if_the_rest_does_not_stand_alone(draft: str, left_out: list[str]) -> None:
    assert without(draft, left_out) is None


@pytest.mark.parametrize("refuted", [True, False])
async def test_an_invented_sentence_is_left_out_and_the_answer_says_so(*, refuted: bool) -> None:
    verdict = refuting(INVENTED, faithful=0.8) if refuted else Verdict(faithful=1.0, responsive=1.0, issues=[])

    answer = await answered(f"There are 25 days [1]. {INVENTED} Ask for them early [1].", verdict)

    assert (INVENTED in answer.text, LEFT_OUT in answer.notes) == (not refuted, refuted)
    assert "There are 25 days [1]." in answer.text
    assert CAVEAT not in answer.notes


async def test_a_draft_whose_rest_does_not_stand_alone_is_written_again_and_is_not_sure() -> None:
    drafts = f"There are 25 days [1]. {INVENTED} It costs nothing [1]."

    answer = await answered(drafts, refuting(INVENTED, faithful=0.8), ModelError())

    assert INVENTED in answer.text
    assert CAVEAT in answer.notes


def refuting(sentence: str, *, faithful: float) -> Verdict:
    return Verdict(faithful=faithful, responsive=1.0, issues=[f"Not said: {sentence}"], refuted=[sentence])


async def answered(draft: str, *verdicts: Verdict | ModelError) -> AnswerCompleted:
    writer = Written([[draft]], judges=True)
    asked = context(retriever=FoundPassages([DAYS]), writers=(writer,), validator=Validated(verdicts))
    seen = await events(run_alone(asked).start(Turn(question=QUESTION, asker="U0ADA", addressed=True)))
    (answer,) = [event for event in seen if isinstance(event, AnswerCompleted)]
    return answer
