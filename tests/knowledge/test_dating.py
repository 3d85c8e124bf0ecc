"""A document's date is what it says itself."""

import pytest

from bot.knowledge.dating import date_of


@pytest.mark.parametrize(
    ("attributes", "path", "text", "expected"),
    [
        ({"date": "2024-02-03"}, "2023-01-01.md", "", "2024-02-03"),
        ({"updated": "2025-06-07", "date": "2024-02-03"}, "a.md", "", "2025-06-07"),
        ({}, "minutes/2023-11-05-board.md", "", "2023-11-05"),
        ({}, "a.md", "Last updated: 3 May 2024 by Ana.", "2024-05-03"),
        ({}, "a.md", "Effective March 9, 2025.", "2025-03-09"),
        ({}, "a.md", "The party is on 2025-12-24.", None),
        ({}, "a.md", "Updated 2024-02-31.", None),
        ({"date": "soon"}, "a.md", "", None),
    ],
)
def test_a_document_is_dated(attributes: dict[str, str], path: str, text: str, expected: str | None) -> None:
    assert date_of(attributes, path, text) == expected
