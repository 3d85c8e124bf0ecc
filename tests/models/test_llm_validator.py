"""Code looks up the model's evidence for each sentence, and computes the score."""

from typing import Any

import pytest

from bot.models.llm.validator import FORM, MOST_SENTENCES, Judgement, ModelValidator, statements, verdict_of
from graph.context import ModelError, Verdict
from tests.models.cases import BERLIN, LISBON, make_passage
from tests.models.groq_server import fault_of
from tests.models.local_llm import llm_that
from tests.models.obliging import judged

CARS = make_passage(3, "Cars", "Rental cars need approval by the team lead. The fuel card works at night.")
PASSAGES = [BERLIN, LISBON, CARS]


def verdict(draft: str, *sentences: tuple[str, str], **parts: Any) -> Verdict:
    """Return the verdict on a draft, from the model's evidence and verdict for each sentence."""
    rows = [
        {"number": number, "reason": "So it is.", "evidence": evidence, "verdict": said}
        for number, (evidence, said) in enumerate(sentences, start=1)
    ]
    form = {"sentences": rows, "missing": "", "answers": "yes", **parts}
    return verdict_of(Judgement.model_validate(form), draft, PASSAGES)


def test_what_a_passage_says_is_faithful() -> None:
    said = verdict("In Berlin it is 30 days [1].", ("Everyone in Berlin gets 30 days", "supported"))

    assert {"faithful": 1.0, "responsive": 1.0, "issues": [], "refuted": []} == said


@pytest.mark.parametrize(
    "evidence", ["Everyone in Berln gets 30 days", "everyone in berlin gets 30", "Everyone in Berlin …"]
)
def test_a_quotation_is_found_though_a_letter_is_wrong(evidence: str) -> None:
    assert 1.0 == verdict("In Berlin it is 30 days [1].", (evidence, "supported"))["faithful"]


def test_support_in_words_that_no_passage_holds_is_none() -> None:
    said = verdict("Your lead must approve every booking [1].", ("Bookings must be approved beforehand", "supported"))

    assert said["faithful"] < 0.7
    assert said["issues"] == ["No passage was quoted for this: Your lead must approve every booking [1]."]


def test_a_draft_that_is_to_be_written_again_has_an_issue() -> None:
    said = verdict("It is 30 days [1].", ("Everyone in Berlin gets", "supported"), answers="no")

    assert said["issues"] == ["It does not answer the question."]


def test_a_negation_that_the_quoted_sentence_has_not_is_a_fault_whatever_the_model_says() -> None:
    said = verdict(
        "Rental cars need no approval by the team lead [3].", ("Rental cars need approval by the team", "supported")
    )

    assert (0.0, 1) == (said["faithful"], len(said.get("refuted", ())))


@pytest.mark.parametrize(
    "draft",
    [
        "No, rental cars need approval by the team lead [3].",
        "**No** – rental cars need approval by the team lead [3].",
        "They do not: rental cars need approval by the team lead [3].",
        "Nein: rental cars need approval by the team lead [3].",
        "No. No, it is not so: rental cars need approval by the team lead [3].",
    ],
)
def test_a_no_to_the_question_denies_no_passage(draft: str) -> None:
    *replies, last = [("", "no_claim")] * len(statements(draft))
    del last
    said = verdict(draft, *replies, ("Rental cars need approval by the team", "supported"))

    assert (1.0, []) == (said["faithful"], said.get("refuted"))


def test_a_writer_is_told_that_code_found_the_opposite_and_not_why_the_model_agreed() -> None:
    draft = "Rental cars need no approval by the team lead [3]."
    said = verdict(draft, ("Rental cars need approval by the team", "supported"))

    fault = (
        "“Rental cars need approval by the team” says otherwise: it negates or does not, or has another number or name"
    )

    assert said["issues"] == [f"{fault}: {draft}"]


DAYS = make_passage(
    1,
    "Leave",
    "Everybody has 25 days of leave in Porto. Trainees have 30 days. A day off is asked for 2 weeks before."
    " The Pine Router blinks for 90 seconds after a reset, the Lumen Hub for 40 seconds.\n\n"
    "The Lumen Hub is set up by Ada Costa. The Pine Router is set up by Ben Ito.",
)


@pytest.mark.parametrize(
    ("statement", "quoted", "is_so"),
    [
        ("Everybody has 25 days [1].", "Everybody has 25 days of leave", True),
        ("Everybody has 30 days of leave [1].", "Everybody has 25 days of leave", False),
        ("Everybody in Porto has thirty days [1].", "Everybody has 25 days of leave", False),
        ("Trainees have 30 days [1].", "Everybody has 25 days of leave", True),
        ("Everybody has 25 days, and trainees have 30 [1].", "Everybody has 25 days of leave", True),
        ("It is 25 + 30 = 55 days for both [1].", "Everybody has 25 days of leave", True),
        ("A day off is asked for 14 days before [1].", "A day off is asked for 2 weeks", True),
        ("The Lumen Hub blinks for 40 seconds [1].", "The Pine Router blinks for 90 seconds", True),
        ("The Lumen Hub is set up by Ada Costa [1].", "The Lumen Hub is set up by", True),
        ("The Lumen Hub is set up by Ben Ito [1].", "The Lumen Hub is set up by", False),
        ("Ben Ito sets up the Pine Router [1].", "The Pine Router is set up by", True),
        ("Ada Costa sets up the Lumen Hub, Ben Ito the Pine Router [1].", "The Lumen Hub is set up by", True),
    ],
)
def test_a_number_or_a_name_that_the_quoted_sentence_has_not_is_a_fault(
    statement: str, quoted: str, is_so: bool
) -> None:
    form = {"number": 1, "reason": "So it is.", "evidence": quoted, "verdict": "supported"}
    judgement = Judgement.model_validate({"sentences": [form], "missing": "", "answers": "yes"})

    said = verdict_of(judgement, statement, [DAYS])

    assert is_so is (not said.get("refuted")), said


