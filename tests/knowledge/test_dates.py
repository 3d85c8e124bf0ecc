"""A document's date is the document's own."""

import pytest

from bot.knowledge.dates import date_of, is_contradicted
from bot.knowledge.read import parse_document


@pytest.mark.parametrize(
    ("attributes", "path", "text", "expected"),
    [
        ({"date": "2024-02-03"}, "2023-01-01.md", "", "2024-02-03"),
        ({"updated": "2025-06-07", "date": "2024-02-03"}, "a.md", "", "2025-06-07"),
        ({}, "minutes/2023-11-05-board.md", "", "2023-11-05"),
        ({}, "a.md", "Last updated: 3 May 2024 by Ana.", "2024-05-03"),
        ({}, "a.md", "Effective March 9, 2025.", "2025-03-09"),
        ({}, "a.md", "The party is on 2025-12-24.", None),
        ({}, "a.md", "Valid until 31 December 2027.", None),
        ({}, "a.md", "Valid from 1 May to 30 September 2026. Printed 27 February 2026.", "2026-02-27"),
        ({}, "a.md", "Valid 2026-01-01 to 2026-12-31", "2026-01-01"),
        ({}, "a.md", "Valid 1 May – 30 September 2026", None),
        ({}, "a.md", "Reviewed and sent to all on 3 March 2026", "2026-03-03"),
        ({}, "a.md", "Updated 2024-02-31.", None),
        ({}, "a.md", "Last updated – 2026-01-15", "2026-01-15"),
        ({}, "a.md", "Updated - 12 March 2026", "2026-03-12"),
        ({}, "a.md", "Last updated (v2) — 12 March 2026", "2026-03-12"),
        ({}, "a.md", "Valid 1 May — 30 September 2026", None),
        ({}, "a.md", "Valid May 1 - September 30, 2026", None),
        ({}, "a.md", "Valid 2026-01-01 - 2026-12-31", "2026-01-01"),
        ({}, "a.md", "Dated 2026-02-30, reprinted 2026-03-01", "2026-03-01"),
        ({}, "a.md", "Updated 12 March 2026, next on 2027-03-12", "2026-03-12"),
        ({}, "a.md", "Updated 2024/05/03", "2024-05-03"),
        ({}, "minutes-20240503.md", "", "2024-05-03"),
        ({}, "2024/05/03.md", "", "2024-05-03"),
        ({}, "order-1202405031.md", "", None),
        ({}, "release-3.1.24.md", "", None),
        ({"date": "soon"}, "a.md", "", None),
    ],
)
def test_a_document_is_dated(attributes: dict[str, str], path: str, text: str, expected: str | None) -> None:
    assert date_of(attributes, path, text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Stand: 12. März 2025", "2025-03-12"),
        ("de", "Gültig ab 1. Jänner 2025", "2025-01-01"),
        ("de", "Gültig vom 1.5.2026 bis zum 30.9.2026", "2026-05-01"),
        ("de", "Gültig bis 31. Dezember 2027", None),
        ("pt", "Válido até 31 de dezembro de 2027", None),
        ("de", "Zuletzt aktualisiert am 12.03.2025", "2025-03-12"),
        ("pt", "Atualizado em 3 de maio de 2024", "2024-05-03"),
        ("pt", "Em vigor: 02/03/2025", "2025-03-02"),
        ("es", "Última actualización: 1 de septiembre de 2025", "2025-09-01"),
        ("fr", "Mis à jour le 1er août 2025", "2025-08-01"),
        ("it", "Aggiornato il 4 maggio 2024", "2024-05-04"),
        ("nl", "Bijgewerkt op 4 mei 2024", "2024-05-04"),
        ("en", "Stand: 12. März 2025", "2025-03-12"),
        ("en", "Updated Sept 4th, 2025", "2025-09-04"),
        ("en", "Updated 02/03/2025", None),
        ("de", "Stand – 01.02.2026", "2026-02-01"),
        ("de", "Stand 1. 2. 2026", "2026-02-01"),
        ("en", "Updated 15/01/2026", "2026-01-15"),
        ("en", "Updated 01/15/2026", "2026-01-15"),
        ("en", "Updated 03/03/2026", "2026-03-03"),
        ("de", "Wir feiern am 12. März 2025", None),
        ("de", "Stand: 31. Februar 2025", None),
    ],
)
def test_a_date_is_read_in_the_documents_language(language: str, text: str, expected: str | None) -> None:
    assert date_of({}, "a.md", text, language) == expected


@pytest.mark.parametrize(("language", "month"), [("hr", "10"), ("pl", "11")])
def test_a_month_that_two_languages_call_alike_is_the_documents_own(language: str, month: str) -> None:
    assert date_of({"date": "5. listopada 2024"}, "a.md", "", language) == f"2024-{month}-05"


def test_a_document_in_german_is_dated() -> None:
    text = "# Urlaub\n\nStand: 12. März 2025\n\nAlle Beschäftigten haben Anspruch auf dreißig Tage Urlaub im Jahr.\n"

    assert parse_document("urlaub.md", text.encode()).dated == "2025-03-12"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Version 3, April 2026", True),
        ("Stand: April 2026", True),
        ("Last reviewed in spring 2024", True),
        ("Last reviewed in spring 2023", False),
        ("Valid until 2030", False),
        ("The plan for 2030 is open.", False),
        ("# Leave\n\nStand April 2026", True),
        ("Leave (as of 1 April 2026)", True),
        ("Última atualização: 3 de abril de 2026", True),
        ("Last updated: 2026-04-01", True),
        ("Revision 4.1 (2026)", True),
        ("Version 3 | 01.04.2026", True),
        ("Fassung vom 1. April 2026", True),
        ("Our data strategy 2025", False),
        ("Market data for 2030 are estimates.", False),
        ("We stand by our 2030 goals", False),
        ("Cost-effective heating in 2030", False),
        ("To date, 40 of the 90 planned sites (2030) are open", False),
        ("A valid passport is needed for the 2024 trip", False),
        ("Review date: May 2024", False),
        ("Published in the 2030 Agenda", False),
        ("Version 2 of the Strategy 2030", False),
        ("All our buses are electric as of 2030.", False),
        ("These are our updated 2030 targets", False),
    ],
)
def test_a_text_from_years_after_the_last_save_contradicts_it(text: str, *, expected: bool) -> None:
    assert expected == is_contradicted("2022-05-01", text)
