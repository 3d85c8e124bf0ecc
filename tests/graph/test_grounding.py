"""When a passage supports a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.grounding import citations, sentences, support, unsupported_numbers, unwrapped, without_citations
from graph.text.markdown import columns_of

PASSAGE = "Employees in Lisbon receive 25 days of annual leave, and two more after five years."


def test_a_sentence_in_the_passage_s_own_words_is_carried() -> None:
    assert support("In Lisbon, employees receive 25 days of leave [1].", PASSAGE) == 1.0


def test_a_changed_number_is_not_carried_however_much_else_is() -> None:
    assert support("Employees in Lisbon receive 26 days of annual leave [1].", PASSAGE) <= 0.3


def test_a_spelled_number_carries_its_digits() -> None:
    assert unsupported_numbers("You get 2 more after 5 years.", [PASSAGE]) == set()


def test_a_number_may_be_in_any_of_the_texts() -> None:
    assert unsupported_numbers("25 days in 2024", ["25 days", "2024"]) == set()
    assert unsupported_numbers("25 days in 2023", ["25 days", "2024"]) == {"2023"}


@pytest.mark.parametrize(
    ("said", "text", "unsupported"),
    [
        ("The rate is 125 %.", "The rate is 0.125 %.", {"125"}),
        ("It is 3.141.", "It is 3,141.", set[str]()),
        ("It is 0,5 days.", "It is 0.50 days.", set[str]()),
        ("It is 1.5 km.", "It is 1.500 km.", set[str]()),
        ("It is 1.5 EUR.", "It is 1,500 EUR.", {"1.5"}),
        ("It is 1,500 EUR.", "It is 1.5 EUR.", {"1500"}),
        ("It is 1,500.00 EUR.", "It is 1.500 EUR.", set[str]()),
        ("It is 1500 m.", "It is 1.500 m.", set[str]()),
        ("Use 1.8.0.", "Use 1.8.1.", {"1.8.0"}),
        ("It is in room R13.", "It is in room R12.", {"13"}),
    ],
)
def test_a_number_is_supported_in_any_of_its_readings(said: str, text: str, unsupported: set[str]) -> None:
    assert unsupported == unsupported_numbers(said, [text])


def test_citations_are_not_numbers_to_support() -> None:
    assert unsupported_numbers("25 days [3].", [PASSAGE]) == set()


def test_other_words_are_not_carried() -> None:
    assert support("The cafeteria serves lunch.", PASSAGE) == 0.0


def test_a_sentence_without_content_needs_no_support() -> None:
    assert support("Yes, it is.", PASSAGE) == 1.0


def test_citations_are_read_in_order_and_once() -> None:
    assert citations("It opens at six [2][1], and closes [2, 3].") == [2, 1, 3]


def test_a_link_is_no_citation() -> None:
    assert citations("See [1](https://example.org).") == []


def test_a_citation_after_the_full_stop_stays_with_its_sentence() -> None:
    assert sentences("It opens at six. [2] It closes at ten [1].") == ["It opens at six. [2]", "It closes at ten [1]."]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("**No.** On Mondays it is shut [1].", ["**No.**", "On Mondays it is shut [1]."]),
        ("**30 days.** [1] In *Porto* less.", ["**30 days.** [1]", "In *Porto* less."]),
        ("Sie verfallen am **31. März** [1].", ["Sie verfallen am **31. März** [1]."]),
        ("Pay on the **31.** Not earlier.", ["Pay on the **31.**", "Not earlier."]),
        ("**H. Osei**, in the week from 22 July [1].", ["**H. Osei**, in the week from 22 July [1]."]),
    ],
)
def test_emphasis_stays_with_what_it_emphasises(text: str, split: list[str]) -> None:
    assert split == sentences(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ab dem 55. Lebensjahr kommen zwei Tage dazu.",
        "Das Büro liegt im 3. Obergeschoss.",
        "Bahn 2. Klasse, nie Taxi.",
        "Jede 3. Lieferung wird gezählt.",
    ],
)
def test_a_german_ordinal_ends_no_sentence(sentence: str) -> None:
    text = f"Fragen Sie in Zimmer 3. {sentence} Danach ist Schluss."
    assert sentences(text, "de") == ["Fragen Sie in Zimmer 3.", sentence, "Danach ist Schluss."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Rufen Sie die 112.", "Die Feuerwehr kommt sofort."),
        ("Rufen Sie die 112.", "Feuerwehr und Polizei kommen sofort."),
        ("Das Limit ist die 100.", "Danach zahlen Sie 5 EUR."),
        ("Der Bus ist der 38.", "Er fährt um 8."),
        ("Sie finden uns in der 5.", "Dort ist der Empfang."),
        ("Wählen Sie die 3.", "Warten Sie auf den Ton."),
        ("Die Zahl ist 5.", "Platz nehmen."),
    ],
)
def test_a_number_that_counts_nothing_ends_a_german_sentence(first: str, second: str) -> None:
    assert [first, second] == sentences(f"{first} {second}", "de")


def test_list_items_and_table_rows_are_sentences() -> None:
    markdown = "Intro:\n\n- first item\n- second item\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert sentences(markdown) == ["Intro:", "first item", "second item", "| a | b |", "| 1 | 2 |"]


def test_a_sentence_may_go_on_in_the_next_line() -> None:
    assert sentences("It opens\nat six.\n- It closes\n  at ten.\n\nThen") == [
        "It opens at six.",
        "It closes at ten.",
        "Then",
    ]


@pytest.mark.parametrize(
    "code",
    [
        ["```", "rm a", "rm b", "```"],
        ["```sh", "rm a", "", "rm b", "# rm c", "```"],
        ["~~~", "rm a", "rm b", "~~~"],
        ["~~~ sh", "rm a", "```", "rm b", "~~~~"],
        ["````", "```", "rm a", "```", "rm b", "````"],
    ],
)
def test_lines_of_code_are_not_joined_as_those_of_a_paragraph_are(code: list[str]) -> None:
    assert ["Type this:", *code, "Then go on."] == unwrapped("\n".join(["Type", "this:", *code, "Then", "go on."]))


def test_code_within_a_line_opens_no_block() -> None:
    assert ["Type ```rm a``` and then ```rm b``` here."] == unwrapped("Type\n```rm a``` and then\n```rm b``` here.")


def test_citations_are_taken_out_with_the_space_before_the_full_stop() -> None:
    assert without_citations("Six o'clock [1].") == "Six o'clock."


@given(st.text(max_size=200))
def test_support_is_a_share_of_any_text(text: str) -> None:
    assert all(0.0 <= support(sentence, PASSAGE) <= 1.0 for sentence in sentences(text))


def test_names_of_columns_are_alike_only_if_the_rows_are_properties() -> None:
    things = "| | Hall | Yard |\n| --- | --- | --- |\n| Seats | 5 | 6 |"
    properties = "| Who | Approves | Limit |\n| --- | --- | --- |\n| Ada | trips | 5 |"

    assert ["", "Hall", "Yard"] in columns_of(things)
    assert [["Ada"], ["trips"], ["5"]] == list(columns_of(properties))
