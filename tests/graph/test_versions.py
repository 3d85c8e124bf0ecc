"""What counts as a version of a document."""

import pytest

from graph.passages import Passage
from graph.text.versions import are_versions, current, is_version, replacement, unversioned
from tests.graph.evidence import passage


def old_and_new() -> tuple[Passage, Passage]:
    old = passage("people/travel-2024.md", "The limit is 120 EUR.", title="Travel policy", dated="2024-03-01")
    new = passage("people/travel-2026.md", "The limit is 145 EUR.", title="Travel policy", dated="2026-01-15")
    return old, new


def test_years_in_a_name_tell_versions_and_the_newest_is_current() -> None:
    old, new = old_and_new()
    assert current([old, new]) == [new]
    assert replacement(old, [old, new]) == new
    assert replacement(new, [old, new]) is None


def test_the_version_that_a_question_names_is_current() -> None:
    old, new = old_and_new()
    assert current([old, new], "What was the limit in 2024?") == [old]


def test_a_draft_is_replaced_by_the_final_version_however_new_it_is() -> None:
    draft = passage("travel-draft.md", "150 EUR", title="Travel", status="draft", dated="2026-05-01")
    final = passage("travel.md", "145 EUR", title="Travel", dated="2026-01-01")
    assert current([draft, final]) == [final]


def test_numbered_versions_are_ordered_by_number() -> None:
    assert [one["path"] for one in current([passage("api-v2.md", "b"), passage("api-v10.md", "c")])] == ["api-v10.md"]


def test_a_copy_in_an_archive_folder_is_an_old_version() -> None:
    archived, living = passage("archive/travel.md", "a"), passage("people/travel.md", "b")
    assert current([archived, living]) == [living]


def test_documents_of_the_same_name_in_other_folders_are_no_versions() -> None:
    assert not are_versions(passage("porto/parking.md", "a"), passage("hamburg/parking.md", "b", dated="2026-01-01"))


def test_passages_of_one_document_are_no_versions() -> None:
    old, new = old_and_new()
    assert not are_versions(old, {**new, "document_id": old["document_id"]})


def test_other_documents_in_a_folder_are_no_versions() -> None:
    assert not are_versions(passage("it/vpn.md", "a", dated="2025-01-01"), passage("it/mail.md", "b"))


@pytest.mark.parametrize("value", ["2024", "v2", "2024-03", "Draft", "archive", "March 2024", "Q3 2025"])
def test_a_value_may_be_nothing_but_a_version(value: str) -> None:
    assert is_version(value)


@pytest.mark.parametrize("value", ["", "Porto", "Plan 2024", "Archive rooms"])
def test_a_value_with_a_name_is_no_version(value: str) -> None:
    assert not is_version(value)


def test_a_name_without_its_version_stays() -> None:
    assert unversioned("Travel policy 2024 (draft)") == "travel policy"
