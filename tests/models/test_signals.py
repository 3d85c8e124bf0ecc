"""Signals separate a relevant passage from others."""

import pytest

from bot.models.embedding import MiniLm
from bot.models.signals import Signals, signals, with_lags
from graph.passages import Passage


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm.load()


def passage(text: str, *, title: str = "Vacation", path: str = "porto/vacation.md") -> Passage:
    return Passage(
        id=1,
        document_id=1,
        title=title,
        path=path,
        heading_path=[],
        text=text,
        language="en",
        attributes={},
        score=0.0,
    )


async def test_words_above_a_passage_count_as_its_own(model: MiniLm) -> None:
    [row] = await signals(model, "vacation days in Porto", [passage("Everybody has 25 days.")])

    assert row.coverage == pytest.approx(1)
    assert row.names == 1


async def test_what_is_said_in_other_words_counts_but_less(model: MiniLm) -> None:
    texts = ["A grown-up's ticket.", "An adult's ticket.", "A dog's ticket."]
    itself, adult, other = await signals(model, "grown-up ticket", [passage(text) for text in texts])

    assert itself.coverage > adult.coverage > other.coverage
    assert itself.sentence > adult.sentence > other.sentence


async def test_a_missing_rare_word_costs_more_than_a_common_one(model: MiniLm) -> None:
    question = "daily oxygen cylinder"
    no_daily, no_oxygen = await signals(
        model, question, [passage("The oxygen cylinder."), passage("The daily cylinder.")]
    )

    assert no_daily.coverage > no_oxygen.coverage


async def test_a_name_that_the_passage_lacks_is_noticed(model: MiniLm) -> None:
    [row] = await signals(model, "Vacation in Hamburg in 2024", [passage("In 2024 there are 25 days.")])

    assert row.names == 0.5


async def test_one_sentence_that_holds_all_beats_a_text_that_scatters_it(model: MiniLm) -> None:
    together, scattered = await signals(
        model,
        "lunch price cantina",
        [
            passage("In the cantina lunch has a price of five. Else."),
            passage("The cantina opens. Lunch is good. Mind the price."),
        ],
    )

    assert together.sentence > scattered.sentence
    assert together.coverage == pytest.approx(scattered.coverage)


def test_each_row_knows_how_far_it_lies_behind_the_best() -> None:
    rows = with_lags(
        [
            Signals(similarity=0.5, coverage=1.0, sentence=0.5, names=1.0),
            Signals(similarity=0.7, coverage=0.4, sentence=0.5, names=1.0),
        ]
    )

    assert [row.similarity_lag for row in rows] == pytest.approx([-0.2, 0])
    assert [row.coverage_lag for row in rows] == pytest.approx([0, -0.6])
    assert with_lags([]) == []
