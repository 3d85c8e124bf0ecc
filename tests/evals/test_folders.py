"""The four folders of documents hold what the evaluation and the demo promise."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
HANDBOOK = HERE.parents[1] / "playground" / "handbook"
CLINIC = HERE / "clinic_notes"
WIKI = HERE / "workshop_wiki"
FERRY = HERE / "ferry_line"


def texts(folder: Path) -> dict[str, str]:
    """Read every document below a folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("folder", "least", "kinds"),
    [(HANDBOOK, 32, {".md", ".txt", ".html"}), (CLINIC, 16, {".txt", ".html"}), (WIKI, 25, {".md", ".html"})],
)
def test_a_folder_has_enough_documents_of_several_kinds(folder: Path, least: int, kinds: set[str]) -> None:
    documents = texts(folder)

    assert len(documents) >= least
    assert kinds == {Path(path).suffix for path in documents}


@pytest.mark.parametrize("word", ["title", "owner", "date"])
def test_every_document_of_the_handbook_says_what_it_is(word: str) -> None:
    assert [] == [
        path
        for path, text in texts(HANDBOOK).items()
        if not re.search(rf"^{word}: \S|\b{word}\b.*>", text, re.MULTILINE)
    ]


def test_the_address_of_a_handbook_document_is_its_path() -> None:
    strayed = [
        path
        for path, text in texts(HANDBOOK).items()
        if f"https://handbook.lumenpine.example/{path.rsplit('.', 1)[0]}" not in text
    ]

    assert [] == strayed


def test_the_notes_of_the_clinic_have_no_front_matter() -> None:
    assert [] == [path for path, text in texts(CLINIC).items() if text.startswith("---")]


def test_the_wiki_lies_flat_with_a_date_in_each_name() -> None:
    assert [] == [path for path in texts(WIKI) if not re.fullmatch(r"20\d\d-\d\d-\d\d_[a-z-]+\.(?:md|html)", path)]


@pytest.mark.parametrize("folder", [HANDBOOK, CLINIC, WIKI, FERRY])
def test_every_link_and_mail_address_is_reserved_for_examples(folder: Path) -> None:
    hosts = {host for text in texts(folder).values() for host in re.findall(r"(?:https?://|\w@)([\w.-]+\w)", text)}

    assert [] == sorted(host for host in hosts if not host.endswith(".example"))


def test_some_documents_are_long_and_some_are_in_other_languages() -> None:
    handbook = texts(HANDBOOK).values()

    assert sum(len(text.split()) >= 1500 for text in handbook) >= 2
    assert sum("language: de" in text for text in handbook) >= 2
    assert sum("language: pt" in text for text in handbook) >= 2


def test_one_document_attacks_its_reader() -> None:
    hostile = texts(HANDBOOK)["it/mail-of-the-month.txt"]

    assert all(
        bait in hostile for bait in ("ignore previous instructions", "<!channel>", "<@U", "https://evil.example")
    )
