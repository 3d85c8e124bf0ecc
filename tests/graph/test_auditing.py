"""The audit finds certain errors, moves citations, and accepts good drafts of every style."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prompts
from graph.answer.audit import Audit, audited
from graph.answer.claims import claims, code_lines
from graph.answer.draft import Draft
from graph.passages import Passage
from graph.text.words import language_of
from tests.graph.drafts import TODAY, labelled
from tests.support.fakes import passage

PAY = passage(
    1,
    "| Grade | Salary 2025 | Salary 2026 |\n|---|---|---|\n| Junior | 40,000 EUR | 42,000 EUR |\n"
    "| Senior | 60,000 EUR | 66,000 EUR |\n\nSalaries are paid on the 25th. Bonuses are not paid in the first year.",
    title="Pay",
)
OLD = passage(2, "Salaries are paid on the 28th.", title="Pay 2023", dated="2023-05-01")
LEAVE = passage(3, "Jeder hat 30 Tage Urlaub. Ab 2 Wochen braucht es die Zustimmung der Leitung.", language="de")
PASSAGES = [PAY, OLD, LEAVE]
MOST_GOOD_REDRAFTED = 1
FEWEST_BAD_CAUGHT = 7


def audit(draft: str, question: str = "What is paid?") -> Audit:
    return audited(draft, PASSAGES, question=question, today=TODAY)


@pytest.mark.parametrize(
    "draft",
    [
        "Seniors get 66,000 EUR in 2026 [1].",
        "Seniors earn **66k EUR** [1].",
        "The senior salary is sixty-six thousand euros [1].",
        "The senior salary rose by 10 % [1].",
        "Senior: +10 percent [1]\nJunior: +5 percent [1]",
        "Both together are 108,000 EUR [1].",
        "66,000 − 60,000 = 6,000 EUR more [1].",
        "| Grade | 2026 |\n|---|---|\n| Junior | 42,000 EUR [1] |\n| Senior | 66,000 EUR [1] |",
        "The grades are [1]:\n- Junior: 42,000 EUR\n- Senior: 66,000 EUR",
        "Es gibt 30 Tage Urlaub [3].",
        "You get 30 days of leave; two weeks or more need approval [3].",
        "That is 14 days [3].",
        "As of 23 November 2026 it is the 25th [1].",
        "It was the 28th as of 01.05.2023 [2].",
        "3人の昇給は66,000ユーロまでです [1]。",
        "For your family of 5 it is the same: 30 days [3].",
        "## Pay\n\nIt is 66,000 EUR [1].\n\n1. First [1]\n2. Then [1]",
        "Roughly 65,000 EUR [1].",
    ],
)
def test_a_good_draft_of_any_style_has_no_fault(draft: str) -> None:
    found = audit(draft, "What is paid to a family of 5?")

    assert ([], 1.0, draft) == (found.faults, found.confidence, found.draft)


@pytest.mark.parametrize(
    "draft",
    [
        "Seniors get 67,000 EUR [1].",
        "Seniors get 66,000 USD [1].",
        "Seniors earn 66 million EUR [1].",
        "Juniors get 66,000 EUR: the junior salary is 66,000 EUR [1].",
        "The senior salary rose by 12 % [1].",
        "66,000 − 60,000 = 7,000 EUR more [1].",
        "66,000 + 42,000 = 10,800,000 EUR together [1].",
        "The 25th and the 28th: 25 + 28 = 5300 EUR [1][2].",
        "66,000 − 60,000 = 6,000 EUR more, in all 600,000 EUR [1].",
        "60,000 − 66,000 = 6,000 EUR [1].",
        "There are 30 weeks of leave [3].",
        "It was so on 12 March 2022 [2].",
        "Seniors get sixty-seven thousand euros [1].",
        "Ask your lead about it.",
        "I'm sorry, I cannot help with that.",
    ],
)
def test_what_is_certainly_wrong_is_a_fault(draft: str) -> None:
    found = audit(draft)

    assert found.faults
    assert found.confidence < 0.7


def test_a_citation_stays_beside_the_one_that_another_value_needs() -> None:
    leaving = passage(
        1, "You may buy your laptop for 20 percent of its price if it is older than 30 months.", title="Leaving"
    )
    laptops = passage(
        2, "Laptops are replaced after 36 months. After 30 months you may ask. A bag costs 20 percent.", title="Laptops"
    )
    draft = "Yes, for 20 percent of its price: 36 months are more than the 30 months that are required [1]."

    found = audited(draft, [leaving, laptops], question="Can I buy my old laptop?", today=TODAY)

    assert (draft.replace("[1]", "[1][2]"), []) == (found.draft, found.faults)


@pytest.mark.parametrize(
    ("draft", "corrected"),
    [
        ("Salaries are paid on the 28th [1].", "Salaries are paid on the 28th [2]."),
        ("Seniors get 66,000 EUR [2].", "Seniors get 66,000 EUR [1]."),
        ("Seniors get 66,000 EUR [2][9].", "Seniors get 66,000 EUR [1]."),
        ("Seniors get 66,000 EUR and 30 days [1].", "Seniors get 66,000 EUR and 30 days [1][3]."),
    ],
)
def test_a_citation_moves_to_the_passage_that_holds_the_value(draft: str, corrected: str) -> None:
    found = audit(draft)

    assert (corrected, []) == (found.draft, found.faults)


@pytest.mark.parametrize(
    "draft", ["Bonuses are paid in the first year [1].", "Bicycles are parked behind the canteen, near the river [1]."]
)
def test_what_only_a_reader_can_judge_is_told_and_not_punished(draft: str) -> None:
    found = audit(draft)

    assert found.doubts
    assert ([], 1.0) == (found.faults, found.confidence)


@pytest.mark.parametrize(
    ("draft", "cited"),
    [
        ("Seniors get a salary of 66,000 EUR in 2026.", "Seniors get a salary of 66,000 EUR in 2026 [1]."),
        ("Salaries are paid on the 25th. Yes!", "Salaries are paid on the 25th [1]. Yes!"),
        ("- Bonuses are **not** paid in the first year", "- Bonuses are **not** paid in the first year [1]"),
        (
            "| Grade | 2026 |\n|---|---|\n| Senior | 66,000 EUR |",
            "| Grade | 2026 |\n|---|---|\n| Senior | 66,000 EUR [1] |",
        ),
        ("Jeder hat 30 Tage Urlaub.", "Jeder hat 30 Tage Urlaub [3]."),
    ],
)
def test_what_repeats_a_passage_is_cited_by_code(draft: str, cited: str) -> None:
    assert (cited, []) == audit(draft)[:2]


@pytest.mark.parametrize(
    "draft", ["Managers get a car.", "Salaries are not paid on the 25th.", "Salaries are paid on the 26th.", ""]
)
def test_what_no_passage_says_is_not_cited_by_code(draft: str) -> None:
    assert draft == audit(draft).draft
    assert audit(draft).confidence < 0.7


@pytest.mark.parametrize(
    ("draft", "is_fault"),
    [
        ("Managers get a car.\n\nSalaries are paid on the 25th [1].", True),
        ("- Managers get a car.\n- Salaries are paid on the 25th [1].", True),
        ("The documents do not say who gets a car.\n\nManagers do not pay.\n\nSalaries: the 25th [1].", True),
        ("Managers get a car. Salaries are paid on the 25th [1].", False),
        ("The documents do not say who gets a car.\n\nSalaries are paid on the 25th [1].", False),
        ("I could not find who gets a car.\n\nSalaries are paid on the 25th [1].", False),
        ("I do not have to pay for a car.\n\nSalaries are paid on the 25th [1].", True),
        ("Ich habe keinen Wagen.\n\nSalaries are paid on the 25th [1].", True),
        ("Yes.\n\nSalaries are paid on the 25th [1].", False),
        ("It depends:\n- Salaries are paid on the 25th [1].", False),
        ("| Grade | 2026 |\n|---|---|\n| Senior | 66,000 EUR |\n\nThe figures are those of 2026 [1].", False),
    ],
)
def test_a_main_statement_without_a_citation_is_a_fault(draft: str, is_fault: bool) -> None:
    found = audit(draft)

    assert is_fault is any("The main statement cites nothing" in fault for fault in found.faults), found.faults
    assert is_fault is (found.confidence < 0.7)


def test_a_main_statement_that_repeats_a_passage_is_cited_by_code() -> None:
    draft = "Salaries are paid on the 25th.\n\nJeder hat 30 Tage Urlaub [3]."

    assert ("Salaries are paid on the 25th [1].\n\nJeder hat 30 Tage Urlaub [3].", []) == audit(draft)[:2]


def test_a_sum_and_the_numbers_of_the_question_are_no_doubt() -> None:
    draft = "Seniors are paid 2 × 66,000 EUR = 132,000 EUR in 2026 [1]. For a family of 5 that is the salary paid [1]."

    assert [] == audit(draft, "What is paid to 2 seniors with a family of 5?").doubts
    assert audit(draft, "What is paid to 2 seniors?").doubts


def test_a_noun_of_a_short_german_answer_is_no_unknown_name() -> None:
    inside = passage(1, "The cat stays inside for 7 days.", title="Neutering")
    question = "Wie lange muss die Katze drinnen bleiben?"

    assert [] == audited("**7 Tage** [1].", [inside], question=question, today=TODAY).faults
    assert audited("**7 Tage** [1].", [inside], question="How long?", today=TODAY).faults


def test_a_no_to_the_question_is_not_told_as_a_denial() -> None:
    assert [] == audit("No, salaries are paid on the 25th [1].").doubts
    assert audit("Salaries are not paid on the 25th [1].").doubts


@pytest.mark.parametrize(
    ("draft", "source", "is_denial"),
    [
        ("Nothing is paid for:\n\n- Claims older than 60 days [1].", "Claims older than 60 days are not paid.", False),
        ("We pay for:\n\n- Claims older than 60 days [1].", "Claims older than 60 days are not paid.", True),
        ("The captain signs it off [1].", "The captain signs it off, not the colleague who likes you.", False),
        (
            "The captain does not sign off new deckhands [1].",
            "The captain signs off new deckhands, not the cook.",
            True,
        ),
        (
            "You cannot count on it any more: pieces wait four weeks and are then sold [1].",
            "Pieces wait four weeks and are then sold.",
            False,
        ),
        ("That is not allowed: dogs may stay in the yard [1].", "Dogs may stay in the yard.", True),
        ("Das ist nicht erlaubt: Hunde dürfen im Hof bleiben [1].", "Hunde dürfen im Hof bleiben.", True),
        (
            "Pieces do not wait: pieces wait four weeks and are then sold [1].",
            "Pieces wait four weeks and are then sold.",
            True,
        ),
        ("Do not sweep before the bridge has answered [1].", "Nobody sweeps before the bridge has answered.", False),
        ("Sweep before the bridge has answered [1].", "Nobody sweeps before the bridge has answered.", True),
        ("Man fegt nichts, bevor die Brücke antwortet [1].", "Niemand fegt, bevor die Brücke antwortet.", False),
    ],
)
def test_a_denial_is_told_and_a_negation_elsewhere_is_none(draft: str, source: str, is_denial: bool) -> None:
    found = audited(draft, [passage(1, source, language=language_of(draft))])

    assert is_denial is any("negates" in doubt for doubt in found.doubts)


PINE = passage(
    5,
    "The router is set up by Ada Costa in room R12. Ask her team lead.",
    title="Pine Router",
    path="devices/berlin/a.md",
)


@pytest.mark.parametrize(
    ("draft", "is_fault"),
    [
        ("The router is set up by Ada Costa [1].", False),
        ("The Pine Router of Berlin is set up in room R12 [1].", False),
        ("Ask the Team Lead about it on Monday [1].", False),
        ("In Lisbon the router is set up by Ada Costa [1].", False),
        ("Zora said that the router is set up by Ada Costa [1].", False),
        ("| Who | Where |\n|---|---|\n| Ada Costa | Room R12 [1] |", False),
        ("It is set up by Ben Ito [1].", True),
        ("The router is set up in room R13 [1].", True),
        ("Der Router wird von Ben Ito eingerichtet [1].", False),
        ("O router é configurado pelo Bento em Lisboa [1].", False),
    ],
)
def test_a_name_that_nothing_and_nobody_holds_is_a_fault(draft: str, is_fault: bool) -> None:
    found = audited(draft, [PINE], question="Who sets up the router in Lisbon?", remembered="Zora: is it so?")

    assert is_fault is any("No passage names" in fault for fault in found.faults), found.faults


def test_a_fault_counts_by_its_share_of_the_answer() -> None:
    long = " ".join(f"Salaries are paid on the 25th, it says in paragraph {word} [1]." for word in ("a", "b", "c", "d"))

    assert audit(f"{long} It is 99,000 EUR [1].").confidence > audit("It is 99,000 EUR [1].").confidence


@given(st.text())
def test_any_draft_can_be_audited(draft: str) -> None:
    assert 0 <= audit(draft).confidence <= 1


def _seen(row: dict[str, Any]) -> str:
    """Return a draft as it would be shown: guarded, without unknown citations."""
    passages: list[Passage] = row["passages"]
    draft = Draft(passages, prompts.load("write").sentences)
    draft.feed(row["draft"])
    draft.rest()
    return draft.text


DEPLOY = passage(6, "Roll out by hand:\n\n```bash\nmake deploy STAGE=prod\n```", title="Deploying")


@pytest.mark.parametrize(
    ("code", "doubts"),
    [
        ("make deploy STAGE=prod", []),
        ("make  deploy \\\n  STAGE=gate7", []),
        ("make deploy\nrm -rf /srv", ["No passage has this code: rm -rf /srv"]),
    ],
)
def test_code_that_no_passage_has_is_a_doubt(code: str, doubts: list[str]) -> None:
    draft = f"Roll out by hand [1]:\n\n```bash\n{code}\n```"

    assert doubts == audited(draft, [DEPLOY], question="How do I deploy to gate7?", today=TODAY).doubts


@pytest.mark.parametrize("begins", ["```make deploy``` rolls out [1].", "````\n```\n````"])
def test_what_opens_no_block_of_code_hides_no_statement(begins: str) -> None:
    draft = f"{begins}\n\nIt takes 90 minutes [1]."

    assert "It takes 90 minutes [1]." in [claim.text for claim in claims(draft)]
    assert ["make test"] == [line for line in code_lines(f"{draft}\n~~~\nmake test\n~~~") if line.startswith("make")]


@pytest.mark.skipif(not labelled(), reason="The labelled drafts are not here.")
def test_labelled_drafts_are_told_apart_by_code_alone() -> None:
    audits = [(row, audited(_seen(row), row["passages"], question=row["question"], today=TODAY)) for row in labelled()]
    redrafted = [row["style"] for row, found in audits if row["label"] == "good" and found.faults]
    caught = [
        row["style"] for row, found in audits if row["label"] == "bad" and (found.faults or found.draft != row["draft"])
    ]

    assert len(redrafted) <= MOST_GOOD_REDRAFTED, redrafted
    assert len(caught) >= FEWEST_BAD_CAUGHT, caught


TERMS = passage(
    4,
    "Laptops are replaced after 48 months, phones after 1.5 years. A book is valid for 6 months. "
    "Call at least two hours before the turn.",
)


@pytest.mark.parametrize(
    ("draft", "known"),
    [
        ("In **March 2027** [1].", True),
        ("1 March 2023 + 48 months = 1 March 2027 [1].", True),
        ("Until 1 September 2023 [1].", True),
        ("Until 1 September 2024 [1].", True),
        ("At noon, which is 14:00 − 2 h = 12:00 [1].", True),
        ("Lost on Sunday, 22 November: until 22 May 2027 [1].", True),
        ("In **April 2027** [1].", False),
        ("Until 3 September 2023 [1].", False),
        ("At 11:30 at the latest [1].", False),
    ],
)
def test_a_day_or_a_time_may_follow_from_another_one_by_a_span(draft: str, known: bool) -> None:
    question = "It was bought on 1 March 2023, and the turn begins at 14:00."
    found = audited(draft, [TERMS], question=question, today=TODAY)

    assert known is not bool(found.faults), found.faults


DESK = (
    "The desk fee holds from 15 January 2026; since May 2026 it is 80 EUR. The desk opens at 9:30 and closes at 17:00."
)


@pytest.mark.parametrize(
    ("text", "draft", "known"),
    [
        (DESK, "It costs 15 EUR a day [1].", False),
        (DESK, "It costs 2026 EUR [1].", False),
        (DESK, "It costs 0 EUR [1].", False),
        (DESK, "There are 30 percent off [1].", False),
        (DESK, "You get 15 days [1].", False),
        (DESK, "It takes 30 minutes [1].", False),
        (DESK, "It holds from the 15th [1].", True),
        (DESK, "It has been so since 2026 [1].", True),
        (DESK, "It closes at 17 [1].", True),
        (DESK, "Fecha às 17h [1].", True),
        (DESK, "1月15日から [1]。", True),
        ("It costs 15 EUR. Offers end in January 2026.", "It ends on 15 January 2026 [1].", False),
        ("There are 15 desks. Offers end in January 2026.", "It ends on 15 January 2026 [1].", True),
        ("Offers end in March 2026.", "They end on 3 March 2026 [1].", False),
        ("It closes on 24 December 2025. The plan for 2026 follows.", "It closes on 24 December 2026 [1].", False),
        ("Die Frist endet am 3. Mai 2026. Die Zahlen für 2027 folgen.", "Die Frist endet am 3. Mai 2027 [1].", False),
        ("It runs from 3 January 2026 to the 15th.", "It ends on 15 January 2026 [1].", True),
        ("It costs 9 EUR.", "It opens at 9:00 [1].", False),
        ("It opens at 9, daily.", "It opens at 9:00 [1].", True),
        ("It costs 3.12. Pay at once.", "It costs 3.12 EUR [1].", True),
    ],
)
def test_a_part_of_a_date_or_a_time_is_no_amount(text: str, draft: str, known: bool) -> None:
    found = audited(draft, [passage(1, text)], question="What about the desk?", today=TODAY)

    assert known is not bool(found.faults), found.faults


@pytest.mark.parametrize(
    ("text", "draft", "known"),
    [
        ("The grant is half a million euros.", "The grant is 500,000 EUR [1].", True),
        ("The grant is half a million euros.", "The grant is 1,000,000 EUR [1].", False),
        ("The grant is half a million euros.", "The grant is half a million euros [1].", True),
        ("It takes two and a half hours.", "It takes 150 minutes [1].", True),
        ("We have 300 members.", "We have millions of members [1].", False),
        ("We have 7 members.", "We have hundreds of members [1].", False),
        ("We have 7 members.", "We have several thousand members [1].", False),
        ("We have 5 EUR.", "We have thousands of euros [1].", False),
        ("We have millions of members.", "We have millions of members [1].", True),
        ("We have several hundred members.", "We have hundreds of members [1].", True),
        ("Wir haben mehrere tausend Mitglieder.", "Wir haben tausende, mehrere tausend Mitglieder [1].", True),
        ("Wir haben 300 Mitglieder.", "Wir haben Millionen von Mitgliedern [1].", False),
        ("Wir zahlen 2,5 Mio. EUR.", "Wir zahlen zweieinhalb Millionen EUR [1].", True),
        ("It takes two and a half hours.", "It takes an hour and a half [1].", False),
        ("It takes a year and a half.", "It takes 2 years [1].", False),
        ("It takes two and a half hours.", "It takes 3 hours [1].", False),
        ("Es dauert anderthalb Stunden.", "Es dauert 2 Stunden [1].", False),
        ("Dura 3 horas e meia.", "Dura 4 horas [1].", False),
        ("Exactly 20.8333 % agreed.", "21 % agreed [1].", True),
        ("Your bill changes: -10 EUR.", "You receive a refund of 10 EUR [1].", True),
        ("Ihre Rechnung ändert sich: -10 EUR.", "Die Gutschrift beträgt 10 EUR [1].", True),
        ("Staff get 30 days and a half day on Christmas Eve.", "Staff get 31 days [1].", False),
        ("It takes 30 minutes.", "It takes half an hour [1].", True),
        ("The term is six months.", "The term is half a year [1].", True),
        ("The term is 1.5 years.", "The term is 18 months [1].", True),
        ("It closes at 4.30 pm.", "It closes at 16:30 [1].", True),
        ("Store it at -5 °C.", "Store it at -5 °C [1].", True),
        ("Store it at −5 °C.", "Store it at minus five degrees [1].", True),
        ("Store it at -5 °C.", "Store it five degrees below zero [1].", True),
        ("Store it at -5 °C.", "Store it at 5 °C [1].", False),
        ("Store it at 5 °C.", "Store it at -5 degrees [1].", False),
        ("Revenue changed by -15 %.", "Revenue changed by 15 % [1].", False),
        ("Revenue changed by -15 %.", "Revenue fell by 15 % [1].", True),
        ("The offer: **-15 %** on books.", "Books have a discount of 15 % [1].", True),
        ("Die Temperatur beträgt –15 Grad.", "Die Temperatur beträgt 15 Grad [1].", False),
        ("Auf Bücher gibt es 15 % Rabatt.", "Bücher: -15 % [1]", True),
        ("A night costs 15 -20 EUR.", "A night costs up to 20 EUR [1].", True),
        ("- 15 EUR for children\n-20 EUR for adults", "Adults pay 20 EUR [1].", True),
    ],
)
def test_halves_and_signs_are_compared(text: str, draft: str, known: bool) -> None:
    found = audited(draft, [passage(1, text, language=language_of(text))], question="What is it?", today=TODAY)

    assert known is not bool(found.faults), found.faults


COMMISSION = passage(5, "| Plan | R2 | R3 |\n|---|---|---|\n| Price | 189 EUR | 259 EUR |\n| Wi-Fi | 6 | 7 |")


@pytest.mark.parametrize(
    "draft",
    [
        "For 259 EUR − 189 EUR = 70 EUR more there is the newer Wi-Fi [1].",
        "Wi-Fi rises from 6 to 7, the price from 189 EUR to 259 EUR [1].",
    ],
)
def test_rows_of_other_units_are_no_other_rows(draft: str) -> None:
    assert [] == audited(draft, [COMMISSION], question="R2 or R3?", today=TODAY).faults


def test_a_step_of_a_right_sum_needs_no_source_of_its_own() -> None:
    discount = passage(6, "Team costs 29 EUR. Charities get 40 percent off.")

    right = audited("0.60 × 29 EUR = 17.40 EUR [1].", [discount], today=TODAY)
    wrong = audited("0.60 × 29 EUR = 18.40 EUR [1].", [discount], today=TODAY)
    foreign = audited("0.60 × 31 EUR = 18.60 EUR [1].", [discount], today=TODAY)

    assert ([], True, True) == (right.faults, bool(wrong.faults), bool(foreign.faults))


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("Days are requested 30 days in advance. They expire on 31 March 2027.", "They expire on 30 April 2027 [1]."),
        ("Support closes at 17:00. Replies come within 2 hours.", "Support closes at 19:00 [1]."),
        ("The bonus is 500 EUR.", "The bonus is 900 EUR: 500 + 400 = 900 EUR [1]."),
    ],
)
def test_what_only_may_follow_is_told_to_the_validator(text: str, draft: str) -> None:
    found = audited(draft, [passage(20, text)], question="How much, and until when?", today=TODAY)

    assert found.faults or any(doubt.startswith("Reckoned, not said") for doubt in found.doubts)


def test_a_day_near_today_follows_only_if_days_are_named_from_today() -> None:
    closing = passage(8, "The office closes on 5 May.")

    assert audited("It closes on 28 November [1].", [closing], question="When does it close?", today=TODAY).faults


@pytest.mark.parametrize(
    ("text", "draft", "known"),
    [
        ("The tool needs Python 3.12 or newer.", "It needs Python 3.12. [1]", True),
        ("The tool needs Python 3.12. Install it first.", "You need 3.12 for the tool [1].", True),
        ("Die Frist endet am 3.12. um zwölf.", "Frist: 3. Dezember [1].", True),
        ("The tool needs Python 3.11 or newer.", "It needs Python 3.12. [1]", False),
        ("The tool needs Python 3.11. Install it first.", "You need 3.12 for the tool [1].", False),
    ],
)
def test_a_version_at_the_end_of_a_sentence_is_no_day(text: str, draft: str, known: bool) -> None:
    found = audited(draft, [passage(1, text)], question="Which version?", today=TODAY)

    assert known is not bool(found.faults), found.faults
