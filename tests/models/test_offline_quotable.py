"""The parts of a passage that may be an answer."""

import pytest

from bot.models.offline.writing.quotable import (
    condemns,
    is_furniture,
    is_question,
    is_record,
    is_title,
    is_update,
    shows_bad,
    wants_record,
    wants_update,
)
from bot.models.offline.writing.writer import quoted
from tests.graph.evidence import passage


@pytest.mark.parametrize("text", ["Who has a key?", "**Who has a key?**", "“Who has a key?”"])
def test_a_question_is_one_whatever_its_marks(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text", ["ANAESTHESIA: CATS Fernhill Veterinary Clinic, theatre team", "VPN SETUP", "Parking Rules"]
)
def test_a_line_that_only_names_is_a_title(text: str) -> None:
    assert is_title(text)


@pytest.mark.parametrize(
    "text",
    [
        "VPN and MFA setup is done by the IT desk in room 12",
        "I think I can go",
        "Parking: 40 EUR",
        "Parking costs 40 EUR",
        "Parking Is Free.",
        "Desk 12, Room 4",
        "A NASA badge opens the lab",
    ],
)
def test_a_line_that_says_something_is_none(text: str) -> None:
    assert not is_title(text)


@pytest.mark.parametrize(
    "text",
    ["Back to top", "↑ Back to top", "Table of contents", "[Prices](#prices)",
     "Skip to content", "We use cookies to improve this page.", "Accept all cookies", "Home > IT > VPN",
     "News | Offices | Contact", "2.1 Parking ........ 14", "© 2026 Lumen & Pine", "All rights reserved.",
     "Page 3 of 12", "Was this page helpful?",
     "Nach oben", "Voltar ao topo", "![Map](map.png)", "<!-- hidden -->"],
)  # fmt: skip
def test_what_surrounds_a_page_is_furniture(text: str) -> None:
    assert is_furniture(text)


@pytest.mark.parametrize(
    "text",
    ["Cookies are in the kitchen.", "The last updated price list counts.", "Go to Settings > Network > VPN.",
     "Settings > Network > VPN", "Mon–Fri 9–17 | Sat 10–12 | Sun closed", "Copyright of what you write stays with you.",
     "Search the drawer first.", "[The form](https://a.example/form)", "Contents are insured up to 500 EUR."],
)  # fmt: skip
def test_what_a_document_says_is_none(text: str) -> None:
    assert not is_furniture(text)


@pytest.mark.parametrize(
    "text",
    ["Version 3, April 2026", "**Version:** 2.1 – 3 May 2026", "v1.4", "Owner: People team", "**Owner:** People team",
     "Version 3, April 2026 · Owner: People team", "Last reviewed in April 2026 by Ana.", "Last updated: 3 May 2026",
     "Next review: May 2027", "State of 1 May 2026.", "Front desk, last looked through in April 2026",
     "Version 3 – Date: 2026-04-01", "Updated 3 May 2026", "Approved by Ana Sousa",
     "Stand: April 2026", "Verantwortlich: Team Personal", "Zuletzt geändert am 3. Mai",
     "Última atualização: 3 de maio de 2026", "Responsável: Equipa de Pessoas", "Versão 2, abril de 2026"],
)  # fmt: skip
def test_a_line_that_only_says_whose_or_from_when_a_document_is_is_a_record(text: str) -> None:
    assert is_record(text)


@pytest.mark.parametrize(
    "text",
    ["Version 3 of the app needs a new phone.", "Owner: the lead decides who that is.", "Updated prices hold from May.",
     "Reviews are in May 2026.", "The owner is the People team.", "Contact: it@lumenpine.example", "Since 3 May 2026",
     "Written notice is needed.", "Date of the party: 3 May 2026", "The last reviewed rule holds.",
     "Date: 2026-04-01", "Datum: 12. Juni 2026", "Data: 3 de maio de 2026", "Reviewed by two engineers.",
     "The pump, last reviewed in May 2026, costs 40 EUR a year.",
     "Parking, last changed 2026: it costs 40 EUR a month.", "Members, last edited by nobody",
     "The lift, last checked in May 2026", "Approved by the head of the team.", "Freigegeben von zwei Personen"],
)  # fmt: skip
def test_what_a_document_says_of_other_things_is_no_record(text: str) -> None:
    assert not is_record(text)


@pytest.mark.parametrize(
    "text", ["Last updated: 3 May 2026", "Updated 3 May 2026", "Zuletzt geändert am 3. Mai", "**Reviewed:** May 2026"]
)
def test_a_line_that_only_says_when_a_document_was_changed_is_an_update(text: str) -> None:
    assert is_update(text)
    assert is_record(text)


@pytest.mark.parametrize(
    "text", ["Version 3, April 2026", "Last updated: 3 May 2026 · Owner: People team", "Last updated prices are valid."]
)
def test_what_says_more_is_no_update(text: str) -> None:
    assert not is_update(text)


@pytest.mark.parametrize(
    "question",
    ["How old is this page?", "When was the policy last changed?", "Is this still reviewed?", "Wie aktuell ist das?",
     "When was the page updated?", "Which revision is this?", "Quando foi atualizado?"],
)  # fmt: skip
def test_a_question_may_ask_when_a_document_was_changed(question: str) -> None:
    assert wants_update(question)
    assert wants_record(question)


@pytest.mark.parametrize(
    "question",
    ["Who runs the service?", "Which team runs it?", "When is the party?", "Wann ist das Fest?", "Wer macht das?",
     "Welche Fassung gilt?", "Welcher Stand ist das?", "De que data é isto?", "Qual é a data?", "Quem manda?"],
)  # fmt: skip
def test_a_question_may_ask_whose_or_from_when_something_is(question: str) -> None:
    assert wants_record(question)
    assert not wants_update(question)


@pytest.mark.parametrize(
    "question",
    ["Where is customer data stored?", "How do I approve an invoice?", "What has changed in the build?",
     "May I use my own laptop?", "Is written notice needed?", "Wo ist der Stand auf der Messe?"],
)  # fmt: skip
def test_a_question_for_something_else_wants_no_record(question: str) -> None:
    assert not wants_record(question)


@pytest.mark.parametrize("text", ["It is a fake.", "Do not click on it.", "A bad example:", "Das ist Betrug."])
def test_bad_things_are_called_so(text: str) -> None:
    assert condemns(text)


def test_a_heading_may_say_that_what_follows_is_bad() -> None:
    assert shows_bad("Example of a phishing mail")
    assert not shows_bad("Example of a good title")
    text = "Renew your VPN password today at https://evil.example."
    assert "" == "".join(
        quoted("How do I renew my VPN password?", [passage("a.md", text, heading="What phishing looks like")])
    )


@pytest.mark.parametrize(
    "verdict",
    ["The paragraph above is an example of a fake mail.", "This is phishing.", "Die Mail oben ist ein Betrug."],
)
@pytest.mark.parametrize("between", ["\n\n", " ", " Click within a day.\n\n"])
def test_what_a_document_calls_bad_below_is_not_quoted_without_that(between: str, verdict: str) -> None:
    text = f"Renew your VPN password by Friday at https://evil.example.{between}{verdict}"

    said = "".join(quoted("How do I renew my VPN password?", [passage("a.md", text)]))

    assert verdict.rstrip(".") in said
