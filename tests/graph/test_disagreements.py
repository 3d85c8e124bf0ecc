"""Two drafts are compared by what they claim, not by their words."""

import pytest

from graph.answer.disagreements import disagreements

OFFICES = "Porto has 25 days. In Hamburg it is 30 days. Ada approves it. Ben pays it. All employees know."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is 25 days [1].", "You get 30 days off [2]."),
        ("The limit is 145 EUR [1].", "A night may cost up to 154 EUR [1]."),
        ("The limit is 145 EUR [1].", "The limit is 145 USD [1]."),
        ("It takes 25 days [1].", "It takes 25 hours [1]."),
        ("It needs 2 managers [1].", "It needs 3 managers [1]."),
        ("Use port 8443 for the gateway [1].", "The gateway uses port 8080 [1]."),
        ("It closes at 17:00 [1].", "It closes at 6 pm [1]."),
        ("It is due on 3 March 2026 [1].", "It is due on 4 March [1]."),
        ("Ada approves it [1].", "Ben approves it [1]."),
        ("Ask Ada Lovelace about it [1].", "Ask Bob Smith about it [1]."),
        ("Travel is approved by Maria Silva [1].", "Pedro Costa: travel is approved by Pedro Costa [1]."),
        ("You may work from abroad [1].", "You may not work from abroad [1]."),
        ("Yes [1].", "No [1]."),
        ("Es sind 25 Tage [1].", "Man bekommt 30 Tage [1]."),
        ("Es ist erlaubt, im Ausland zu arbeiten [1].", "Es ist nicht erlaubt, im Ausland zu arbeiten [1]."),
        ("- Porto: 25 days [1]\n- Hamburg: 30 days [2]", "- Porto: 30 days [1]\n- Hamburg: 25 days [2]"),
        ("It is 25 days [1].", ""),
    ],
)
def test_other_values_names_units_and_negations_disagree(one: str, other: str) -> None:
    assert disagreements(one, other, evidence=OFFICES)
    if other:
        assert disagreements(other, one, evidence=OFFICES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is 25 days [1].", "Employees have 25 days of leave every year [1]."),
        ("The limit is 145 EUR [1].", "A night may cost up to EUR 145.00 [1]."),
        ("Notice is 2 weeks [1].", "You give notice of 14 days [1]."),
        ("It closes at 17:00 [1].", "The office closes at 5 pm [1]."),
        ("It is due on 3 March 2026 [1].", "It is due on 3 March [1]."),
        ("Employees get 25 days [1].", "Everyone gets 25 days [1]."),
        ("Ada approves it [1].", "It has to be approved by Ada [1]."),
        ("Contact Ada [1].", "Ask Ada [1]."),
        ("Porto has 25 days [1]. Hamburg has 30 days [2].", "In Hamburg you have 30 days [2], in Porto 25 [1]."),
        ("You have 25 days [1]. Five carry over until 31 March [1].", "It is 25 days [1]. Two more after 3 years [2]."),
        ("It is 25 days [1].", "It is 25 days [2][3]."),
        ("You may not work from abroad [1]. You may work abroad [2].", "You may not work from abroad [1]."),
        ("", ""),
    ],
)
def test_other_words_orders_citations_and_details_do_not(one: str, other: str) -> None:
    assert [] == disagreements(one, other, evidence=OFFICES)
    assert [] == disagreements(other, one, evidence=OFFICES)


@pytest.mark.parametrize(
    "draft",
    [
        "Porto has 25 days [1]. Hamburg has 30 days [2].",
        "You may work from abroad [1]. You may not work from abroad [2].",
        "Team support: weekdays from 8:00 to 20:00 [1].\n\nPublic line: weekdays from 9:00 to 17:30 [2].",
        "Yes, for Porto [1]. No, for Hamburg [2].",
    ],
)
def test_a_draft_never_disagrees_with_itself(draft: str) -> None:
    assert [] == disagreements(draft, draft, evidence=OFFICES)


def test_it_names_both_statements_without_citations() -> None:
    assert ["It is 25 days. / It is 30 days."] == disagreements("It is 25 days [1].", "It is 30 days [2].")
