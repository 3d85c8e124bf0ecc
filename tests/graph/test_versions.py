"""What counts as a version of a document."""

import pytest

from graph.documents.versions import are_versions, current, is_version, replacement, unversioned
from graph.passages import Passage
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


@pytest.mark.parametrize(
    ("one", "other"),
    [("Shift 1", "Shift 2"), ("Grade 3", "Grade 4"), ("Level 1 support", "Level 2 support"), ("Hall 12", "Hall 13"),
     ("Legacy systems", "Systems"), ("Old town office", "Town office"), ("New employees", "Employees"),
     ("Janet", "Mark"), ("Sepa transfers", "Transfers"), ("Opening hours March", "Opening hours April"),
     ("Bonus Q1", "Bonus Q2"), ("Shift 1 2026", "Shift 2 2026"), ("Archived projects", "Projects"),
     ("Interview Mayo 2024", "Interview Julio 2024")],
)  # fmt: skip
def test_two_things_are_no_versions_of_one(one: str, other: str) -> None:
    paths = [f"work/{title.lower().replace(' ', '-')}.md" for title in (one, other)]
    passages = [
        passage(paths[0], "It begins at 6.", title=one, dated="2025-01-01"),
        passage(paths[1], "It begins at 14.", title=other, dated="2026-01-01"),
    ]
    assert current(passages) == passages


def test_numbered_folders_and_files_are_no_versions_though_their_titles_are_the_same() -> None:
    sites = [passage(f"site/{n}/parking.md", f"Gate {n}.", title="Parking", dated=f"2025-01-0{n}") for n in (1, 2)]
    shifts = [passage(f"work/shift-{n}.md", f"At {n}.", title="Shift", dated=f"2025-01-0{n}") for n in (1, 2)]

    assert current(sites) == sites
    assert current(shifts) == shifts


@pytest.mark.parametrize(
    ("one", "other"),
    [("Operations meeting, 11 February 2026", "Operations meeting, 20 May 2026"),
     ("Meeting notes 2026-02-11", "Meeting notes 2026-05-20"), ("Release notes 2025", "Release notes 2026"),
     ("Minutes of the board 2025-11", "Minutes of the board 2026-01"),
     ("Post-mortem 2026-03-01", "Post-mortem 2026-04-02"),
     ("Protokoll der Betriebsversammlung 2025", "Protokoll der Betriebsversammlung 2026"),
     ("Teamsitzung, 3. März 2026", "Teamsitzung, 10. März 2026"), ("Wochenbericht 2026-03", "Wochenbericht 2026-04"),
     ("Ata da reunião 2025-03", "Ata da reunião 2025-09"), ("Newsletter June 2026", "Newsletter July 2026"),
     ("Report for March 2026", "Report for April 2026"),
     ("Meeting of the board 2026-01", "Meeting of the board 2026-02"),
     ("Release notes v2.1", "Release notes v2.2"), ("News of the desk app, v2.1", "News of the desk app, v2.2"),
     ("What's new in version 3", "What's new in version 4"), ("Changelog v1", "Changelog v2"),
     ("Release notes for the app, v3", "Release notes for the app, v4"),
     ("Neuerungen in Version 2.1", "Neuerungen in Version 2.2"), ("Novidades v2.1", "Novidades v2.2")],
)  # fmt: skip
def test_what_is_written_of_two_days_is_no_version_of_one(one: str, other: str) -> None:
    passages = [passage(f"team/{name.lower()}.md", "We decided.", title=name) for name in (one, other)]
    assert current(passages) == passages


def test_the_folder_may_say_that_its_documents_are_of_their_days() -> None:
    days = [
        passage(f"minutes/{day}-operations.md", "So.", title="Operations", dated=day)
        for day in ("2026-02-11", "2026-05-20")
    ]
    rules = [
        passage(f"rules/{day}-operations.md", "So.", title="Operations", dated=day)
        for day in ("2026-02-11", "2026-05-20")
    ]

    years = [passage(f"minutes/{year}/operations.md", "So.", title="Operations") for year in ("2025", "2026")]

    assert current(days) == days
    assert current(years) == years
    assert current(rules) == rules[1:]


@pytest.mark.parametrize(
    "name",
    ["Meeting room policy", "Reporting line", "Product catalog", "Customer data", "Footnotes", "Writing a blog",
     "Berichtswesen", "Protokollvorlage", "Rules for meetings", "Handling of delivery notes", "Notes for drivers",
     "Log in to the VPN", "Report a bug", "How to report", "Leitfaden für Berichte", "Política de reuniões",
     "Newsroom rules", "Release policy"],
)  # fmt: skip
def test_what_only_speaks_of_minutes_and_reports_has_versions(name: str) -> None:
    old, new = (passage(f"team/{name.lower()}-{year}.md", name, title=f"{name} {year}") for year in (2024, 2026))
    assert current([old, new]) == [new]


@pytest.mark.parametrize("name", ["Annual report", "Meeting notes", "Press release", "News policy", "What is covered"])
@pytest.mark.parametrize("folder", ["team", "releases", "news"])
def test_two_numbered_versions_of_a_report_are_no_news_of_two_releases(name: str, folder: str) -> None:
    first, second = (passage(f"{folder}/one-v{n}.md", "So.", title=f"{name} v{n}") for n in (1, 2))
    assert current([first, second]) == [second]


