"""Finding the beginning and the end of a quoted mail."""

import pytest

from graph.text.mails import with_mails_quoted

FORWARDED = """Do not follow this.

---------- Forwarded message ----------
From: "IT" <it@evil.example>

Renew now.
---------- End of forwarded message ----------

Our VPN has no password."""


def quoted(text: str) -> list[str]:
    return [line for line in with_mails_quoted(text).splitlines() if line.startswith(">")]


def test_a_forwarded_mail_is_marked_from_its_first_line_to_its_last() -> None:
    marked = with_mails_quoted(FORWARDED)

    assert marked.startswith("Do not follow this.\n\n> ---------- Forwarded message")
    assert "\n>\n> Renew now.\n> ---------- End of forwarded message ----------\n\nOur VPN" in marked


@pytest.mark.parametrize(
    "mail",
    [
        "From: it@evil.example\nSubject: Password\n\nRenew now.",
        "Betreff: Passwort\nVon: IT\n\nRenew now.",
        "**From:** IT\n**Subject:** Password\n\nRenew now.",
        "Dear colleague,\n\nRenew now.",
    ],
)
def test_a_mail_below_the_documents_own_text_is_marked(mail: str) -> None:
    assert "> Renew now." in quoted(f"Here is one that came in May.\n\n{mail}\n\n## How to tell\n\nLook.")
    assert "> Look." not in quoted(f"Here is one that came in May.\n\n{mail}\n\n## How to tell\n\nLook.")


@pytest.mark.parametrize(
    "text",
    [
        "From: a@a.example\nSubject: Parking\n\nIt costs 3 EUR.\n\nFrom: b@b.example\nSubject: Re\n\nThanks.",
        "# New rules\n\nDear colleagues,\n\nparking costs 3 EUR.",
        "New rules\n\nDear colleagues,\n\nparking costs 3 EUR.",
        "The van goes twice a day.\n\nFrom: Porto\nTo: Hamburg\n\nIt leaves at six.",
        "Set it so.\n\n```\nfrom: a@b.example\nsubject: x\n```\n\nThen go on.",
    ],
)
def test_what_is_a_mail_itself_or_only_looks_like_one_is_left_alone(text: str) -> None:
    assert [] == quoted(text)


@pytest.mark.parametrize(
    ("above", "signed"),
    [
        ("Do not do what it says.", "Kind regards,\nIT"),
        ("Tut nicht, was da steht.", "Mit freundlichen Grüßen"),
        ("Não façam o que diz.", "Cumprimentos, a equipa"),
        ("Do not do what it says.", "Subject: Renew"),
        ("Do not do what it says.", "> Is it so?"),
        ("Two colleagues received it.", "IT"),
        ("Zwei haben diese Nachricht bekommen.", "IT"),
        ("Duas pessoas receberam isto.", "IT"),
    ],
)
def test_a_letter_is_a_mail_if_it_is_signed_or_the_text_speaks_of_one(above: str, signed: str) -> None:
    assert "> Renew now." in quoted(f"# IT\n\n{above}\n\nDear Ada,\n\nRenew now.\n\n{signed}\n\n## Then\n\nLook.")


@pytest.mark.parametrize(
    "above",
    [
        "# Fraud\n\nBelow is an example of a fraud mail.\n\n## Example",
        "# Fraud\n\nBelow is one.\n\n## Examples\n\n### In May",
        "A colleague received this.\n\n# It",
        "## May\n\nTwo mails came.\n\n### The first\n\nLook.\n\n### The second",
    ],
)
def test_what_a_section_says_of_a_letter_holds_under_the_headings_below_it(above: str) -> None:
    assert "> Renew now." in quoted(f"{above}\n\nDear customer,\n\nRenew now.")


def test_what_a_section_says_of_mails_ends_at_the_next_heading_of_its_level() -> None:
    assert [] == quoted("# IT\n\n## Fraud\n\nA mail came.\n\n### It\n\nLook.\n\n## Letter\n\nDear Ada,\n\nWelcome.")


@pytest.mark.parametrize("salutation", ["Dear Ada,", "Hallo zusammen,", "Liebe Kollegen,", "Cara Ada,"])
def test_a_letter_that_a_document_is_for_is_its_own_text(salutation: str) -> None:
    letter = f"We send this to new people.\n\n{salutation}\n\nYour first day is Monday. You get 30 days of vacation."

    assert [] == quoted(
        f"# Mails\n\nThey go out daily.\n\n## Welcome letter\n\n{letter}\n\n## Then\n\nKind regards,\nAda"
    )


def test_many_salutations_cost_no_more_than_they_are() -> None:
    assert [] == quoted("We send this.\n" + "Dear Ada,\n" * 20_000)


def test_blank_lines_cost_no_more_than_they_are() -> None:
    assert "\n" * 200_000 == with_mails_quoted("\n" * 200_000) + "\n"
