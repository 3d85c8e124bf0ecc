"""Which passages compete as answers to one question."""

from graph.asking.interpretations import compete
from graph.passages import Passage
from graph.text.relevance import weigh
from tests.graph.evidence import passage

QUESTION = "How often is the sample taken?"


def competing(one: Passage, other: Passage, question: str = QUESTION) -> bool:
    return compete(one, other, weigh(question, [one, other]))


def test_the_same_file_in_two_folders_competes() -> None:
    assert competing(
        passage("a/lab.md", "The sample is taken twice a day."), passage("b/lab.md", "Every hour a sample is taken.")
    )


def test_files_that_share_no_name_folder_or_title_do_not() -> None:
    one = passage("a/lab.md", "The sample is taken twice a day.", title="Lab")
    assert not competing(one, passage("b/menu.md", "A sample of the soup is taken at noon.", title="Menu"))


def test_related_files_compete_only_with_sentences_that_are_alike() -> None:
    one = passage("dog.txt", "The sample is taken twice a day.", title="Blood of dogs")
    alike = passage("cat.txt", "The sample is taken three times a day.", title="Blood of cats")
    other = passage("bin.txt", "Throw the old sample into the red bin by evening.", title="Blood in the bin")
    assert competing(one, alike)
    assert not competing(one, other, "What about the blood sample?")


def test_one_passage_does_not_compete_with_itself() -> None:
    one = passage("a/lab.md", "The sample is taken twice a day.")
    assert not competing(one, one)


def test_a_sentence_that_only_says_more_is_no_other_answer() -> None:
    one = passage("a/lab.md", "The sample is taken daily.")
    assert not competing(one, passage("b/lab.md", "The sample is taken daily; silence means yes."))


def test_passages_that_hold_too_little_of_a_question_do_not_compete() -> None:
    one, other = passage("a/lab.md", "The sample is red."), passage("b/lab.md", "The sample is blue.")
    weights = weigh(QUESTION, [one, other]) | {"taken": 9.0}
    assert not compete(one, other, weights)


def test_a_passage_that_holds_much_more_of_a_question_has_no_rival() -> None:
    whole = passage("a/lab.md", "The frozen sample is taken daily.")
    part = passage("b/lab.md", "The sample is taken hourly.")
    assert not competing(whole, part, "How often is the frozen sample taken?")