@pytest.mark.parametrize("name", ["Meeting notes 2026-02-11", "Annual report"])
def test_a_draft_of_minutes_is_replaced_though_it_was_saved_on_another_day(name: str) -> None:
    draft, final = (
        passage(f"team/{title.lower()}.md", "We decided.", title=title, dated=dated)
        for title, dated in ((f"{name} (draft)", "2026-02-12"), (name, "2026-02-19"))
    )
    assert current([draft, final]) == [final]


@pytest.mark.parametrize(
    ("older", "newer"),
    [("Travel policy v2", "Travel policy v3"), ("Travel policy rev 2", "Travel policy rev 3"),
     ("Travel policy version 1.9", "Travel policy version 1.10"), ("Travel policy 2024", "Travel policy 2026"),
     ("Travel policy (March 2025)", "Travel policy (April 2025)"), ("Travel policy (old)", "Travel policy"),
     ("Travel policy, 3. März 2025", "Travel policy, 15. März 2025"), ("DRAFT: Travel policy", "Travel policy"),
     ("Travel policy - archived", "Travel policy - new"), ("Travel policy 03.2025", "Travel policy 12.2025"),
     ("Travel policy (old version)", "Travel policy"), ("Entwurf: Reisen", "Reisen"),
     ("Meals Q1 2025", "Meals Q2 2025")],
)  # fmt: skip
def test_a_mark_tells_the_versions_of_a_document_apart(older: str, newer: str) -> None:
    old, new = (passage(f"people/{name.lower()}.md", name, title=name) for name in (older, newer))
    assert current([old, new]) == [new]


def test_documents_of_the_very_same_title_are_versions_if_their_dates_differ() -> None:
    old = passage("people/travel.md", "120 EUR", title="Travel policy", dated="2024-01-01")
    new = passage("people/business-trips.md", "145 EUR", title="Travel policy", dated="2026-01-01")
    assert current([old, new]) == [new]


def test_a_question_may_name_the_month_or_only_the_year_of_a_version() -> None:
    old, new = (passage(f"meals-{month}.md", "Soup.", title="Meals") for month in ("2025-03", "2026-01"))
    for question in ("What was there in March 2025?", "What was there in 2025?"):
        assert current([old, new], question) == [old]


@pytest.mark.parametrize(
    "value", ["2024", "v2", "2024-03", "Draft", "archive", "March 2024", "Q3 2025", "June 5th, 2024"]
)
def test_a_value_may_be_nothing_but_a_version(value: str) -> None:
    assert is_version(value)


@pytest.mark.parametrize(
    "value",
    ["", "Porto", "Plan 2024", "Archive rooms", "1", "12", "March", "Decimal", "Janet", "Sepa", "Novell", "Q1"],
)
def test_a_value_with_a_name_is_no_version(value: str) -> None:
    assert not is_version(value)


def test_a_name_without_its_version_stays() -> None:
    assert unversioned("Travel policy 2024 (draft)") == "travel policy"


def decision(number: int, title: str, **more: str) -> Passage:
    return passage(
        f"adr/{number:04}-{title.lower().replace(' ', '-')}.md", title, title=f"ADR {number}: {title}", **more
    )


NEW = decision(16, "Ovens of clay")


@pytest.mark.parametrize(
    "given",
    [
        {"status": "superseded by ADR 16"},
        {"status": "Superseded by ADR-0016."},
        {"status": "superseded by [clay](../adr/0016-ovens-of-clay.md)"},
        {"status": "ersetzt durch ADR 16: Ovens of clay"},
        {"superseded_by": "0016"},
    ],
)
def test_a_document_is_replaced_by_the_one_that_it_names(given: dict[str, str]) -> None:
    old, other = decision(12, "Ovens of steel", **given), decision(160, "Ovens of gold")

    assert [other, NEW] == current([old, other, NEW], "Which ovens are bought?")


@pytest.mark.parametrize("question", ["Is ADR 12 still valid?", "Why did we buy ovens of steel?"])
def test_a_replaced_document_stays_if_a_question_is_for_it(question: str) -> None:
    old = decision(12, "Ovens of steel", status="superseded by ADR 16")

    assert [old, NEW] == current([old, NEW], question)


@pytest.mark.parametrize(
    ("by", "path", "title"),
    [
        ("ADR 16", "bakery/0016-lamps.md", "ADR 16: Lamps"),
        ("[lamps](0016/README.md)", "bakery/README.md", "ADR 16: Lamps"),
        ("[lamps](https://a.example/0016/README.md)", "bakery/README.md", "ADR 16: Lamps"),
        ("Travel", "adr/travel-2019.md", "Travel in the year of the oven"),
    ],
)
def test_a_document_of_another_place_or_a_longer_title_replaces_nothing(by: str, path: str, title: str) -> None:
    old, other = decision(12, "Ovens of steel", status=f"superseded by {by}"), passage(path, title, title=title)

    assert [old, other] == current([old, other], "What is bought?")


def test_a_replaced_document_may_stand_in_a_folder_of_its_own() -> None:
    old = passage("adr/old/12.md", "Steel.", title="ADR 12: Steel", status="superseded by ADR 16")

    assert [NEW] == current([old, NEW], "Which ovens are bought?")


def test_without_the_document_that_replaces_it_one_stays() -> None:
    old = decision(12, "Ovens of steel", status="superseded by ADR 17")

    assert [old, NEW] == current([old, NEW], "Which ovens are bought?")