def test_the_share_is_by_length_and_the_main_statement_weighs_more() -> None:
    good, bad = ("Everyone in Berlin gets 30 days", "supported"), ("", "unsupported")
    draft = "In Berlin everyone gets 30 days of holiday [1]. In Rome it is 40 [2]."

    assert 0.5 < verdict(draft, good, bad)["faithful"] < 1.0
    assert verdict(draft, bad, good)["faithful"] <= 0.4


def test_a_sum_needs_no_quotation_and_a_heading_no_support() -> None:
    draft = "Here is what holds for both offices: [1][2] 30 + 25 = 55 days."

    assert verdict(draft, ("", "supported"))["faithful"] >= 0.7
    assert 1.0 == verdict("Here are the steps to take.", ("", "no_claim"))["faithful"]


def test_what_cites_a_source_claims_something() -> None:
    assert verdict("Everyone flies first class [1].", ("", "no_claim"))["faithful"] < 0.7


@pytest.mark.parametrize(("answers", "least"), [("yes", 0.7), ("partly", 0.7), ("no", 0.0)])
def test_what_is_left_open_is_an_issue(answers: str, least: float) -> None:
    said = verdict("It is 30 days [1].", ("Everyone in Berlin gets", "supported"), answers=answers, missing="Rome")

    assert said["responsive"] >= least
    assert (answers != "yes") == bool(said["issues"])


@pytest.mark.parametrize("numbers", [[], [0], [7, 8]])
def test_a_form_that_judges_nothing_cannot_be_read(numbers: list[int]) -> None:
    rows = [{"number": number, "reason": "", "evidence": "", "verdict": "supported"} for number in numbers]
    form = Judgement.model_validate({"sentences": rows, "missing": "", "answers": "yes"})

    with pytest.raises(ModelError, match="cannot be read"):
        verdict_of(form, "It is 30 days [1].", PASSAGES)


def test_a_long_draft_is_judged_in_so_many_parts() -> None:
    assert MOST_SENTENCES == len(statements("\n".join(f"- It is so for item {number} [1]." for number in range(40))))
    assert ["Hello"] == statements("Hello")


def test_the_form_is_strict_and_asks_for_evidence_before_the_verdict() -> None:
    fields = list(FORM["properties"]["sentences"]["items"]["properties"])

    assert "" == fault_of({"messages": [], "response_format": {"json_schema": {"strict": True, "schema": FORM}}})
    assert ["number", "reason", "evidence", "verdict"] == fields


def test_none_in_one_cell_of_a_row_denies_nothing_in_another() -> None:
    row = "| Seasonal | 2.5 for each full month | none | October |"
    leave = make_passage(4, "Leave", f"| Contract | Days | Carried over | Paid out |\n|---|---|---|---|\n{row}")
    judgement = {
        "number": 1,
        "reason": "So it is.",
        "evidence": "| Seasonal | 2.5 for each full",
        "verdict": "supported",
    }
    form = Judgement.model_validate({"sentences": [judgement], "missing": "", "answers": "yes"})

    said = verdict_of(form, "Seasonal staff get 2.5 days for each full month [1].", [leave])

    assert (1.0, []) == (said["faithful"], said["issues"])


async def test_the_rows_of_a_drafts_table_are_shown_under_their_columns() -> None:
    draft = "| | Summer | Winter |\n|---|---|---|\n| Cars | 25 [1] | 20 [1] |\n| Groups | 30 [1] | 30 [1] |"
    async with llm_that(judged()) as (groq, server):
        await ModelValidator(groq.small).validate("When?", draft, PASSAGES)

    shown = server.requests[0]["messages"][-1]["content"]
    assert "1. | | Summer | Winter |\n   | Cars | 25 [1] | 20 [1] |\n2. | Groups" in shown


async def test_the_code_of_a_draft_is_shown() -> None:
    async with llm_that(judged()) as (groq, server):
        await ModelValidator(groq.small).validate("How?", "Run this [1]:\n\n```bash\nrm -rf /\n```", PASSAGES)

    assert "1. Run this [1]:\n\nIts code:\nrm -rf /\n" in server.requests[0]["messages"][-1]["content"]


def test_a_draft_is_no_evidence_for_itself() -> None:
    """As by Qwen2.5-Coder-1.5B-Instruct, which wrote the draft, too."""
    ship = make_passage(
        4, "Sanderling", "Built in 2018. Fuel: 9,500 litres in two tanks. A place in the rack costs 3 EUR."
    )
    draft = "The Sanderling was built in 2018, and the cost was 9,500 litres in two tanks [1]."
    row = {"number": 1, "reason": "So it is.", "evidence": draft.replace(" [1]", ""), "verdict": "supported"}
    form = {"sentences": [row], "missing": "", "answers": "yes"}

    said = verdict_of(Judgement.model_validate(form), draft, [ship])

    assert (0.4, 1) == (said["faithful"], len(said["issues"]))
